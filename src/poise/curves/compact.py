"""Compact polynomial bells: short, cheap and exactly zero outside.

    φ(t) = (1 − u²)³,   u = (t − centre)/(width/2),   |u| ≤ 1

Two continuous derivatives everywhere. Near its centre it resembles a Gaussian of σ = width/√24.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.curves.bells import CentredBells


class CompactBells(CentredBells, kind="compact"):
    """Bells of height 1 at their centres.

    Args:
        centres: [s] (K,)
        widths: Full widths [s, > 0] (K,); one number serves all.

    Raises:
        InputError: A width is not positive, or there is not one for each centre.

    Examples:
        >>> bells = poise.curves.CompactBells([0.3, 0.85], 0.4)
    """

    @property
    def continuity(self) -> int:
        """Two continuous derivatives: 1 − u² has its zeros cubed."""
        return 2

    def _profile(self, times: Array, bells: IntArray, derivative: int) -> Array:
        half = self.widths[bells] / 2
        u = np.clip((times - self.centres[bells]) / half, -1.0, 1.0)
        # In factors (1 − u²), so that nothing cancels near the ends.
        v = 1.0 - u * u
        profile = (v**3, -6.0 * u * v**2, v * (30.0 * u * u - 6.0), u * (72.0 - 120.0 * u * u))[derivative]
        return profile / half**derivative
