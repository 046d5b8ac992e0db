"""Hat functions: straight lines between keys. The coefficients are the values at the keys.

φ_k(t_j) = δ_kj,   linear between neighbouring keys
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.curves.keyed import Keyed
from poise.curves.piecewise import Pieces, PiecewiseCubics


@dataclass(frozen=True, eq=False, repr=False)
class Linear(Keyed, PiecewiseCubics, kind="linear"):
    """Piecewise linear curves through keys.

    ``ends``: "free"; "zero" (no function at the first and last key: the curve is zero there);
    "periodic" (the last key is the first one again, a period later, and has no function of its own).

    Raises:
        InputError: Keys do not increase, or there are too few.
        UnknownNameError: There is no such end.

    Examples:
        >>> basis = poise.curves.Linear([0.0, 0.4, 1.2])
        >>> height = basis.evaluate([0.2], [0, 1, 0])
    """

    keys: Array
    """Increasing [s] (n,)."""
    ends: str = "free"
    """"free", "zero" or "periodic"."""

    @property
    def continuity(self) -> int:
        """Only the value is continuous."""
        return 0

    @cached_property
    def pieces(self) -> Pieces:
        """1 − s and s between neighbouring keys."""
        columns = self.key_columns
        shapes = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
        n = len(self.keys) - 1
        return Pieces(self.keys, np.stack([columns[:-1], columns[1:]], axis=1), np.tile(shapes, (n, 1, 1)))
