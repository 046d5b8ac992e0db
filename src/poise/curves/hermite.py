"""Cubic Hermite curves. The coefficients are the values and the slopes at the keys, interleaved in time:

c = (value_0, slope_0, value_1, slope_1, …),   slopes per second
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.curves.keyed import Keyed, value_and_slope_columns
from poise.curves.piecewise import Pieces, PiecewiseCubics


@dataclass(frozen=True, eq=False, repr=False)
class Hermite(Keyed, PiecewiseCubics, kind="hermite"):
    """Piecewise cubic curves told by value and slope at each key.

    ``ends``: "free"; "zero" (value and slope vanish at the first and last key, which have no functions);
    "periodic" (the last key is the first one again, a period later, and has no functions of its own).

    Raises:
        InputError: Keys do not increase, or there are too few.
        UnknownNameError: There is no such end.

    Examples:
        >>> basis = poise.curves.Hermite([0.0, 0.4, 1.2])
        >>> height = basis.evaluate([0.2], [0, 0, 1, 0, 0, 0])  # value and slope at each key
    """

    keys: Array
    """Increasing [s] (n,)."""
    ends: str = "free"
    """"free", "zero" or "periodic"."""

    PER_KEY: ClassVar[int] = 2  # value and slope

    @property
    def continuity(self) -> int:
        """Value and slope are continuous."""
        return 1

    @cached_property
    def pieces(self) -> Pieces:
        """The four Hermite cubics between neighbouring keys."""
        columns = value_and_slope_columns(self)
        shapes = np.array(
            [[1.0, 0.0, -3.0, 2.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, 3.0, -2.0], [0.0, 0.0, -1.0, 1.0]]
        )
        powers = np.tile(shapes, (len(columns), 1, 1))  # (n, 4, 4)
        powers[:, 1::2] *= np.diff(self.keys)[:, None, None]  # slopes are per second, s is per piece
        return Pieces(self.keys, columns, powers)
