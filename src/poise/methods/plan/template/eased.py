"""Curves through keys that have a place, a speed and an acceleration: quintics between neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from poise.arrays import Array

Key = tuple[float, float] | tuple[float, float, float] | tuple[float, float, float, float]
"""Time [s], value, its rate and the rate of that; what is left out is 0."""


def eased(keys: Sequence[Key], times: Array) -> Array:
    """Values (T,) at times; before the first key and after the last, theirs."""
    rows = sorted(
        (tuple(float(x) for x in key) + (0.0,) * (4 - len(key)) for key in keys), key=lambda k: k[0]
    )
    out = np.full(len(times), rows[0][1])
    for (t0, *a), (t1, *b) in pairwise(rows):
        if t1 <= t0:
            continue
        inside = (times >= t0) & (times <= t1)
        out[inside] = quintic((times[inside] - t0) / (t1 - t0), t1 - t0, a, b)
    out[times > rows[-1][0]] = rows[-1][1]
    return out


def quintic(s: Array, span: float, a: Sequence[float], b: Sequence[float]) -> Array:
    """The quintic from (x, v, a) to (x, v, a) over a span [s], at shares s of it."""
    x0, v0, a0 = a[0], a[1] * span, a[2] * span**2
    x1, v1, a1 = b[0], b[1] * span, b[2] * span**2
    d = x1 - x0
    c3 = 10 * d - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15 * d + 8 * v0 + 7 * v1 + 1.5 * a0 - a1
    c5 = 6 * d - 3 * (v0 + v1) - 0.5 * (a0 - a1)
    return np.asarray(x0 + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5)))))


def smooth(s: Array) -> Array:
    """0 to 1 with nothing at the ends: 6 s⁵ − 15 s⁴ + 10 s³, s held to 0 … 1."""
    s = np.clip(s, 0.0, 1.0)
    return np.asarray(s**3 * (10 + s * (6 * s - 15)))


def hump(s: Array) -> Array:
    """0 at both ends, 1 in the middle, with no speed at the ends: 16 s² (1 − s)²."""
    s = np.clip(s, 0.0, 1.0)
    return np.asarray(16 * (s * (1 - s)) ** 2)
