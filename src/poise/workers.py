"""Batches on several threads: contiguous ranges of items, each run by a serial compiled kernel.

Kernels release the interpreter lock, so ordinary threads run side by side. The calling thread takes ranges
like all others and waits only for ranges that another has begun: where no processor is free it does the
whole work at its own speed. Compiled parallel loops wait for every thread, take a second longer to compile
for each kernel, and do not survive a fork.

Each item is computed by the same instructions whichever thread takes it: no result depends on the number
of threads. Linear algebra libraries have threads of their own, of which that is not true: methods keep them
to one.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from poise.errors import InputError

_FRAMES = 128
"""Frames of kinematics worth waking a thread for: 50 to 180 µs of work; waking and waiting take 60 µs."""
_GROUPS = 16
"""Groups of eight frames of dynamics worth waking a thread for: about 0.1 ms of one pass over a character."""
_PIECE = 64
"""Grains that a kernel takes at a time, at most: some hundredths of a second. Nobody can stop one on its way;
between them Ctrl+C is heard."""

_wanted: ContextVar[int | None] = ContextVar("threads", default=None)
_pool: ThreadPoolExecutor | None = None
_pool_size = 0


def _forget_pool() -> None:
    """A forked child has none of its parent's threads."""
    global _pool, _pool_size
    _pool, _pool_size = None, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def _helpers(count: int) -> ThreadPoolExecutor:
    global _pool, _pool_size
    if _pool is None or _pool_size < count:
        # An outgrown pool may still serve another caller; it ends by itself when idle and dropped.
        _pool, _pool_size = ThreadPoolExecutor(count, thread_name_prefix="poise"), count
    return _pool


def thread_count() -> int:
    """Threads that share a batch: ``on_threads``, else ``POISE_THREADS``, else one per usable processor."""
    wanted = _wanted.get()
    if wanted is not None:
        return wanted
    told = os.environ.get("POISE_THREADS", "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Let ``count`` threads share each batch that the calling thread starts inside the block."""
    if count < 1:
        raise InputError(f"a batch needs at least one thread, not {count}")
    before = _wanted.set(count)
    try:
        yield
    finally:
        _wanted.reset(before)


@lru_cache(maxsize=1)
def _algebra() -> Any:
    import scipy.linalg  # noqa: F401  libraries loaded later would not be known
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def algebra_on_one_thread() -> Iterator[None]:
    """Keep linear algebra on the calling thread inside the block, or inside a function it decorates.

    Its own threads gain nothing on matrices of a character's size (spacetime synthesis takes a quarter of the
    processor's time without them), wait for one another where the machine is busy, and change the last bits
    with their number.
    """
    with _algebra().limit(limits=1, user_api="blas"):
        yield


def for_ranges(
    kernel: Callable[..., object], count: int, *arguments: Any, grain: int = 1, threads: int | None = None
) -> None:
    """Call ``kernel(first, last, *arguments)`` for ranges that together cover ``range(count)`` once.

    ``grain`` is the fewest items worth waking a thread for: a batch of less than two grains runs as one range
    on the calling thread. No range is longer than ``_PIECE`` of them, so that the whole can be stopped.
    ``threads`` overrides ``thread_count()``.
    """
    most = count // grain
    hands = min(threads or thread_count(), most) if most > 1 else 1
    if hands == 1:
        for first in range(0, count, _PIECE * grain):
            kernel(first, min(first + _PIECE * grain, count), *arguments)
        return
    waiting = deque(_ranges(count, grain, hands))

    def work() -> None:
        try:
            while (piece := _next(waiting)) is not None:
                kernel(*piece, *arguments)
        except BaseException:
            waiting.clear()
            raise

    pool = _helpers(hands - 1)
    helpers = [pool.submit(work) for _ in range(hands - 1)]
    try:
        work()
    finally:
        # Helpers that have not woken yet find nothing left to do: nobody waits for them.
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()


def for_frames(kernel: Callable[..., object], frames: int, *arguments: Any, grain: int = _FRAMES) -> None:
    """Call ``kernel(first_frame, last_frame, *arguments)`` over all frames."""
    for_ranges(kernel, frames, *arguments, grain=grain)


def for_groups(kernel: Callable[..., object], frames: int, *arguments: Any, grain: int = _GROUPS) -> None:
    """Call ``kernel(first_group, last_group, *arguments)`` over all groups of eight frames.

    ``grain`` counts groups: fewer where a group is much work.
    """
    for_ranges(kernel, (frames + 7) // 8, *arguments, grain=grain)


def _ranges(count: int, grain: int, hands: int) -> Iterator[tuple[int, int]]:
    """Long ranges first, so that there are few; short ones last, so that all threads end together."""
    first, least = 0, max(1, grain // 4)
    while first < count:
        left = count - first
        step = min(max(least, left // (2 * hands)), _PIECE * grain)
        last = count if left - step < least else first + step
        yield first, last
        first = last


def _next(waiting: deque[tuple[int, int]]) -> tuple[int, int] | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None
