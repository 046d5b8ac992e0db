"""``make fuzz``: changed files through every reader; figures on screen, what failed in a folder."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from fuzzing import fuzz
from readers import READERS


def main() -> int:
    """Fuzz, say what came of it, and give the exit status."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="inputs for each reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--readers", default=",".join(READERS), help="names, with commas between")
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"), help="where inputs go that failed")
    given = parser.parse_args()
    began = time.time()
    found = fuzz(
        given.readers.split(","), given.count, seed=given.seed, first=given.first, keep=given.keep,
        say=lambda line: print(line, flush=True),
    )  # fmt: skip
    failures = [failure for figures in found for failure in figures.failures]
    for failure in failures:
        print(f"\n{failure.reader} {failure.number} ({len(failure.data)} bytes):\n{failure.what}")
    inputs = sum(figures.inputs for figures in found)
    print(
        f"{inputs:,} inputs in {time.time() - began:,.0f} s: {sum(f.accepted for f in found):,} read, "
        f"{sum(f.refused for f in found):,} refused, {len(failures):,} failed; slowest "
        f"{max(f.slowest for f in found):.3f} s, most memory {max(f.memory for f in found) / 2**20:.1f} MB"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
