"""Threads over bands of rows: every pixel is one thread's alone, so the bits never depend on how many."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

BAND = 32  # rows


def default_threads() -> int:
    """Threads used where the caller does not say: ``POISE_THREADS``, or one per processor."""
    wanted = os.environ.get("POISE_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_rows(task: Callable[[int, int], object], rows: int, threads: int, *, band: int = BAND) -> None:
    """Call ``task(first, last)`` for bands that cover ``range(rows)``; the task must free the lock."""
    over_items(lambda i: task(i * band, min(rows, (i + 1) * band)), -(-rows // band), threads)


def over_items(task: Callable[[int], object], count: int, threads: int) -> None:
    """Call ``task(i)`` for i in ``range(count)``, several at a time; errors come out here."""
    if threads <= 1 or count <= 1:
        for i in range(count):
            task(i)
        return
    with ThreadPoolExecutor(min(threads, count)) as pool:
        for _ in pool.map(task, range(count)):
            pass
