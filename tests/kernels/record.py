"""Writes the roster of kernels anew: runs every scenario in a process of its own, notes what each asks for.

    python tests/kernels/record.py [--only WORD] [--jobs N]

``--only`` runs the scenarios that hold a word and adds what they ask for to what is known.
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

from poise.compile_log import LOG
from poise.kernel_roster import FILE, read, written

HERE = Path(__file__).parent
ENOUGH = (0, 1, 3)
"""Statuses of commands that did their work; a target that is missed needs the same kernels."""
Known = dict[tuple[str, str], tuple[frozenset[str], int]]
"""Verbs and cost by kernel and types."""


def main() -> int:
    """Run, and write."""
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    from scenarios import commands

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--only", default="", help="scenarios that hold this word")
    options.add_argument("--jobs", type=int, default=1, help="scenarios that run at a time")
    given = options.parse_args()
    wanted = [each for each in [*commands(), "studio"] if given.only in each]
    known = _known() if FILE.exists() else {}
    found = dict(known) if given.only else {}
    failed = 0
    with ThreadPoolExecutor(given.jobs) as pool:
        for number, (command, outcome) in enumerate(zip(wanted, pool.map(_run, wanted)), 1):
            status, said, lines = outcome
            print(f"{number}/{len(wanted)}  {command}", flush=True)
            if status not in ENOUGH:
                failed += 1
                print(f"   FAILED with {status}: {said[-600:]}", flush=True)
            _note(lines, known, found)
            asked = [(k, json.loads(t), verbs, cost) for (k, t), (verbs, cost) in found.items()]
            FILE.write_text(written(asked), encoding="utf-8")
    print(f"{len(found)} kernels in {FILE}" + (f"; {failed} scenarios FAILED" if failed else ""))
    return 1 if failed else 0


def _note(lines: list[str], known: Known, found: Known) -> None:
    """Add what a log says."""
    for line in lines:
        verb, how, kernel, types = line.split("\t")
        if not verb:  # before a verb began
            continue
        usual = known.get((kernel, types), (frozenset(), 1))[1]
        verbs, cost = found.get((kernel, types), (frozenset(), usual))
        if how.startswith("compiled in "):
            cost = max(cost, 2 ** round(math.log2(max(1.0, float(how.split()[2])))))
        found[kernel, types] = (verbs | {verb}, cost)


def _run(command: str) -> tuple[int, str, list[str]]:
    """Status of a scenario, what it said, and what it asked for."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "kernels.log"
        words = [sys.executable, str(HERE / "scenarios.py"), folder, command]
        path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, LOG: str(log), "PYTHONPATH": path, "POISE_WARM": "off"}
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
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
