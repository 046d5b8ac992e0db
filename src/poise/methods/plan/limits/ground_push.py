"""The ground pushes, it never pulls: the centre of mass must not fall faster than freely.

    m (z̈ + g) ≥ p m g     at instants a little apart,    z̈ ≈ (z₊ − 2z + z₋) / h²
    μ (z̈ + g) ≥ |(ẍ, ÿ)|  where it is said how well feet hold

The linear model knows nothing of this: left alone, it would rather be pulled into a crouch than fall into
one.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.dynamics import GRAVITY
from poise.methods.plan.model.heights import Heights
from poise.methods.plan.model.start_state import Stretch

STEP = 0.02
"""Time between instants, at most [s]."""
WEIGHT = 0.02
"""Residual per m/s²: a tenth of a weight counts as two centimetres."""


SETTLED = 0.12
"""A segment that begins in motion answers for the push only after this time [s]: how it begins is not its
own doing.
"""
CLOSE = 0.003
"""Time between the first three instants, and the last [s]."""


class GroundPush:
    """Rows that are negative where the ground would have to push with less than ``least`` weights.

    With ``friction`` μ, also where it would have to push more sideways than it holds.
    """

    def __init__(
        self,
        stretch: Stretch,
        least: float,
        first: float = 0.0,
        friction: float | None = None,
    ) -> None:
        spline, duration = stretch.spline, stretch.duration
        fastest = np.sqrt(max(float(spline.stiffness[: spline.steered].max()), 1.0)) / (2 * np.pi)
        step = min(STEP, max(0.2 / fastest, CLOSE))  # a swing must not hide between instants
        count = max(int(np.ceil(duration / step)), 4)
        # Closer together at both ends: a landing begins fast, and so does the push of a take-off end.
        close = CLOSE * np.arange(3)
        times = np.unique([*close, *np.linspace(0, duration, count + 1)[1:-1], *(duration - close)])
        self._heights = Heights(stretch, times, stretch.footing.figure.centre[:, None])
        inner = np.flatnonzero(times[1:-1] >= first)
        self._second = WEIGHT * _second_differences(times)[inner]
        self._before = inner  # the first of the three instants of each row
        self._weight = WEIGHT * -GRAVITY[2]
        self._least, self._friction = least, friction

    def values(self, y: Array) -> Array:
        """C; zero where the ground pushes enough, and not too far sideways."""
        heights, angles = self._heights.at(y)
        up = self._second @ heights[:, 0] + self._weight
        low = np.minimum(up - self._least * self._weight, 0.0)
        if self._friction is None:
            return low
        return np.concatenate([low, self._slipping(up, self._sideways(angles))])

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J."""
        heights, angles = self._heights.at(y)
        up = self._second @ heights[:, 0] + self._weight
        c = np.minimum(up - self._least * self._weight, 0.0)
        j = np.zeros((len(c), y.size))
        low = np.flatnonzero(c)
        if low.size:
            j[low] = self._slopes(angles, low, 2)
        if self._friction is None:
            return c, j
        sideways = self._sideways(angles)
        slipping = self._slipping(up, sideways)
        slides, found = np.zeros_like(j), np.flatnonzero(slipping)
        if found.size:
            slides[found] = self._friction * self._slopes(angles, found, 2)
            way = sideways[:, found] / np.hypot(*sideways[:, found])
            for axis in (0, 1):
                slides[found] -= way[axis][:, None] * self._slopes(angles, found, axis)
        return np.concatenate([c, slipping]), np.concatenate([j, slides])

    def _sideways(self, angles: Array) -> Array:
        """Accelerations along x and y (2, r)."""
        return np.stack([self._second @ self._heights.along(axis, angles)[:, 0] for axis in (0, 1)])

    def _slipping(self, up: Array, sideways: Array) -> Array:
        return np.minimum((self._friction or 0.0) * up - np.hypot(*sideways), 0.0)

    def _slopes(self, angles: Array, rows: IntArray, axis: int) -> Array:
        """Of accelerations along an axis, by the unknowns (k, unknowns)."""
        near = np.unique(self._before[rows][:, None] + np.arange(3))
        slopes = self._heights.slopes(angles, near, np.zeros_like(near), axis)
        return np.asarray(self._second[np.ix_(rows, near)] @ slopes)


def _second_differences(times: Array) -> Array:
    """Rows that give the second derivative at inner instants of values at all of them, (T − 2, T)."""
    before, after = np.diff(times)[:-1], np.diff(times)[1:]
    rows = np.arange(len(times) - 2)
    out = np.zeros((len(rows), len(times)))
    out[rows, rows] = 2 / (before * (before + after))
    out[rows, rows + 1] = -2 / (before * after)
    out[rows, rows + 2] = 2 / (after * (before + after))
    return out
