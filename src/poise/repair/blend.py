"""Blends: how a repair comes in and goes out, so that nothing outside its window changes and nothing jumps.

    e(x) = 6x⁵ − 15x⁴ + 10x³        0 ≤ x ≤ 1

rises from 0 to 1 with no slope and no curvature at either end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array


def ease(x: ArrayLike) -> Array:
    """e(x), 0 before and 1 after."""
    s = np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0)
    return np.asarray(s**3 * (s * (6 * s - 15) + 10))


def fade(held: ArrayLike, reach: int) -> Array:
    """Weights (N,): 1 where ``held``, down to 0 within ``reach`` frames beside it; smooth in gaps too."""
    mask = np.asarray(held, dtype=bool)
    index = np.arange(len(mask))
    since = index - np.maximum.accumulate(np.where(mask, index, -(10**9)))
    until = np.minimum.accumulate(np.where(mask, index, 10**9)[::-1])[::-1] - index
    left, right = ease(since / (reach + 1)), ease(until / (reach + 1))
    return np.asarray(1.0 - left * right)
