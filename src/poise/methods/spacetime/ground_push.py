"""The ground pushes, it never pulls: the centre of mass must not fall faster than freely.

    m (z̈ + g) ≥ p m g     at instants a little apart,    z̈ ≈ (z₊ − 2z + z₋) / h²

The linear model knows nothing of this: left alone, it would rather be pulled into a crouch than fall into
one.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.dynamics import GRAVITY
from poise.methods.spacetime.exponential import turned
from poise.methods.spacetime.footing import Footing
from poise.methods.spacetime.joint_limits import only_negative
from poise.methods.spacetime.modal_spline import ModalSpline
from poise.methods.spacetime.start_state import StartState

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
    """Rows that are negative where the ground would have to push with less than ``least`` weights."""

    def __init__(
        self,
        footing: Footing,
        spline: ModalSpline,
        start: StartState,
        duration: float,
        least: float,
        first: float = 0.0,
    ) -> None:
        count = max(int(np.ceil(duration / STEP)), 4)
        # Closer together at both ends: a landing begins fast, and so does the push of a take-off end.
        close = CLOSE * np.arange(3)
        times = np.unique([*close, *np.linspace(0, duration, count + 1)[1:-1], *(duration - close)])
        sampled = spline.sample(times)
        n, low = footing.figure.bones, spline.steered
        self._turning = np.ascontiguousarray(footing.turning[:, :low])
        base = (sampled.fixed[..., 0] @ footing.turning.T).reshape(-1, n, 3)
        self._angles = base + start.left_over(times, duration)[0]
        self._by_unknown = sampled.by_unknown[:, :, 0]  # (T, low, d)
        arms, constant = footing.warp.handle(footing.figure.centre[:, None])
        self._arms, self._constant = arms.reshape(n, 3), float(constant[2, 0])
        weight = -GRAVITY[2]
        self._second = WEIGHT * _second_differences(times)[times[1:-1] >= first]
        self._room = WEIGHT * (1.0 - least) * weight

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J; zero where the ground pushes enough."""
        unknowns = y.reshape(self._by_unknown.shape[1], -1)
        moved = np.einsum("tnd,nd->tn", self._by_unknown, unknowns)
        angles = self._angles + (moved @ self._turning.T).reshape(self._angles.shape)
        now = turned(angles, np.zeros_like(angles))
        height = (now.value[:, :, 2] * self._arms).sum(axis=(1, 2)) + self._constant
        slopes = (now.by_angle[:, :, :, 2] @ self._arms[:, :, None])[..., 0]  # (T, n, 3)
        by_mode = slopes.reshape(len(slopes), -1) @ self._turning  # (T, low)
        by_unknown = (by_mode[:, :, None] * self._by_unknown).reshape(len(by_mode), -1)
        return only_negative(self._second @ height + self._room, self._second @ by_unknown)


def _second_differences(times: Array) -> Array:
    """Rows that give the second derivative at inner instants of values at all of them, (T − 2, T)."""
    before, after = np.diff(times)[:-1], np.diff(times)[1:]
    rows = np.arange(len(times) - 2)
    out = np.zeros((len(rows), len(times)))
    out[rows, rows] = 2 / (before * (before + after))
    out[rows, rows + 1] = -2 / (before * after)
    out[rows, rows + 2] = 2 / (after * (before + after))
    return out
