"""What is known of kernels in this process: which were asked for, which had to be compiled, how long it took.

One place for all who tell of it (verbs, studio, server) and all who must not count it as work: time spent on
compiling and loading is no time of solving (:func:`working_time`). Nothing here needs numba.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

LOG = "POISE_KERNEL_LOG"
"""Names a file that every process adds lines to: verb, how a kernel came, its name and types."""


Listener = Callable[[str, int, int], None]
"""Told of a kernel, its number among those compiled so far, and how many there will be (0: nobody knows)."""


@dataclass
class _State:
    compiled: int = 0
    """Kernels that were really compiled; helpers within them apart."""
    seconds: float = 0.0
    """Spent on compiling and loading so far."""
    last: float = 0.0
    depth: int = 0
    began: float = 0.0
    first: float = 0.0
    """When the first compilation began."""
    expected: Callable[[], int] | None = None
    """Counts the kernels that are still to be compiled, when the first one is."""
    total: int = 0
    verb: str = ""
    """What this process does, as the roster calls it."""


_state = _State()
_listeners: list[Listener] = []


def working_time() -> float:
    """A clock [s] that stands still while kernels are compiled or loaded."""
    running = time.perf_counter() - _state.began if _state.depth else 0.0
    return time.perf_counter() - _state.seconds - running


def compilations() -> int:
    """How many kernels were really compiled in this process (0 when all came from a cache)."""
    return _state.compiled


def sentence(number: int, total: int) -> str:
    """What people read while the kernel with this number is compiled; ``total`` 0: nobody knows."""
    count = f"{number} of {total}" if total >= number else f"{number}"
    return f"Compiling kernels: {count} (once on this machine, later runs start at once)"


def announce(kernel: str, number: int, total: int) -> None:
    """A line on standard error, where that is a terminal or ``POISE_VERBOSE`` is set."""
    if not (sys.stderr.isatty() or os.environ.get("POISE_VERBOSE")):
        return
    if number == 1:
        _state.first = time.perf_counter()
    seconds = time.perf_counter() - _state.first
    print(f"  {seconds:5.1f} s  {sentence(number, total)}  {kernel}", file=sys.stderr, flush=True)


def listen(listener: Listener) -> None:
    """Have ``listener(kernel, number, total)`` called whenever a compilation begins."""
    _listeners.append(listener)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have it called inside the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def work_on(verb: str, left: Callable[[], int] | None = None) -> None:
    """Say what this process does, and how to count the kernels that are still to be compiled for it.

    ``left`` is asked when the first compilation begins.
    """
    _state.verb, _state.expected = verb, left


def last_seconds() -> float:
    """How long the last compilation or loading took."""
    return _state.last


def began(kernel: str, *, compiling: bool) -> None:
    """A kernel is to be compiled, or looked for in caches."""
    if _state.depth == 0:
        _state.began = time.perf_counter()
    _state.depth += 1
    if compiling and _state.depth == 1:
        _state.compiled += 1
        if _state.compiled == 1 and _state.expected is not None:
            with suppress(Exception):  # a number that is not known is not worth failing for
                _state.total = _state.expected()
        for listener in _listeners:
            listener(kernel, _state.compiled, _state.total)


def ended() -> None:
    """It is there."""
    _state.depth -= 1
    if _state.depth == 0:
        _state.last = time.perf_counter() - _state.began
        _state.seconds += _state.last


def wanted() -> bool:
    """Whether there is a log, and what is asked for now is no helper of another kernel."""
    return _state.depth == 0 and bool(os.environ.get(LOG))


def note(how: str, kernel: str) -> None:
    """Write to the log how a kernel came."""
    with suppress(OSError), open(os.environ[LOG], "a", encoding="utf-8") as log:
        log.write(f"{_state.verb}\t{how}\t{kernel}\n")
