"""Batches on several threads: contiguous ranges of groups, each run by a serial compiled kernel.

Kernels release the interpreter lock, so ordinary threads run side by side. (Compiled parallel loops
would do the same and cost 2.4 s more to compile for every kernel.) Each group is computed by the
same instructions whichever thread takes it: results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

_SMALLEST = 16
"""Groups of eight frames worth handing to a thread: about 0.1 ms of one pass over a character."""
_PIECES = 4
"""Ranges per thread, so that a thread held up by other work does not hold up the batch."""

_pool: ThreadPoolExecutor | None = None
_pool_size = 0


def _forget_pool() -> None:
    """A forked child has none of its parent's threads."""
    global _pool, _pool_size
    _pool, _pool_size = None, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def _threads(count: int) -> ThreadPoolExecutor:
    global _pool, _pool_size
    if _pool is None or _pool_size < count:
        # An outgrown pool may still serve another caller; it ends by itself when idle and dropped.
        _pool, _pool_size = ThreadPoolExecutor(count, thread_name_prefix="poise-dynamics"), count
    return _pool


def for_groups(kernel: Callable[..., None], frames: int, *arguments: Any, smallest: int = _SMALLEST) -> None:
    """Call ``kernel(first_group, last_group, *arguments)`` over all groups of eight frames.

    As many threads work as ``numba.get_num_threads()`` says (``NUMBA_NUM_THREADS``), each on at least
    ``smallest`` groups at a time: fewer where a group is much work.
    """
    import numba

    groups = (frames + 7) // 8
    threads = min(int(numba.get_num_threads()), groups // smallest)
    if threads <= 1:
        kernel(0, groups, *arguments)
        return
    pieces = min(threads * _PIECES, groups // smallest)
    bounds = [groups * i // pieces for i in range(pieces + 1)]
    pool = _threads(threads)
    waiting = [pool.submit(kernel, a, b, *arguments) for a, b in pairwise(bounds)]
    for task in waiting:
        task.result()
