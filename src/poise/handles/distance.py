"""Distance between two places, and signed distance of a point from a plane.

The distance has no gradient where the places meet; there its Jacobian is set to zero. To bring two
places together ask for a ``PointDifference`` of zero, which is smooth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.handles.form import DISTANCE, PLANE, Form, Span, span
from poise.handles.handle import Handle
from poise.handles.place import (
    ORIGIN,
    On,
    Place,
    Triple,
    as_direction,
    as_place,
    as_point,
    as_triple,
    check_place,
    point_of,
    position,
    position_jacobian,
    text,
)
from poise.handles.point import PointDifference

if TYPE_CHECKING:
    from poise.kinematics import Kinematics

COINCIDENT = 1e-12
"""Places nearer than this [m] have no direction between them."""


@dataclass(frozen=True)
class Distance(Handle):
    """How far place b is from place a [m]; either may be a point of the character or of the world.

    Raises:
        InputError: A place is not made of finite numbers.

    Examples:
        >>> hands = poise.handles.Distance("LeftHandCentre", "RightHandCentre")
    """

    kind: ClassVar[str] = "distance"
    a: Place
    """A point or body of the character, `On` with an offset, or a place in the world [m]."""
    b: Place
    """Likewise."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", as_place(self.a, "a"))
        object.__setattr__(self, "b", as_place(self.b, "b"))

    @property
    def label(self) -> str:
        """In words."""
        return f"distance from {text(self.a)} to {text(self.b)}"

    @property
    def units(self) -> tuple[str, ...]:
        """Metres."""
        return ("m",)

    def check(self, character: Character) -> None:
        """Both places must exist."""
        check_place(character, self.a)
        check_place(character, self.b)

    def form(self, character: Character) -> Form | None:
        """A length."""
        way = span(character, self.a, self.b)
        return None if way is None else Form(DISTANCE, way)

    def value(self, kin: Kinematics) -> Array:
        """(F, 1)"""
        return np.linalg.norm(PointDifference(self.a, self.b).value(kin), axis=1, keepdims=True)

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, 1, nv)"""
        way = PointDifference(self.a, self.b)
        return unit_rows(way.value(kin))[:, None, :] @ way.jacobian(kin)


@dataclass(frozen=True)
class PlaneDistance(Handle):
    """Signed distance of a point from a plane, positive on the side of the normal [m].

    The default plane is the floor, z = 0, so that the value is the point's height.

    Raises:
        InputError: The normal is zero.

    Examples:
        >>> height = poise.handles.PlaneDistance("LeftToe")
    """

    kind: ClassVar[str] = "plane_distance"
    point: str | On
    """A point or body of the character, or `On` with an offset."""
    normal: Triple = (0.0, 0.0, 1.0)
    """Of any length but zero."""
    through: Triple = ORIGIN
    """A place on the plane [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", as_point(self.point, "point"))
        object.__setattr__(self, "normal", as_direction(self.normal, "normal"))
        object.__setattr__(self, "through", as_triple(self.through, "through"))

    @property
    def label(self) -> str:
        """In words."""
        if self.normal == (0.0, 0.0, 1.0):
            return f"height of {text(self.point)} over z = {self.through[2]:g}"
        return f"distance of {text(self.point)} from the plane through {text(self.through)}"

    @property
    def units(self) -> tuple[str, ...]:
        """Metres."""
        return ("m",)

    def check(self, character: Character) -> None:
        """The point must exist."""
        point_of(character, self.point)

    def form(self, character: Character) -> Form | None:
        """A height over a plane."""
        way = Span(point_of(character, self.point), None, -np.array(self.through))
        return Form(PLANE, way, np.array(self.normal))

    def value(self, kin: Kinematics) -> Array:
        """(F, 1)"""
        return ((position(kin, self.point) - np.array(self.through)) @ np.array(self.normal))[:, None]

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, 1, nv)"""
        return np.array([self.normal]) @ position_jacobian(kin, self.point)


def unit_rows(vectors: Array) -> Array:
    """Rows scaled to unit length; rows without a direction become zero, (F, 3)."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > COINCIDENT, vectors / np.maximum(length, COINCIDENT), 0.0)
