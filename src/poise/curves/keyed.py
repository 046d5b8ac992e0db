"""What bases told at keys share: instants that increase, and what happens at the first and the last."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.curves.basis import Basis, checked_option, keys_of_a_curve


class Keyed(Basis):
    """A basis with ``PER_KEY`` functions at each key, alive from the key before to the key after.

    ``ends``: "free"; "zero" (nothing at the first and last key, which have no functions); "periodic" (the
    last key is the first one again, a period later, and has no functions of its own).
    """

    keys: Array  # (n,) [s]
    ends: str

    ENDS: ClassVar[tuple[str, ...]] = ("free", "zero", "periodic")
    PER_KEY: ClassVar[int] = 1

    def __post_init__(self) -> None:
        checked_option(self.ends, "ends", self.ENDS)
        at_least = 3 if self.ends == "zero" else 2
        object.__setattr__(self, "keys", keys_of_a_curve(self.keys, "keys", at_least=at_least))

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]: from the key before to the key after."""
        return frozen(np.repeat(_neighbours(self.keys, self.ends), self.PER_KEY, axis=0))

    @property
    def period(self) -> float | None:
        """From the first key to the last, if periodic [s]."""
        return float(self.keys[-1] - self.keys[0]) if self.ends == "periodic" else None

    @property
    def end_continuity(self) -> int:
        """As inside where the curve is held at zero or wraps."""
        return -1 if self.ends == "free" else self.continuity

    @property
    def key_columns(self) -> IntArray:
        """(n,): the first function of each key; −1: none."""
        columns = np.arange(len(self.keys))
        if self.ends == "periodic":
            columns[-1] = 0
        elif self.ends == "zero":
            columns -= 1
            columns[-1] = -1
        return np.where(columns < 0, -1, self.PER_KEY * columns)


def value_and_slope_columns(basis: Keyed) -> IntArray:
    """(n − 1, 4): values and slopes at both ends of each interval, where they interleave; −1: none."""
    value = basis.key_columns
    slope = np.where(value < 0, -1, value + 1)
    return np.stack([value[:-1], slope[:-1], value[1:], slope[1:]], axis=1)


def _neighbours(keys: Array, ends: str) -> Array:
    """(K, 2): from the key before to the key after, for each key that has functions."""
    if ends == "periodic":
        period = keys[-1] - keys[0]
        if len(keys) <= 3:  # one or two functions reach all around
            return np.tile([keys[0], keys[-1]], (len(keys) - 1, 1))
        before = np.concatenate([[keys[-2] - period], keys[:-2]])
        return np.stack([before, keys[1:]], axis=1)
    padded = np.concatenate([keys[:1], keys, keys[-1:]])
    supports = np.stack([padded[:-2], padded[2:]], axis=1)
    return supports[1:-1] if ends == "zero" else supports
