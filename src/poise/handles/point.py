"""Points: where one is, and where one is from another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from poise.arrays import Array
from poise.character import Character
from poise.handles.form import POINT, Form, span
from poise.handles.handle import Handle
from poise.handles.place import (
    On,
    Place,
    along,
    as_axes,
    as_place,
    as_point,
    check_place,
    point_of,
    position,
    position_jacobian,
    rows,
    text,
)

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class PointPosition(Handle):
    """World position of a point of the character [m], all axes or some.

    Raises:
        InputError: The axes are no axes.

    Examples:
        >>> height = poise.handles.PointPosition("RightHandCentre", axes="z")
    """

    kind: ClassVar[str] = "point_position"
    point: str | On
    """A point or body of the character, or `On` with an offset."""
    axes: str = "xyz"
    """World axes to keep: "xyz", "xz", "z" …"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", as_point(self.point, "point"))
        as_axes(self.axes)

    @property
    def label(self) -> str:
        """In words."""
        return f"position of {text(self.point)}{along(self.axes)}"

    @property
    def units(self) -> tuple[str, ...]:
        """Metres."""
        return ("m",) * len(self.axes)

    def check(self, character: Character) -> None:
        """The point must exist."""
        point_of(character, self.point)

    def form(self, character: Character) -> Form | None:
        """A point."""
        return Form(POINT, span(character, None, self.point), index=rows(self.axes))

    def value(self, kin: Kinematics) -> Array:
        """(F, axes)"""
        return position(kin, self.point)[:, rows(self.axes)]

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, axes, nv)"""
        return position_jacobian(kin, self.point)[:, rows(self.axes)]


@dataclass(frozen=True)
class PointDifference(Handle):
    """The vector from place a to place b, world axes [m].

    Raises:
        InputError: A place is not made of finite numbers, or the axes are no axes.

    Examples:
        >>> step = poise.handles.PointDifference("LeftHeel", "RightHeel", axes="xy")
    """

    kind: ClassVar[str] = "point_difference"
    a: Place
    """A point or body of the character, `On` with an offset, or a place in the world [m]."""
    b: Place
    """Likewise."""
    axes: str = "xyz"
    """World axes to keep: "xyz", "xz", "z" …"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", as_place(self.a, "a"))
        object.__setattr__(self, "b", as_place(self.b, "b"))
        as_axes(self.axes)

    @property
    def label(self) -> str:
        """In words."""
        return f"way from {text(self.a)} to {text(self.b)}{along(self.axes)}"

    @property
    def units(self) -> tuple[str, ...]:
        """Metres."""
        return ("m",) * len(self.axes)

    def check(self, character: Character) -> None:
        """Both places must exist."""
        check_place(character, self.a)
        check_place(character, self.b)

    def form(self, character: Character) -> Form | None:
        """A difference of points."""
        way = span(character, self.a, self.b)
        return None if way is None else Form(POINT, way, index=rows(self.axes))

    def value(self, kin: Kinematics) -> Array:
        """(F, axes)"""
        here, there = position(kin, self.a), position(kin, self.b)
        return spread(there - here, kin)[:, rows(self.axes)]

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, axes, nv)"""
        change = position_jacobian(kin, self.b) - position_jacobian(kin, self.a)
        return change[:, rows(self.axes)]


def spread(values: Array, kin: Kinematics) -> Array:
    """One row for each frame, also where only world places were compared."""
    return values if len(values) == kin.frames else values.repeat(kin.frames, axis=0)
