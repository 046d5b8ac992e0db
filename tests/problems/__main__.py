"""Many random problems, spread over processes: ``python tests/problems --count 10000``.

Every problem is solved by a worker process that the system ends where one takes more processor time than any
may (so a kernel that never returns is found too); the next worker goes on behind it.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
GIVEN_UP = 300
"""Seconds of processor time after which the system ends a worker: ten times what any problem may take, as the
first may wait for kernels to be compiled."""
KINDS = ("pose", "adapt", "hit")
SEED = 20121


def work(kind: str, seed: int, first: int, last: int, step: int) -> None:
    """A worker: solve every ``step``-th problem and print a verdict for each."""
    from random_problems import MAKERS, generator
    from verdicts import judged

    def verdict(number: int) -> Any:
        return judged(number, lambda k: MAKERS[kind](generator(kind, k, seed)))

    for number in range(first, last, step):
        spent = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + GIVEN_UP, resource.RLIM_INFINITY))
        print(json.dumps(verdict(number).to_dict()), flush=True)


def run(
    kind: str, count: int, *, seed: int, processes: int, first: int = 0, output: Path | None = None
) -> list[dict[str, Any]]:
    """Verdicts of problems first … first + count − 1, each written to ``output`` as it comes."""
    found: list[dict[str, Any]] = []

    def note(verdict: dict[str, Any]) -> None:
        found.append(verdict)
        if output is not None:
            with output.open("a") as out:
                out.write(json.dumps({"kind": kind, **verdict}) + "\n")

    def lane(offset: int) -> None:
        begin = first + offset
        while begin < first + count:  # each turn of it solves at least one problem, or gives one up
            own = [str(x) for x in (seed, begin, first + count, processes)]
            with subprocess.Popen(
                [sys.executable, str(HERE), "--worker", kind, *own], stdout=subprocess.PIPE, text=True
            ) as worker:
                assert worker.stdout is not None
                for line in worker.stdout:
                    note(verdict := json.loads(line))
                    begin = int(verdict["number"]) + processes
            if worker.returncode != 0:
                fault = f"the worker ended with status {worker.returncode} (-24: out of time)"
                lost = {"number": begin, "ended": "lost", "said": "", "seconds": GIVEN_UP, "faults": [fault]}
                note(lost)
                begin += processes

    lanes = [threading.Thread(target=lane, args=(k,)) for k in range(processes)]
    for one in lanes:
        one.start()
    for one in lanes:
        one.join()
    return sorted(found, key=lambda v: v["number"])


def summary(kind: str, found: list[dict[str, Any]]) -> str:
    """Figures of many verdicts, and every fault."""
    ended = Counter(v["ended"] for v in found)
    refused = Counter(v["said"].split(":")[0][:70] for v in found if v["ended"] == "refused")
    slowest = max(found, key=lambda v: v["seconds"])
    faults = [v for v in found if v["faults"]]
    lines = [
        f"{kind}: {len(found)} problems, " + ", ".join(f"{n} {what}" for what, n in sorted(ended.items())),
        f"  slowest {slowest['seconds']:.2f} s (number {slowest['number']}), "
        f"{sum(v['seconds'] for v in found):.0f} s in all; {len(faults)} with faults",
    ]
    lines += [f"  number {v['number']}: {fault}" for v in faults for fault in v["faults"]]
    lines += [f"  refused {n} times: {said} …" for said, n in refused.most_common(12)]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--output", type=Path, help="verdicts as JSON lines go here")
    parser.add_argument("--worker", nargs=5, metavar=("KIND", "SEED", "FIRST", "LAST", "STEP"))
    given = parser.parse_args()
    if given.worker:
        work(given.worker[0], *(int(x) for x in given.worker[1:]))
        return 0
    faults = 0
    for kind in given.kinds:
        began = time.perf_counter()
        found = run(
            kind,
            given.count,
            seed=given.seed,
            processes=given.processes,
            first=given.first,
            output=given.output,
        )
        print(summary(kind, found), f"\n  {time.perf_counter() - began:.0f} s on the clock", flush=True)
        faults += sum(bool(v["faults"]) for v in found)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
