"""When a constraint holds: at one time, over an interval, or always.

An interval is sampled at the clip's frames inside it (one row per frame), ends included where they
fall on frames; a single time need not be a frame's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import FARTHEST, Array
from poise.errors import InputError, UnknownNameError
from poise.motion import Clip
from poise.motion.frame_times import affordable


class When(ABC):
    """A set of times.

    Examples:
        >>> when = poise.constraints.When.from_dict({"from": 0.2, "to": 0.6})
        >>> print(when, len(when.times(poise.clips.get("punch"))))
    """

    @abstractmethod
    def times(self, clip: Clip) -> Array:
        """The times at which the constraint is imposed on a clip [s], (T,)."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """As plain data."""

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> When:
        """The inverse of ``to_dict``."""
        match data:
            case {"at": time}:
                return At(_number(time))
            case {"from": start, "to": end}:
                return During(_number(start), _number(end))
            case {"always": True}:
                return Always()
        given = ", ".join(map(str, data)) if isinstance(data, Mapping) else repr(data)
        raise UnknownNameError("kind of time", given, ["at", "from/to", "always"])


@dataclass(frozen=True)
class At(When):
    """One instant [s].

    It need not be the time of a frame.

    Raises:
        InputError: The time is not finite.

    Examples:
        >>> when = poise.constraints.At(0.85)
    """

    time: float
    """[s]"""

    def __post_init__(self) -> None:
        _check_size(self.time, "a constraint's time")

    def times(self, clip: Clip) -> Array:
        _check_inside(self.time, self.time, clip)
        return np.array([self.time])

    def to_dict(self) -> dict[str, Any]:
        return {"at": self.time}

    def __str__(self) -> str:
        return f"at {self.time:g} s"


@dataclass(frozen=True)
class During(When):
    """All frames from ``start`` to ``end`` [s]; for a loop the interval may cross the seam.

    Raises:
        InputError: A time is not finite, or the interval ends before it starts.

    Examples:
        >>> when = poise.constraints.During(0.2, 0.6)
    """

    start: float
    """[s]"""
    end: float
    """[s], not before the start."""

    def __post_init__(self) -> None:
        _check_size(self.start, "an interval's start")
        _check_size(self.end, "an interval's end")
        if self.end < self.start:
            raise InputError(f"an interval must not end ({self.end:g} s) before it starts ({self.start:g} s)")

    def times(self, clip: Clip) -> Array:
        _check_inside(self.start, self.end, clip)
        slack = 1e-9 * max(1.0, abs(self.end) * clip.fps)
        first = int(np.ceil(self.start * clip.fps - slack))
        last = int(np.floor(self.end * clip.fps + slack))
        if last < first:
            raise InputError(f"no frame lies between {self.start:g} s and {self.end:g} s at {clip.fps:g} fps")
        if first >= 0 and last < clip.frames:
            return np.array(clip.times[first : last + 1])
        frames = np.arange(first, first + affordable(last + 1 - first, "hold so long"))
        return np.array([float(int(k) / clip.rate) for k in frames])

    def to_dict(self) -> dict[str, Any]:
        return {"from": self.start, "to": self.end}

    def __str__(self) -> str:
        return f"{self.start:g}–{self.end:g} s"


@dataclass(frozen=True)
class Always(When):
    """Every frame of the clip.

    Examples:
        >>> upright = poise.constraints.within(
        ...     poise.handles.PlaneDistance("Head"), poise.constraints.Always(), least=1.2
        ... )
    """

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
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise InputError(f"an interval is a pair (start, end) of seconds, not {value!r}")
        return During(_number(value[0]), _number(value[1]))
    return At(_number(value))


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"a time must be a number of seconds, not {value!r}") from None


def _check_size(time: float, what: str) -> None:
    if not abs(time) <= FARTHEST:
        raise InputError(f"{what} must be finite and no more than {FARTHEST:g} s, not {time:g} s")


def _check_inside(start: float, end: float, clip: Clip) -> None:
    if clip.loop:
        return  # a loop has no ends
    slack = 1e-6 * clip.dt
    if start < -slack or end > clip.duration + slack:
        outside = start if start < -slack else end
        raise InputError(
            f"time {outside:g} s lies outside the clip, which lasts from 0 to {clip.duration:g} s"
        )
