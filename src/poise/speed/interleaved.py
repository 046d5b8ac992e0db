"""The one clock of all comparisons: who is compared takes turns in one process."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

TURN = 0.02
"""How long a turn lasts at least [s]: contestants are compared warm, not by whose data the one before has
thrown out of the cache."""
ROUNDS = 15
"""Turns of each, where no time is given."""


def interleaved(
    jobs: dict[str, Callable[[], Any]], rounds: int | None = ROUNDS, *, seconds: float = math.inf
) -> dict[str, float]:
    """Least seconds of one call of each job, in turn, so that a busy moment hits all alike.

    Ends after ``rounds`` (None: as many as fit) or, once everyone has had a turn, ``seconds``. Every job is
    called once before anything is timed: kernels are compiled and loaded then.
    """
    for job in jobs.values():
        job()
    ends = time.perf_counter() + seconds
    repeats = {name: max(1, round(TURN / _lasting(job, 1))) for name, job in jobs.items()}
    best = dict.fromkeys(jobs, math.inf)
    done = 0
    while done == 0 or ((rounds is None or done < rounds) and time.perf_counter() < ends):
        for name, job in jobs.items():
            best[name] = min(best[name], _lasting(job, repeats[name]))
        done += 1
    return best


def _lasting(job: Callable[[], Any], repeats: int) -> float:
    """Seconds of one call, over several in a row."""
    began = time.perf_counter()
    for _ in range(repeats):
        job()
    return max(time.perf_counter() - began, 1e-9) / repeats
