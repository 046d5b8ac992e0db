"""Raised cosines: φ(t) = (1 + cos πu)/2,   u = (t − centre)/(width/2),   |u| ≤ 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.curves.bells import Bells, durations, instants


@dataclass(frozen=True, eq=False, repr=False)
class CosineBells(Bells, kind="cosine"):
    """Bells of height 1 at their centres."""

    centres: Array  # (K,) [s]
    widths: Array  # (K,) [s]

    def __post_init__(self) -> None:
        centres = instants(self.centres, "centres")
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "widths", durations(self.widths, "widths", len(centres)))

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]"""
        return frozen(np.stack([self.centres - self.widths / 2, self.centres + self.widths / 2], axis=1))

    @property
    def continuity(self) -> int:
        """The slope is continuous, curvature jumps at the ends."""
        return 1

    def _profile(self, times: Array, bells: IntArray, derivative: int) -> Array:
        pace = 2 * np.pi / self.widths[bells]
        angle = pace * (times - self.centres[bells])
        waves = (1 + np.cos(angle), -np.sin(angle), -np.cos(angle), np.sin(angle))
        return waves[derivative] * pace**derivative / 2
