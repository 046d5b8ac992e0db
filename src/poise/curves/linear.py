"""Hat functions: straight lines between keys. The coefficients are the values at the keys.

φ_k(t_j) = δ_kj,   linear between neighbouring keys
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
class Linear(PiecewiseCubics, kind="linear"):
    """Piecewise linear curves through keys.

    ``ends``: "free"; "zero" (no function at the first and last key: the curve is zero there);
    "periodic" (the last key is the first one again, a period later, and has no function of its own).
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
        """(K, 2) [s]: from the key before to the key after."""
        return frozen(neighbour_supports(self.keys, ends=self.ends))

    @property
    def period(self) -> float | None:
        """From the first key to the last, if periodic [s]."""
        return float(self.keys[-1] - self.keys[0]) if self.ends == "periodic" else None

    @property
    def continuity(self) -> int:
        """Only the value is continuous."""
        return 0

    @property
    def end_continuity(self) -> int:
        """The value is continuous where it is held at zero or wraps."""
        return -1 if self.ends == "free" else 0

    @cached_property
    def pieces(self) -> Pieces:
        """1 − s and s between neighbouring keys."""
        columns = key_columns(len(self.keys), ends=self.ends)
        shapes = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
        n = len(self.keys) - 1
        return Pieces(self.keys, np.stack([columns[:-1], columns[1:]], axis=1), np.tile(shapes, (n, 1, 1)))
