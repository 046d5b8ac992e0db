"""How many frames a clip may have: what no machine could hold is refused before any memory is asked for."""

from __future__ import annotations

from poise.errors import InputError

MAX_FRAMES = 10_000_000
"""23 hours at 120 frames per second."""


def affordable(count: int, verb: str) -> int:
    """``count`` itself, or an error that says how many frames ``verb`` would make."""
    if count > MAX_FRAMES:
        raise InputError(f"cannot {verb}: that would be {count:,} frames, more than {MAX_FRAMES:,}")
    return count
