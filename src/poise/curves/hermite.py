"""Cubic Hermite curves. The coefficients are the values and the slopes at the keys, interleaved in time:

c = (value_0, slope_0, value_1, slope_1, …),   slopes per second
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from poise.arrays import Array, frozen
from poise.curves.basis import checked_option, keys_of_a_curve
from poise.curves.piecewise import Pieces, PiecewiseCubics, key_columns, neighbour_supports


@dataclass(frozen=True, eq=False, repr=False)
class Hermite(PiecewiseCubics, kind="hermite"):
    """Piecewise cubic curves told by value and slope at each key.

    ``ends``: "free"; "zero" (value and slope vanish at the first and last key, which have no functions);
    "periodic" (the last key is the first one again, a period later, and has no functions of its own).
    """

    keys: Array  # (n,) [s]
    ends: str = "free"

    ENDS: ClassVar[tuple[str, ...]] = ("free", "zero", "periodic")

    def __post_init__(self) -> None:
        checked_option(self.ends, "ends", self.ENDS)
        at_least = 3 if self.ends == "zero" else 2
        object.__setattr__(self, "keys", keys_of_a_curve(self.keys, "keys", at_least=at_least))

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]: from the key before to the key after, twice each."""
        return frozen(np.repeat(neighbour_supports(self.keys, ends=self.ends), 2, axis=0))

    @property
    def period(self) -> float | None:
        """From the first key to the last, if periodic [s]."""
        return float(self.keys[-1] - self.keys[0]) if self.ends == "periodic" else None

    @property
    def continuity(self) -> int:
        """Value and slope are continuous."""
        return 1

    @property
    def end_continuity(self) -> int:
        """Value and slope are continuous where they are held at zero or wrap."""
        return -1 if self.ends == "free" else 1

    @cached_property
    def pieces(self) -> Pieces:
        """The four Hermite cubics between neighbouring keys."""
        value = 2 * key_columns(len(self.keys), ends=self.ends)  # −2: none
        slope = np.where(value < 0, -1, value + 1)
        columns = np.stack([value[:-1], slope[:-1], value[1:], slope[1:]], axis=1)
        shapes = np.array(
            [[1.0, 0.0, -3.0, 2.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, 3.0, -2.0], [0.0, 0.0, -1.0, 1.0]]
        )
        powers = np.tile(shapes, (len(columns), 1, 1))  # (n, 4, 4)
        powers[:, 1::2] *= np.diff(self.keys)[:, None, None]  # slopes are per second, s is per piece
        return Pieces(self.keys, columns, powers)
