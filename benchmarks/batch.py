"""Batches: 200 small clips by one local worker and by two, from the call to the last line of the ledger.

The work is bound by the processor (adapt, loosen, check); starting a worker is part of it, as for a user. One
and two take turns (one, two, two, one), and the quicker time of each counts.
The ratio on the clock says something only where two processors are free; beside it stands what the same
crews gain with work that only counts (what the machine gives), and the ratio that the processor times of the
workers allow, shared evenly (what batches would gain on free processors). Results must be the same to the
byte.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from poise import clips
from poise.batch import Summary
from poise.batch import run as run_batch
from poise.batch.local import performed
from poise.motion import operators

CLIPS = 200
NAMES = ("walk", "punch", "wave", "reach")
SECONDS = 1.2
ROUNDS = (1, 2, 2, 1)
RECIPE = {
    "output": ".bvh",
    "steps": [{"do": "adapt"}, {"do": "loosen", "tension": "relaxed"}, {"do": "check"}],
}


def library(folder: Path, count: int) -> None:
    """Parts of bundled clips, each begun at another instant."""
    for k in range(count):
        clip = clips.get(NAMES[k % len(NAMES)])
        start = 0.4 * (clip.duration - SECONDS) * k / count if clip.duration > SECONDS else 0.0
        operators.trim(clip, start, start + SECONDS).save(folder / f"take{k:03}.npz")


def timed(folder: Path, out: Path, workers: int) -> tuple[Summary, float, float]:
    """With the time on the clock and the processor time of the workers [s]."""
    before, began = os.times(), time.perf_counter()
    summary = run_batch(RECIPE, folder, out, workers=workers)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return summary, time.perf_counter() - began, used


def _count(steps: int) -> int:
    return sum(range(steps))


def counted(workers: int) -> float:
    """Time on the clock for work without memory, files or libraries [s]."""
    began = time.perf_counter()
    list(performed(_count, [(2_000_000,)] * 100, workers))
    return time.perf_counter() - began


def run(count: int = CLIPS) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as place:
        folder, few = Path(place) / "clips", Path(place) / "few"
        for each, number in ((folder, count), (few, len(NAMES))):
            each.mkdir()
            library(each, number)
        run_batch(RECIPE, few, Path(place) / "warm", workers=1)  # kernels compiled
        best: dict[int, tuple[float, float]] = {1: (np.inf, np.inf), 2: (np.inf, np.inf)}
        seen = set()
        for number, workers in enumerate(ROUNDS):
            summary, *spent = timed(folder, Path(place) / f"{number}", workers)
            if summary.count("failed") or summary.count("crashed"):
                raise SystemExit(f"batch: {summary}")
            seen.add(tuple(outcome.sha256 for outcome in summary.outcomes))
            clock, processor = (min(a, b) for a, b in zip(best[workers], spent))
            best[workers] = clock, processor
    if len(seen) > 1:
        raise SystemExit("batch: results depend on the number of workers")
    (alone, used_alone), (together, used) = best[1], best[2]
    single, pair = counted(1), counted(2)
    key = f"batch: {count} clips, two workers"
    measured = (
        (key, together, alone / together),
        ("batch: counting, two workers", pair, single / pair),
        (f"{key}, half the processor time", used / 2, used_alone / (used / 2)),
    )
    return [
        {"key": name, "value": value, "unit": "s", "direction": "lower", "peer": "one worker", "ratio": ratio}
        for name, value, ratio in measured
    ]


if __name__ == "__main__":
    from benchmarks.__main__ import show

    show(run(), {})
