"""A key, and what can be done to the keys of any track: insert, delete, copy, move, mute.

Keys stand in the order of their times, no two at the same time: times nearer than a microsecond are one. An
edit names a key by its index in that order and returns a new track. A muted key stays in the document and is
ignored, as if it were not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from poise.arrays import FARTHEST, checked
from poise.errors import InputError, UnknownNameError
from poise.methods.key.sheet.easing import EASINGS

TICK = 1e-6
"""Times nearer than this [s] are the same time."""


class Timed(Protocol):
    """What a key of any track has (all are frozen dataclasses)."""

    @property
    def time(self) -> float:
        """[s]"""

    @property
    def muted(self) -> bool:
        """Whether it is to be ignored."""


K = TypeVar("K", bound=Timed)


@dataclass(frozen=True)
class TrackKey:
    """A value at a time, and how the track goes on from here to the next key."""

    time: float
    """[s], any real number."""
    value: tuple[float, ...] | None
    """None: left to be found from the rest of the document, where a track allows that."""
    ease: str = "spline"
    muted: bool = False

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "time", as_time(self.time))
        if self.value is not None:
            given: Any = self.value
            flat: Any = [given] if isinstance(given, int | float | np.number) else given
            value = checked(flat, f"the value at {self.time:g} s", (None,), most=FARTHEST)
            put(self, "value", tuple(value.tolist()))
        if self.ease not in EASINGS:
            raise UnknownNameError("easing", self.ease, EASINGS)
        put(self, "muted", bool(self.muted))


class Keyed(Generic[K]):
    """A frozen dataclass with a field ``keys``: the edits common to all tracks."""

    keys: tuple[K, ...]

    @property
    def live(self) -> tuple[K, ...]:
        """The keys that are not muted."""
        return tuple(key for key in self.keys if not key.muted)

    @property
    def span(self) -> tuple[float, float]:
        """Times of the first and last key that is not muted [s]."""
        if not self.live:
            raise InputError("a track needs at least one key that is not muted")
        return self.live[0].time, self.live[-1].time

    def index_at(self, time: float) -> int:
        """The index of the key at that time [s]."""
        found = self._near(as_time(time))
        if found is None:
            there = ", ".join(f"{key.time:g}" for key in self.keys) or "none"
            raise InputError(f"there is no key at {time:g} s (keys at: {there})")
        return found

    def insert(self, key: K, *, over: bool = False) -> Self:
        """With one key more; ``over``: in place of one that stands at its time."""
        old = self._near(key.time)
        if old is not None and not over:
            raise InputError(
                f"there is a key at {key.time:g} s already; move or delete it, or insert over it"
            )
        return self._with([*(k for i, k in enumerate(self.keys) if i != old), key])

    def delete(self, index: int) -> Self:
        """Without a key."""
        gone = self._index(index)
        return self._with(k for i, k in enumerate(self.keys) if i != gone)

    def copy(self, index: int, time: float, *, over: bool = False) -> Self:
        """With a copy of a key at another time [s]."""
        return self.insert(_changed(self.keys[self._index(index)], time=as_time(time)), over=over)

    def move(self, index: int, time: float, *, over: bool = False) -> Self:
        """With a key at another time [s]."""
        i = self._index(index)
        rest = self._with(k for j, k in enumerate(self.keys) if j != i)
        return rest.insert(_changed(self.keys[i], time=as_time(time)), over=over)

    def mute(self, index: int, muted: bool = True) -> Self:
        """With a key ignored, or heeded again."""
        return self.changed(index, muted=muted)

    def changed(self, index: int, **fields: object) -> Self:
        """With some fields of a key changed."""
        i = self._index(index)
        return self._with(_changed(k, **fields) if j == i else k for j, k in enumerate(self.keys))

    def retimed(self, clock: Callable[[float], float]) -> Self:
        """With every key moved from t to ``clock(t)``."""
        return self._with(_changed(k, time=as_time(clock(k.time))) for k in self.keys)

    def _index(self, index: int) -> int:
        if isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise InputError(f"a key is named by its index, not {index!r}")
        if not 0 <= index < len(self.keys):
            raise InputError(f"there are keys 0 to {len(self.keys) - 1}, not {index!r}")
        return int(index)

    def _near(self, time: float) -> int | None:
        return next((i for i, key in enumerate(self.keys) if abs(key.time - time) < TICK), None)

    def _with(self, keys: Iterable[K]) -> Self:
        return replace(self, keys=in_order(keys))  # type: ignore[type-var]


def in_order(keys: Iterable[K]) -> tuple[K, ...]:
    """Keys by time; two at one time are refused."""
    ordered = tuple(sorted(keys, key=lambda key: key.time))
    for before, after in pairwise(ordered):
        if after.time - before.time < TICK:
            raise InputError(f"two keys at {after.time:g} s")
    return ordered


def as_time(value: Any) -> float:
    """A number of seconds, no larger than anybody means."""
    try:
        time = float(value)
    except (TypeError, ValueError):
        raise InputError(f"a time must be a number of seconds, not {value!r}") from None
    if not abs(time) <= FARTHEST:
        raise InputError(f"a time must be finite, from {-FARTHEST:g} to {FARTHEST:g} s, not {value!r}")
    return time


def keys_of(values: Any, *, ease: str = "spline") -> tuple[TrackKey, ...]:
    """Keys from ``{time: value}``, or one value at time 0."""
    if isinstance(values, dict):
        return in_order(TrackKey(time, value, ease) for time, value in values.items())
    return (TrackKey(0.0, values, ease),)


def _changed(key: K, **changes: object) -> K:
    return replace(key, **changes)  # type: ignore[type-var]
