"""Bones turn by less than a straight angle from their reference: beyond it exponentials wrap round.

r = |θ|max − |θ_i(t)| ≥ 0        for all bones, at some instants
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.methods.spacetime.footing import Footing
from poise.methods.spacetime.modal_spline import ModalSpline
from poise.methods.spacetime.start_state import StartState

MOST = 2.8
"""Largest turn [rad]; with room for what is between the instants."""
CHECKS = 12
"""Instants per segment."""
WEIGHT = 0.1
"""Residual per radian."""


class TurnLimit:
    """Rows that say by how much bones turn too far."""

    def __init__(self, footing: Footing, spline: ModalSpline, start: StartState, duration: float) -> None:
        times = np.linspace(0, duration, CHECKS + 1)[1:]
        turning = footing.turning.reshape(footing.figure.bones, 3, -1)  # (n, 3, modes)
        sampled = spline.sample(times)
        self._fixed = np.einsum("bam,tm->tba", turning, sampled.fixed[..., 0])
        self._fixed += start.left_over(times, duration)[0]
        self._turning = np.ascontiguousarray(turning[:, :, : spline.steered])
        self._by_unknown = sampled.by_unknown[:, :, 0]  # (T, low, d)

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J; zero where there is room."""
        moved = np.einsum("tnd,nd->tn", self._by_unknown, y.reshape(self._by_unknown.shape[1], -1))
        angles = self._fixed + np.einsum("ban,tn->tba", self._turning, moved)
        size = np.linalg.norm(angles, axis=2)  # (T, n)
        over = np.maximum(size - MOST, 0.0)
        r = np.linalg.norm(over, axis=1)  # (T,)
        j = np.zeros((len(r), y.size))
        for t in np.flatnonzero(r):
            along = (over[t] / (r[t] * np.maximum(size[t], MOST)))[:, None] * angles[t]  # ∂r/∂θ (n, 3)
            by_mode = np.einsum("ba,ban->n", along, self._turning)
            j[t] = (by_mode[:, None] * self._by_unknown[t]).ravel()
        return WEIGHT * r, WEIGHT * j
