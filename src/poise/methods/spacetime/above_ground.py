"""Points that must not go below the ground, as rows that must not be negative."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.methods.spacetime.footing import Footing
from poise.methods.spacetime.heights import Heights
from poise.methods.spacetime.modal_spline import ModalSpline
from poise.methods.spacetime.start_state import StartState


class AboveGround:
    """Heights of points of a stance at times [s]; its frame's origin is ``ground`` above the ground [m]."""

    def __init__(
        self,
        footing: Footing,
        spline: ModalSpline,
        start: StartState,
        duration: float,
        times: Array,
        points: Sequence[str],
        ground: float,
    ) -> None:
        columns = np.stack([footing.figure.column(name) for name in points], axis=1)
        self._heights = Heights(footing, spline, start, duration, times, columns)
        self._ground = ground

    def values(self, y: Array) -> Array:
        """C; zero above the ground."""
        return np.minimum(self._heights.at(y)[0] + self._ground, 0.0).ravel()

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J."""
        heights, angles = self._heights.at(y)
        low = np.minimum(heights + self._ground, 0.0)
        j = np.zeros((low.size, y.size))
        broken = np.nonzero(low)
        if broken[0].size:
            j[np.flatnonzero(low)] = self._heights.slopes(angles, *broken)
        return low.ravel(), j
