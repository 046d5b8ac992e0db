"""When a constraint holds: at one time, over an interval, or always.

An interval is sampled at the clip's frames inside it (one row per frame), ends included where they
fall on frames; a single time need not be a frame's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError
from poise.motion import Clip


class When(ABC):
    """A set of times."""

    @abstractmethod
    def times(self, clip: Clip) -> Array:
        """The times at which the constraint is imposed on a clip [s], (T,)."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """As plain data."""

    @staticmethod
    def from_dict(data: dict[str, Any]) -> When:
        """The inverse of ``to_dict``."""
        match data:
            case {"at": time}:
                return At(time)
            case {"from": start, "to": end}:
                return During(start, end)
            case {"always": True}:
                return Always()
        raise UnknownNameError("kind of time", ", ".join(map(str, data)), ["at", "from/to", "always"])


@dataclass(frozen=True)
class At(When):
    """One instant [s]."""

    time: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.time):
            raise InputError(f"a constraint's time must be finite, not {self.time}")

    def times(self, clip: Clip) -> Array:
        _check_inside(self.time, self.time, clip)
        return np.array([self.time])

    def to_dict(self) -> dict[str, Any]:
        return {"at": self.time}

    def __str__(self) -> str:
        return f"at {self.time:g} s"


@dataclass(frozen=True)
class During(When):
    """All frames from ``start`` to ``end`` [s]; for a loop the interval may cross the seam."""

    start: float
    end: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.start) and np.isfinite(self.end)):
            raise InputError(f"an interval must be finite, not {self.start} … {self.end}")
        if self.end < self.start:
            raise InputError(f"an interval must not end ({self.end:g} s) before it starts ({self.start:g} s)")

    def times(self, clip: Clip) -> Array:
        _check_inside(self.start, self.end, clip)
        slack = 1e-9 * max(1.0, abs(self.end) * clip.fps)
        first = int(np.ceil(self.start * clip.fps - slack))
        last = int(np.floor(self.end * clip.fps + slack))
        if last < first:
            raise InputError(f"no frame lies between {self.start:g} s and {self.end:g} s at {clip.fps:g} fps")
        frames = np.arange(first, last + 1)
        return np.array([float(int(k) / clip.rate) for k in frames])

    def to_dict(self) -> dict[str, Any]:
        return {"from": self.start, "to": self.end}

    def __str__(self) -> str:
        return f"{self.start:g}–{self.end:g} s"


@dataclass(frozen=True)
class Always(When):
    """Every frame of the clip."""

    def times(self, clip: Clip) -> Array:
        return np.array(clip.times)

    def to_dict(self) -> dict[str, Any]:
        return {"always": True}

    def __str__(self) -> str:
        return "always"


Time = When | float | tuple[float, float]
"""How callers may say when: a time, a pair of times, or a ``When``."""


def as_when(value: Time) -> When:
    """A time, a pair of times, or a ``When`` as a ``When``."""
    if isinstance(value, When):
        return value
    if isinstance(value, tuple):
        return During(*value)
    return At(float(value))


def _check_inside(start: float, end: float, clip: Clip) -> None:
    if clip.loop:
        return  # a loop has no ends
    slack = 1e-6 * clip.dt
    if start < -slack or end > clip.duration + slack:
        outside = start if start < -slack else end
        raise InputError(
            f"time {outside:g} s lies outside the clip, which lasts from 0 to {clip.duration:g} s"
        )
