"""The documentation's page of benchmarks, made from the last run.

    poise bench -o out
    python -m poise.speed.page out/bench.json docs

writes ``docs/benchmarks.md``, the numbers it is made from beside it (``benchmarks.json``) and its picture
(``pictures/benchmarks.png``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from poise.errors import PoiseError
from poise.files import write_text
from poise.reading import read_json
from poise.speed.machine import warning, words
from poise.speed.plot import plot
from poise.speed.result import Benchmark, from_plain, spoken, times

HEAD = """# Benchmarks

`poise bench` compares your machine's Poise with named peers in about a minute:
[how](guide/speed.md#your-own-machine). This page is one such run. Ratios carry over to other machines
roughly, times do not.

![How many times faster than its peers Poise is](pictures/benchmarks.png)

"""
FOOT = """
Both sides of a row run in one process, in turn, and the least time of each counts, so that a busy moment hits
both alike. Kernels are compiled and both results are compared before anything is timed: a row whose sides
disagree is not measured. Peers are called as a Python program calls them, frame by frame where they have no
batches; Poise takes the whole batch, on all threads, except in steps of inverse kinematics and in `adapt`,
which run on one. Peers of `hit` and `adapt` solve the same problem: the iteration published for it, and
SciPy's least squares, given our compiled rows and Jacobians. `python -m benchmarks` in a checkout measures
more.
"""


def page(found: Benchmark) -> str:
    """Markdown."""
    lines = [
        "| what | time of one | Poise | peer | peer's time | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for row in found.of("measured"):
        note = f" ({row.note})" if row.note else ""
        lines.append(
            f"| {row.name} | {row.unit} | {spoken(row.ours or 0.0)} "
            f"| {row.peer}{note} | {spoken(row.theirs or 0.0)} | **{times(row.ratio or 0.0)}** |"
        )
    versions = ", ".join(f"{name} {number}" for name, number in found.machine["versions"].items())
    lines += ["", f"Machine: {words(found.machine)}. Versions: {versions}.", ""]
    busy = warning(found.machine["load"])
    lines += [f"* {busy[0].upper()}{busy[1:]}."] if busy else []
    for row in (*found.of("skipped"), *found.of("failed")):
        lines.append(f"* Not measured: {row.name}, beside {row.peer}: {row.note}.")
    return HEAD + "\n".join(lines).rstrip() + "\n" + FOOT


def main() -> int:
    """Write the page into a folder of documentation."""
    options = argparse.ArgumentParser(
        prog="python -m poise.speed.page", description=__doc__.partition("\n")[0]
    )
    options.add_argument("source", type=Path, help="what poise bench wrote: bench.json")
    options.add_argument("folder", type=Path, help="the folder of the documentation")
    given = options.parse_args()
    try:
        found = from_plain(read_json(given.source), given.source.name)
        plot(found, given.folder / "pictures" / "benchmarks.png")
        write_text(given.folder / "benchmarks.json", found.to_json())
        print(write_text(given.folder / "benchmarks.md", page(found)))
    except PoiseError as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
