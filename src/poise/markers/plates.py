"""Force plates: what the ground gave, measured."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from poise.arrays import Array, checked, frozen
from poise.motion.frame_times import exact_rate


@dataclass(frozen=True, eq=False)
class ForcePlates:
    """Forces on the body at every sample of every plate, z up. Immutable."""

    names: tuple[str, ...]
    force: Array
    """(S, P, 3) [N]"""
    point: Array
    """Where it acts, (S, P, 3) [m]; without meaning where there is no force."""
    moment: Array
    """Free moment, (S, P, 3) [N·m]"""
    rate: Fraction | int | float | str
    """Samples per second."""
    start: float = 0.0
    """When the first sample was taken [s]."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "rate", exact_rate(self.rate))
        put(self, "names", tuple(self.names))
        for name in ("force", "point", "moment"):
            values = checked(getattr(self, name), f"{name} of the plates", (None, len(self.names), 3))
            put(self, name, frozen(values))

    def at(self, times: Array) -> Array:
        """Forces at some times [s], between samples by straight lines, (T, P, 3) [N]; zero outside."""
        own = self.start + np.arange(len(self.force)) / float(Fraction(self.rate))
        flat = self.force.reshape(len(own), -1)
        found = [np.interp(times, own, column, left=0.0, right=0.0) for column in flat.T]
        return np.stack(found, axis=1).reshape(len(times), -1, 3)
