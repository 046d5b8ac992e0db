"""When the frames of a clip are: an exact rate, and whether the last frame leads back to the first."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property

import numpy as np

from poise.arrays import Array, frozen
from poise.errors import InputError
from poise.reading import bounded_fraction

MAX_FRAMES = 10_000_000
"""23 hours at 120 frames per second."""

MAX_DENOMINATOR = 1_000_000_000
"""Of exact rates: what is written as a decimal keeps nine places."""
EXACT = 2**53
"""Whole numbers up to this are floats."""
SLOWEST, FASTEST = 1e-6, 1e9
"""Frames per second beyond these are no motion's."""


class FrameTimes:
    """Anything with frames at a ``rate`` [1/s]; a ``loop`` lasts one frame longer than it shows."""

    rate: Fraction
    loop: bool

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self)

    @property
    def fps(self) -> float:
        """Frames per second (``rate`` is exact)."""
        return float(self.rate)

    @property
    def dt(self) -> float:
        """Seconds per frame."""
        return float(1 / self.rate)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last, or of one cycle of a loop."""
        return float((self.frames if self.loop else self.frames - 1) / self.rate)

    @cached_property
    def times(self) -> Array:
        """Time of each frame [s], (F,)."""
        top, bottom = self.rate.numerator, self.rate.denominator
        if max(top, bottom * self.frames) > EXACT:
            return np.asarray(frozen([float(k / self.rate) for k in range(self.frames)]))
        return np.asarray(frozen(np.arange(self.frames) * float(bottom) / float(top)))  # rounded once, too


def exact_rate(rate: Fraction | float | str) -> Fraction:
    """A frame rate as an exact fraction: ``30``, ``"24000/1001"``, ``Fraction(60)``."""
    return bounded_fraction(rate, "a frame rate", SLOWEST, FASTEST).limit_denominator(MAX_DENOMINATOR)


def affordable(count: int, verb: str) -> int:
    """``count`` itself, or an error that says how many frames ``verb`` would make."""
    if count > MAX_FRAMES:
        raise InputError(f"cannot {verb}: that would be {count:,} frames, more than {MAX_FRAMES:,}")
    return count
