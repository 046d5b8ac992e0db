"""Soles that must not go below the ground, as rows that must not be negative."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.methods.plan.limits.floor import Floor
from poise.methods.plan.model.heights import Heights
from poise.methods.plan.model.start_state import Stretch


class AboveGround:
    """Heights of a stance's soles; its frame's origin is ``ground`` above the ground [m]."""

    def __init__(
        self,
        stretch: Stretch,
        floor: Floor,
        ground: float,
    ) -> None:
        self._heights = Heights(stretch, floor.times, floor.columns)
        self._floor = floor
        self._under = ground - floor.soles.radii

    def values(self, y: Array) -> Array:
        """C; zero above the ground."""
        return self._below(self._heights.at(y)[0]).ravel()

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J."""
        heights, angles = self._heights.at(y)
        low = self._below(heights)
        j = np.zeros((low.size, y.size))
        instants, points = np.nonzero(low)
        if instants.size:
            j[np.flatnonzero(low)] = self._heights.slopes(angles, instants, points)
        return low.ravel(), j

    def _below(self, heights: Array) -> Array:
        return np.minimum(heights + self._under - self._floor.aim, 0.0)
