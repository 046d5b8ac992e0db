"""Kernels of other libraries, which keep them beside their own sources and fail where that cannot be.

Numba refuses to compile a function that asks for a cache where no folder can be written to (a read-only
install and home), and fails where the disk is full. A cache only saves time, so both are passed over here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


@contextmanager
def kept_where_possible() -> Iterator[None]:
    """Functions that are compiled within are kept on disk if that can be, else for this run alone."""
    from numba.core.caching import Cache

    cache: Any = Cache
    begin, save = cache.__init__, cache.save_overload

    def begun(self: Any, py_func: Any) -> None:
        try:
            begin(self, py_func)
        except RuntimeError:  # there is no folder for it
            self._enabled, self._cache_path = False, ""

    def saved(self: Any, *compiled: Any) -> None:
        with suppress(OSError):
            save(self, *compiled)

    cache.__init__, cache.save_overload = begun, saved
    try:
        yield
    finally:
        cache.__init__, cache.save_overload = begin, save
