"""Blends: how a repair comes in and goes out, so that nothing outside its window changes and nothing jumps.

    e(x) = 6x⁵ − 15x⁴ + 10x³        0 ≤ x ≤ 1

rises from 0 to 1 with no slope and no curvature at either end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array

SHORT = 0.15
"""Over which a repair fades beyond the frames it is about [s]."""


def ease(x: ArrayLike) -> Array:
    """e(x), 0 before and 1 after."""
    s = np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0)
    return np.asarray(s**3 * (s * (6 * s - 15) + 10))


def eased_length(x: ArrayLike) -> Array:
    """The integral of e from −∞ to x: after the rise it grows by 1 per 1, and lags by a half."""
    s = np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0)
    return np.asarray(s**4 * (s * (s - 3) + 2.5) + np.maximum(np.asarray(x) - 1.0, 0.0))


def fade(held: ArrayLike, reach: int) -> Array:
    """Weights (N,): 1 where ``held``, down to 0 within ``reach`` frames beside it; smooth in gaps too."""
    mask = np.asarray(held, dtype=bool)
    index = np.arange(len(mask))
    since = index - np.maximum.accumulate(np.where(mask, index, -(10**9)))
    until = np.minimum.accumulate(np.where(mask, index, 10**9)[::-1])[::-1] - index
    left, right = ease(since / (reach + 1)), ease(until / (reach + 1))
    return np.asarray(1.0 - left * right)


def fading(values: Array, start: int, frames: int, reach: int) -> Array:
    """Values (n, d) of frames ``start`` … among ``frames``, carried on beyond both ends and faded out (F, d).

    They go on along the line through their last few, so that there is no kink where they end.
    """
    n = len(values)
    out = np.zeros((frames, values.shape[1]))
    out[start : start + n] = values
    few = min(n, 5)
    steps = np.arange(1, reach + 1)
    weight = 1.0 - ease(steps / (reach + 1))
    for edge, inner, frame in (
        (values[0], values[:few], start),
        (values[-1], values[-few:][::-1], start + n - 1),
    ):
        slope = -np.polyfit(np.arange(few), inner, 1)[0] if few > 2 else np.zeros_like(edge)
        way = 1 if frame != start or n == 1 else -1
        at = frame + way * steps
        inside = (at >= 0) & (at < frames)
        more = (edge + steps[:, None] * slope * weight[:, None]) * weight[:, None]
        out[at[inside]] = more[inside]
    return out
