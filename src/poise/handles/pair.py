"""Between two characters: the way or the distance from a point of one to a point of the other.

The quantity depends on two poses, so there are two Jacobians, one for each character's degrees of
freedom; a solver that moves both puts them side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.handles.distance import unit_rows
from poise.handles.place import On, as_point, point_of, position, position_jacobian, text

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


class PairJacobian(NamedTuple):
    """One Jacobian for each of two characters.

    Examples:
        >>> punch = poise.clips.get("punch")
        >>> one = poise.kinematics.Kinematics(punch.character, punch.q)
        >>> change = poise.handles.PairDistance("RightHandCentre", "Head").jacobian(one, one)
        >>> print(change.first.shape, change.second.shape)
    """

    first: Array
    """(F, dim, nv of the first)"""
    second: Array
    """(F, dim, nv of the second)"""


@dataclass(frozen=True)
class PointToPoint:
    """The vector from point a of one character to point b of another, world axes [m].

    Raises:
        InputError: A point is no point, or the two characters do not have the same frames.

    Examples:
        >>> punch = poise.clips.get("punch")
        >>> one = poise.kinematics.Kinematics(punch.character, punch.q)
        >>> way = poise.handles.PointToPoint("RightHandCentre", "Head").value(one, one)
    """

    dim: ClassVar[int] = 3
    unit: ClassVar[str] = "m"
    a: str | On
    """A point or body of the first, or `On` with an offset."""
    b: str | On
    """A point or body of the second, or `On` with an offset."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", as_point(self.a, "a"))
        object.__setattr__(self, "b", as_point(self.b, "b"))

    @property
    def label(self) -> str:
        """In words."""
        return f"way from {text(self.a)} of one to {text(self.b)} of the other"

    def check(self, first: Character, second: Character) -> None:
        """Each point must exist on its character."""
        point_of(first, self.a)
        point_of(second, self.b)

    def value(self, first: Kinematics, second: Kinematics) -> Array:
        """(F, 3)"""
        if first.frames != second.frames:
            raise InputError(
                f"two characters must have the same frames, not {first.frames} and {second.frames}"
            )
        return position(second, self.b) - position(first, self.a)

    def jacobian(self, first: Kinematics, second: Kinematics) -> PairJacobian:
        """(F, 3, nv) each."""
        return PairJacobian(-position_jacobian(first, self.a), position_jacobian(second, self.b))


@dataclass(frozen=True)
class PairDistance:
    """How far point b of one character is from point a of another [m]; no gradient where they meet.

    Examples:
        >>> punch, wave = (poise.clips.get(name) for name in ("punch", "wave"))
        >>> one = poise.kinematics.Kinematics(punch.character, punch.at(0.5))
        >>> other = poise.kinematics.Kinematics(wave.character, wave.at(0.5))
        >>> apart = poise.handles.PairDistance("RightHandCentre", "Head").value(one, other)
    """

    dim: ClassVar[int] = 1
    unit: ClassVar[str] = "m"
    a: str | On
    """A point or body of the first, or `On` with an offset."""
    b: str | On
    """A point or body of the second, or `On` with an offset."""

    @property
    def label(self) -> str:
        """In words."""
        return f"distance from {text(self._way.a)} of one to {text(self._way.b)} of the other"

    @property
    def _way(self) -> PointToPoint:
        return PointToPoint(self.a, self.b)

    def check(self, first: Character, second: Character) -> None:
        """Each point must exist on its character."""
        self._way.check(first, second)

    def value(self, first: Kinematics, second: Kinematics) -> Array:
        """(F, 1)"""
        return np.linalg.norm(self._way.value(first, second), axis=1, keepdims=True)

    def jacobian(self, first: Kinematics, second: Kinematics) -> PairJacobian:
        """(F, 1, nv) each."""
        along = unit_rows(self._way.value(first, second))[:, None, :]
        change = self._way.jacobian(first, second)
        return PairJacobian(along @ change.first, along @ change.second)
