"""How long windows may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import InputError

LONGEST = 60.0
"""No window is longer than this [s]."""


def window_seconds(window: ArrayLike, count: int) -> Array:
    """Lengths of ``count`` windows [s], one given for all or one for each, (count,)."""
    seconds = np.broadcast_to(np.asarray(window, dtype=np.float64), (count,))
    bad = ~(np.isfinite(seconds) & (seconds > 0))
    if bad.any():
        raise InputError(f"a window must be positive and finite, not {seconds[bad][0]:g} s")
    if seconds.max(initial=0.0) > LONGEST:
        raise InputError(f"a window of {seconds.max():g} s is too long; {LONGEST:g} s is the most")
    return seconds
