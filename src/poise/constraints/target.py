"""What a handle should be: a fixed value, or a path over time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen
from poise.errors import InputError, UnknownNameError


class Target(ABC):
    """A wanted value at any time."""

    @abstractmethod
    def at(self, times: Array) -> Array:
        """Wanted values at times (T,), (T, dim)."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Numbers per value."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """As plain data."""

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Target:
        """The inverse of ``to_dict``."""
        match data:
            case {"value": value}:
                return Fixed(value)
            case {"times": times, "values": values}:
                return Path(times, values)
        raise UnknownNameError("kind of target", ", ".join(map(str, data)), ["value", "times/values"])


@dataclass(frozen=True, eq=False)
class Fixed(Target):
    """The same value at all times, (dim,)."""

    value: ArrayLike

    def __post_init__(self) -> None:
        value = np.atleast_1d(np.asarray(self.value, dtype=np.float64))
        if value.ndim != 1 or not np.isfinite(value).all():
            raise InputError(f"a target must be finite numbers, not {self.value!r}")
        object.__setattr__(self, "value", frozen(value))

    @property
    def dim(self) -> int:
        return len(np.asarray(self.value))

    def at(self, times: Array) -> Array:
        return np.tile(np.asarray(self.value), (len(times), 1))

    def to_dict(self) -> dict[str, Any]:
        return {"value": np.asarray(self.value).tolist()}


@dataclass(frozen=True, eq=False)
class Path(Target):
    """Values (K, dim) at increasing times (K,) [s]; straight in between, ends held."""

    times: ArrayLike
    values: ArrayLike

    def __post_init__(self) -> None:
        times = np.asarray(self.times, dtype=np.float64)
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim == 1:
            values = values[:, None]
        if times.ndim != 1 or values.shape[:1] != times.shape or len(times) == 0:
            raise InputError(
                f"a path needs one value per time, not {times.shape} times and {values.shape} values"
            )
        if not (np.isfinite(times).all() and np.isfinite(values).all()):
            raise InputError("a path's times and values must be finite")
        if (np.diff(times) <= 0).any():
            k = int(np.argmax(np.diff(times) <= 0))
            raise InputError(
                f"a path's times must increase: {times[k]:g} s is followed by {times[k + 1]:g} s"
            )
        object.__setattr__(self, "times", frozen(times))
        object.__setattr__(self, "values", frozen(values))

    @property
    def dim(self) -> int:
        return int(np.asarray(self.values).shape[1])

    def at(self, times: Array) -> Array:
        known, values = np.asarray(self.times), np.asarray(self.values)
        return np.stack([np.interp(times, known, column) for column in values.T], axis=-1)

    def to_dict(self) -> dict[str, Any]:
        return {"times": np.asarray(self.times).tolist(), "values": np.asarray(self.values).tolist()}


def as_target(value: Target | ArrayLike) -> Target:
    """A number, a vector or a ``Target`` as a ``Target``."""
    return value if isinstance(value, Target) else Fixed(value)
