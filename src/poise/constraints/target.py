"""What a handle should be: a fixed value, or a path over time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.errors import InputError, UnknownNameError

Between = Callable[[Array, Array, Array], Array]
"""``between(a, b, s)``: values a fraction s (T,) of the way from a to b (T, dim)."""


def straight(a: Array, b: Array, s: Array) -> Array:
    """Along a straight line."""
    return a + s[:, None] * (b - a)


class Target(ABC):
    """A wanted value at any time.

    Examples:
        >>> target = poise.constraints.Target.from_dict({"value": [0.9, 0.0, 1.36]})
        >>> print(target.dim)
    """

    @abstractmethod
    def at(self, times: Array, between: Between = straight) -> Array:
        """Wanted values at times (T,), (T, dim)."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Numbers per value."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """As plain data."""

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Target:
        """The inverse of ``to_dict``."""
        match data:
            case {"value": 0}:
                return Origin()
            case {"value": value}:
                return Fixed(value)
            case {"times": times, "values": values}:
                return Path(times, values)
        given = ", ".join(map(str, data)) if isinstance(data, Mapping) else repr(data)
        raise UnknownNameError("kind of target", given, ["value", "times/values"])


@dataclass(frozen=True, eq=False)
class Fixed(Target):
    """The same value at all times, (dim,).

    Raises:
        InputError: The value is not made of finite numbers.

    Examples:
        >>> mark = poise.constraints.Fixed((0.9, 0.0, 1.36))
    """

    value: ArrayLike
    """A number, or numbers (dim,), in the handle's unit."""

    def __post_init__(self) -> None:
        given: Any = self.value
        number = isinstance(given, int | float | np.number)
        values = checked([given] if number else given, "target", (None,), most=FARTHEST)
        object.__setattr__(self, "value", frozen(values))

    @property
    def dim(self) -> int:
        return len(np.asarray(self.value))

    def at(self, times: Array, between: Between = straight) -> Array:
        return np.tile(np.asarray(self.value), (len(times), 1))

    def to_dict(self) -> dict[str, Any]:
        return {"value": np.asarray(self.value).tolist()}


@dataclass(frozen=True, eq=False)
class Path(Target):
    """Values (K, dim) at increasing times (K,) [s]; ends held; in between as the handle's space goes.

    Raises:
        InputError: The times do not increase, or there is not one value for each.

    Examples:
        >>> path = poise.constraints.Path([0.2, 0.6], [(0.5, 0.0, 1.3), (0.6, 0.0, 1.4)])
        >>> followed = poise.constraints.pin("RightHandCentre", path, (0.2, 0.6))
    """

    times: ArrayLike
    """Increasing [s] (K,)."""
    values: ArrayLike
    """In the handle's unit (K, dim); (K,) for one number each."""

    def __post_init__(self) -> None:
        times = checked(self.times, "times of a path", (None,), most=FARTHEST)
        try:
            values = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("a path's values must be numbers, as many for each time") from None
        flat = values[:, None] if values.ndim == 1 else values
        values = checked(flat, "values of a path", (None, None), most=FARTHEST)
        if len(values) != len(times) or len(times) == 0:
            raise InputError(
                f"a path needs one value per time, not {len(times)} times and {len(values)} values"
            )
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

    def at(self, times: Array, between: Between = straight) -> Array:
        known, values = np.asarray(self.times), np.asarray(self.values)
        if len(known) == 1:
            return np.tile(values, (len(times), 1))
        k = np.clip(np.searchsorted(known, times, side="right") - 1, 0, len(known) - 2)
        s = np.clip((times - known[k]) / (known[k + 1] - known[k]), 0.0, 1.0)
        return between(values[k], values[k + 1], s)

    def to_dict(self) -> dict[str, Any]:
        return {"times": np.asarray(self.times).tolist(), "values": np.asarray(self.values).tolist()}


class Origin(Target):
    """Zero, in as many numbers as the handle has: for handles kept in a range.

    Examples:
        >>> knee, always = poise.handles.JointValue("LeftLeg"), poise.constraints.Always()
        >>> bent = poise.constraints.Constraint(knee, poise.constraints.Origin(), always, upper=2.0)
    """

    @property
    def dim(self) -> int:
        return -1

    def at(self, times: Array, between: Between = straight) -> Array:
        return np.zeros((len(times), 1))

    def to_dict(self) -> dict[str, Any]:
        return {"value": 0}


def as_target(value: Target | ArrayLike) -> Target:
    """A number, a vector or a ``Target`` as a ``Target``."""
    return value if isinstance(value, Target) else Fixed(value)
