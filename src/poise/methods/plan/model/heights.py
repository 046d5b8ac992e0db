"""How high points of a warped figure are, at many instants: no more of the exponential than that needs.

    z = Σ_i e_zᵀ exp(θ_i) b_i + const
    e_zᵀ exp(θ) b = b_z + s θ·m + c (θ_z θ·b − |θ|² b_z),     m = b × e_z,    s, c as in :mod:`.exponential`

Places along x and y are heights after axes are taken round. Bounds look at heights everywhere but need slopes
only where they are broken.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.methods.plan.model.bone_rotations import BoneTurns
from poise.methods.plan.model.exponential import series
from poise.methods.plan.model.start_state import Stretch


class Heights:
    """Of points given as columns (1 + 3n, h), in the figure's own frame, at times [s] (T,)."""

    def __init__(
        self,
        stretch: Stretch,
        times: Array,
        columns: Array,
    ) -> None:
        self._turns = BoneTurns(stretch, times)
        footing = stretch.footing
        arms, constant = footing.warp.handle(columns)
        self._arms = np.ascontiguousarray(arms.T.reshape(-1, footing.figure.bones, 3))  # (h, n, 3)
        self._constant = constant  # (3, h)
        self._flat = [_risen(self._arms, axis).reshape(len(self._arms), -1).T for axis in range(3)]  # (3n, h)

    def at(self, y: Array) -> tuple[Array, Array]:
        """Heights (T, h), and the turns of the bones (T, n, 3), which :meth:`slopes` needs."""
        angles = self._turns.angles(y)
        return self.along(2, angles), angles

    def along(self, axis: int, angles: Array) -> Array:
        """Places along the x, y or z axis (T, h) of turned bones (T, n, 3)."""
        up = np.empty(angles.shape)
        _upward(_risen(angles, axis), up)
        return np.asarray(up.reshape(len(up), -1) @ self._flat[axis] + self._constant[axis])

    def slopes(self, angles: Array, instants: IntArray, points: IntArray, axis: int = 2) -> Array:
        """Of some heights, or places along another axis, by the unknowns (k, unknowns)."""
        by_turn = np.empty((len(instants), *angles.shape[1:]))
        at, of = np.ascontiguousarray(instants), np.ascontiguousarray(points)
        _slopes(_risen(angles, axis), _risen(self._arms, axis), at, of, by_turn)
        if axis != 2:
            by_turn = np.roll(by_turn, axis - 2, axis=-1)
        by_mode = by_turn.reshape(len(by_turn), -1) @ self._turns.turning  # (k, low)
        return (by_mode[:, :, None] * self._turns.place_by_unknown[instants]).reshape(len(by_mode), -1)


_ORDERS = ((1, 2, 0), (2, 0, 1))
"""Axes after a turn that makes x, or y, the vertical."""


def _risen(vectors: Array, axis: int) -> Array:
    """Vectors (…, 3) with axes taken round until the chosen one is the last: what is up, they say of it."""
    return vectors if axis == 2 else np.take(vectors, _ORDERS[axis], axis=-1)


@kernel()
def _upward(angles: Array, out: Array) -> None:
    """e_zᵀ exp(θ) of all bones (T, n, 3)."""
    for f in range(len(angles)):
        for i in range(angles.shape[1]):
            x, y, z = angles[f, i]
            square = x * x + y * y + z * z
            s, c, _, _, _, _ = series(square)
            out[f, i, 0] = c * z * x - s * y
            out[f, i, 1] = c * z * y + s * x
            out[f, i, 2] = 1.0 + c * (z * z - square)


@kernel()
def _slopes(angles: Array, arms: Array, instants: IntArray, points: IntArray, out: Array) -> None:
    for k in range(len(instants)):
        for i in range(angles.shape[1]):
            x, y, z = angles[instants[k], i]
            bx, by, bz = arms[points[k], i]
            square = x * x + y * y + z * z
            s, c, s1, c1, _, _ = series(square)
            along = x * bx + y * by + z * bz
            # s and c change with |θ|², which changes with 2θ
            round_ = 2 * (s1 * (x * by - y * bx) + c1 * (z * along - square * bz))
            out[k, i, 0] = s * by + c * (z * bx - 2 * x * bz) + round_ * x
            out[k, i, 1] = -s * bx + c * (z * by - 2 * y * bz) + round_ * y
            out[k, i, 2] = c * (along - z * bz) + round_ * z
