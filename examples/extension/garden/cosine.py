"""Raised cosines: φ(t) = (1 + cos πu)/2,   u = (t − centre)/(width/2),   |u| ≤ 1."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.curves.bells import CentredBells


class CosineBells(CentredBells, kind="cosine"):
    """Bells of height 1 at their centres, zero from half a width on."""

    @property
    def continuity(self) -> int:
        """The slope is continuous, curvature jumps at the ends."""
        return 1

    def _profile(self, times: Array, bells: IntArray, derivative: int) -> Array:
        pace = 2 * np.pi / self.widths[bells]
        angle = pace * (times - self.centres[bells])
        waves = (1 + np.cos(angle), -np.sin(angle), -np.cos(angle), np.sin(angle))
        return waves[derivative] * pace**derivative / 2
