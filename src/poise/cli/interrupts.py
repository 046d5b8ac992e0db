"""What Ctrl+C does: a verb at work is told by ``KeyboardInterrupt``; before and after, the program just ends.

An exception in the midst of an import may be swallowed or wrapped by whoever imports, and shown as a
traceback (numba's own extensions do): there the program ends too. Before a verb has begun, and once it has
ended, there is nothing to be put in order.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


def _end(number: int, frame: Any) -> None:
    os._exit(130)


def _raise(number: int, frame: FrameType | None) -> None:
    """Tell the work in progress; in the midst of an import nothing can be told, and the program ends."""
    at = frame
    while at is not None:
        if at.f_code.co_filename.startswith("<frozen importlib"):
            os._exit(130)
        at = at.f_back
    raise KeyboardInterrupt


def _can_be_set() -> bool:
    """Elsewhere than in the main thread, or started in the background, interrupts are not ours."""
    ours = threading.current_thread() is threading.main_thread()
    return ours and signal.getsignal(signal.SIGINT) in (_end, _raise, signal.default_int_handler)


@contextmanager
def ending_at_once(*, for_good: bool) -> Iterator[None]:
    """Ctrl+C ends the program without a word; ``for_good`` also afterwards, until the process has ended."""
    if not _can_be_set():
        yield
        return
    before = signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        if not for_good:
            signal.signal(signal.SIGINT, before)


@contextmanager
def raising() -> Iterator[None]:
    """Ctrl+C raises ``KeyboardInterrupt``, so that work in progress is ended in order."""
    if not _can_be_set():
        yield
        return
    before = signal.signal(signal.SIGINT, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
