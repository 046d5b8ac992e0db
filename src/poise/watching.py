"""Long work that says how far it is, and that may be stopped.

Methods that take their time have two options: ``progress`` is told the part done (0 … 1, never less than
before), ``cancel`` is asked at every step whether anybody still wants the result; if not, the call ends with
``CancelledError``.
"""

from __future__ import annotations

from collections.abc import Callable

from poise.errors import CancelledError

Progress = Callable[[float], None]
Cancel = Callable[[], bool]


def watcher(what: str, progress: Progress | None, cancel: Cancel | None) -> Progress:
    """To be called with the part done, at every step; ``what`` is said to be cancelled."""
    told = 0.0

    def watch(part: float) -> None:
        nonlocal told
        if cancel is not None and cancel():
            raise CancelledError(f"{what} was cancelled")
        told = max(told, min(part, 1.0))
        if progress is not None:
            progress(told)

    return watch
