"""Asymmetric ease-in / ease-out bells with an optional plateau.

    φ rises from 0 to 1 in `rise` s, is 1 from `peak` on for `hold` s, and falls to 0 in `fall` s

Both flanks are the quintic step s³(10 − 15 s + 6 s²), whose first two derivatives vanish at both ends: the
bell is C² also where hold = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import Polynomial

from poise.arrays import Array, IntArray, frozen
from poise.curves.bells import Bells, durations, instants

_STEP = Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])


@dataclass(frozen=True, eq=False, repr=False)
class EaseBells(Bells, kind="ease"):
    """Bells that reach 1 at their peaks, rise and fall each at its own pace.

    Raises:
        InputError: A duration is not positive, or there is not one for each peak.

    Examples:
        >>> bells = poise.curves.EaseBells([0.85], rises=0.2, falls=0.5, holds=0.1)
    """

    peaks: Array
    """When each reaches its height [s] (K,)."""
    rises: Array
    """How long each takes to get there [s, > 0] (K,); one number serves all."""
    falls: Array
    """How long each takes to fade [s, > 0] (K,); one number serves all."""
    holds: Array | float = 0.0
    """How long each stays at its height [s, ≥ 0] (K,); one number serves all."""

    def __post_init__(self) -> None:
        peaks = instants(self.peaks, "peaks")
        object.__setattr__(self, "peaks", peaks)
        object.__setattr__(self, "rises", durations(self.rises, "rises", len(peaks)))
        object.__setattr__(self, "falls", durations(self.falls, "falls", len(peaks)))
        object.__setattr__(self, "holds", durations(self.holds, "holds", len(peaks), allow_zero=True))

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]: from the start of the rise to the end of the fall."""
        return frozen(np.stack([self.peaks - self.rises, self.peaks + self.holds + self.falls], axis=1))

    @property
    def continuity(self) -> int:
        """Two continuous derivatives."""
        return 2

    def _profile(self, times: Array, bells: IntArray, derivative: int) -> Array:
        start, end = self.supports[bells].T
        rise, fall = self.rises[bells], self.falls[bells]
        falling = times >= end - fall
        pace = np.where(falling, -1.0 / fall, 1.0 / rise)  # [1/s] ds/dt
        s = np.clip(np.where(falling, end - times, times - start) * np.abs(pace), 0.0, 1.0)
        flank: Array = _STEP.deriv(derivative)(s) if derivative else _STEP(s)
        plateau = (times >= start + rise) & ~falling
        return np.where(plateau, 0.0 if derivative else 1.0, flank * pace**derivative)
