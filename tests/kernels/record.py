"""Writes the roster of kernels anew: runs the scenarios of every verb, notes what each asks for.

    XDG_CACHE_HOME=$(mktemp -d) python tests/kernels/record.py [--only VERB] [--jobs N]

``--only`` runs the scenarios of one verb and adds what they ask for to what is known. What a kernel costs is
how long it takes to compile, so it is seen where the cache is empty, and else stays as it was.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from poise.kernels.compile_log import LOG
from poise.kernels.roster import FILE, read, written

HERE = Path(__file__).parent
ENOUGH = (0, 1, 3)
"""Statuses of commands that did their work; a target that is missed needs the same kernels."""
Known = dict[tuple[str, str], tuple[frozenset[str], int]]
"""Verbs and cost by kernel and types."""
WARM = "from poise.cli import main; main()"


def main() -> int:
    """Run, and write."""
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    from scenarios import by_verb

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--only", default="", help="a verb, or studio")
    options.add_argument("--jobs", type=int, default=1, help="verbs that run at a time")
    given = options.parse_args()
    wanted = {verb: those for verb, those in by_verb().items() if given.only in ("", verb)}
    known = _known() if FILE.exists() else {}
    found = dict(known) if given.only else {}
    costs: dict[tuple[str, str], int] = {}
    failed = 0
    # What is known is compiled first: by itself each kernel takes the time it takes.
    _note(_logged([sys.executable, "-c", WARM, "warm", "--jobs", str(given.jobs)])[2], found, costs)
    with ThreadPoolExecutor(given.jobs) as pool:
        for verb, outcome in zip(wanted, pool.map(_run, wanted.values())):
            status, said, lines = outcome
            print(f"{verb}: {len(wanted[verb])} scenarios", flush=True)
            if status not in ENOUGH:
                failed += 1
                print(f"   FAILED with {status}: {said[-600:]}", flush=True)
            _note(lines, found, costs)
    asked = [
        (
            kernel,
            json.loads(types),
            verbs,
            costs.get((kernel, types)) or known.get((kernel, types), (None, 1))[1],
        )
        for (kernel, types), (verbs, _) in found.items()
    ]
    FILE.write_text(written(asked), encoding="utf-8")
    print(f"{len(found)} kernels in {FILE}" + (f"; {failed} verbs FAILED" if failed else ""))
    return 1 if failed else 0


def _note(lines: list[str], found: Known, costs: dict[tuple[str, str], int]) -> None:
    """Add what a log says."""
    for line in lines:
        verb, how, kernel, types = line.split("\t")
        if how.startswith("compiled in "):
            costs[kernel, types] = 2 ** round(math.log2(max(1.0, float(how.split()[2]))))
        if verb and verb != "warm":
            verbs, cost = found.get((kernel, types), (frozenset(), 1))
            found[kernel, types] = (verbs | {verb}, cost)


def _run(commands: list[str]) -> tuple[int, str, list[str]]:
    """Status of a verb's scenarios, what they said, and what they asked for."""
    with tempfile.TemporaryDirectory() as folder:
        return _logged([sys.executable, str(HERE / "scenarios.py"), folder, *commands])


def _logged(command: list[str]) -> tuple[int, str, list[str]]:
    """Status of a program, what it said, and the kernels it asked for."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "kernels.log"
        path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, LOG: str(log), "PYTHONPATH": path, "POISE_WARM": "off"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        lines = log.read_text().splitlines() if log.exists() else []
        return done.returncode, done.stdout + done.stderr, lines


def _known() -> Known:
    """What is in the file, in the words of the log."""
    held = read(FILE.read_text(encoding="utf-8"))
    return {
        (each.kernel, json.dumps(held.expanded(json.loads(each.types)))): (each.verbs, each.cost)
        for each in held.entries
    }


if __name__ == "__main__":
    sys.exit(main())
