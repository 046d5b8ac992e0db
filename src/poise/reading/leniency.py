"""Files that do not quite add up, read all the same: for everything that is read while it is asked for.

with forgiving():
    result = poise.retarget(poise.load("a.bvh"), "b.bvh")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_FORGIVING: ContextVar[bool] = ContextVar("forgiving", default=False)


@contextmanager
def forgiving() -> Iterator[None]:
    """Within it, all files are read leniently that can be, whoever names them."""
    token = _FORGIVING.set(True)
    try:
        yield
    finally:
        _FORGIVING.reset(token)


def is_forgiving() -> bool:
    """Whether files are read leniently."""
    return _FORGIVING.get()
