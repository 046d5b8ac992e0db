"""Bones turn by less than a straight angle from their reference: beyond it exponentials wrap round.

r = |θ|max − |θ_i(t)| ≥ 0        for all bones, at some instants
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.methods.plan.model.bone_rotations import BoneTurns
from poise.methods.plan.model.start_state import Stretch

MOST = 2.8
"""Largest turn [rad]; with room for what is between the instants."""
CHECKS = 12
"""Instants per segment."""
WEIGHT = 0.1
"""Residual per radian."""


class TurnLimit:
    """Rows that say by how much bones turn too far."""

    def __init__(self, stretch: Stretch) -> None:
        times = np.linspace(0, stretch.duration, CHECKS + 1)[1:]
        self._turns = BoneTurns(stretch, times)

    def _over(self, y: Array) -> tuple[Array, Array]:
        """Turns (T, n, 3), and by how much each is too far (T, n)."""
        angles = self._turns.angles(y)
        return angles, np.maximum(np.sqrt((angles**2).sum(axis=2)) - MOST, 0.0)

    def values(self, y: Array) -> Array:
        """C; zero where there is room."""
        return WEIGHT * np.sqrt((self._over(y)[1] ** 2).sum(axis=1))

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J."""
        angles, over = self._over(y)
        r = np.sqrt((over**2).sum(axis=1))  # (T,)
        j = np.zeros((len(r), y.size))
        for t in np.flatnonzero(r):
            along = (over[t] / (r[t] * (over[t] + MOST)))[:, None] * angles[t]  # ∂r/∂θ (n, 3)
            by_mode = along.ravel() @ self._turns.turning
            j[t] = (by_mode[:, None] * self._turns.place_by_unknown[t]).ravel()
        return WEIGHT * r, WEIGHT * j
