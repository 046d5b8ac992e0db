"""Places that handles measure between: a point of the character, or somewhere in the world.

| written                         | means                                                   |
|---------------------------------|---------------------------------------------------------|
| ``"LeftHand"``                  | a body's origin or a named point                        |
| ``On("LeftHand", (0, 0, 0.1))`` | the same, moved by an offset in the body's frame [m]    |
| ``(x, y, z)``                   | a fixed place in the world [m]                          |
| ``((x, y, z), …)``              | a place in the world for each frame                     |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked
from poise.character import Character, Point
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.kinematics import Kinematics

Triple = tuple[float, float, float]
ORIGIN: Triple = (0.0, 0.0, 0.0)  # of a body, in its own frame [m]


@dataclass(frozen=True)
class On:
    """A point of the character with an offset in its body's frame.

    Raises:
        InputError: The offset is not three finite numbers.

    Examples:
        >>> held = poise.handles.On("RightHandCentre", (0.0, 0.0, 0.1))
    """

    point: str
    """A point or body of the character."""
    offset: Triple = ORIGIN
    """In the body's frame [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "offset", as_triple(self.offset, f"offset on {self.point!r}"))


Place = str | On | Triple | tuple[Triple, ...]


def as_triple(values: ArrayLike, name: str) -> Triple:
    """Three finite numbers as a tuple."""
    x, y, z = checked(values, name, (3,), most=FARTHEST).tolist()
    return (x, y, z)


def as_direction(values: ArrayLike, name: str) -> Triple:
    """A unit vector of a given direction."""
    vector = checked(values, name, (3,))
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        raise InputError(f"{name} must not be zero: it gives a direction")
    x, y, z = (vector / length).tolist()
    return (x, y, z)


def as_point(item: Any, name: str) -> str | On:
    """A point of the character as the user or a file wrote it."""
    place = as_place(item, name)
    if not isinstance(place, str | On):
        raise InputError(f"{name} must be a point of the character, not the place {item!r}")
    return place


def as_place(item: Any, name: str) -> Place:
    """A place as the user or a file wrote it, made hashable."""
    if isinstance(item, On) or (isinstance(item, str) and item):
        return item
    if isinstance(item, Mapping):
        if "point" not in item or not set(item) <= {"point", "offset"}:
            raise InputError(f"{name}: a point is written {{point, offset}}, not {dict(item)}")
        return On(**item)
    array = np.asarray(item, dtype=np.float64) if not isinstance(item, str) else np.empty(0)
    if array.ndim == 2:
        return tuple(as_triple(row, name) for row in array)
    if array.shape != (3,):
        raise InputError(
            f"{name} must be a point's name, On(point, offset) or a place (x, y, z), not {item!r}"
        )
    return as_triple(array, name)


def point_of(character: Character, place: str | On) -> Point:
    """The point on a body; an unknown name is an error that lists those there are."""
    if isinstance(place, str):
        return character.point(place)
    base = character.point(place.point)
    return Point(base.body, base.position + place.offset)


def check_place(character: Character, place: Place) -> None:
    """Raise where the place names what the character lacks."""
    if isinstance(place, str | On):
        point_of(character, place)


def position(kin: Kinematics, place: Place) -> Array:
    """Where the place is, (F, 3) or (1, 3) for a fixed place."""
    if isinstance(place, str | On):
        return kin.point(point_of(kin.character, place))
    array = np.atleast_2d(np.asarray(place, dtype=np.float64))
    if len(array) not in (1, kin.frames):
        raise InputError(f"a path of {len(array)} places does not fit {kin.frames} frames")
    return array


def position_jacobian(kin: Kinematics, place: Place) -> Array:
    """(F, 3, nv); zero for places in the world."""
    if isinstance(place, str | On):
        return kin.point_jacobian(point_of(kin.character, place))
    return np.zeros((kin.frames, 3, kin.character.nv))


def text(place: Place) -> str:
    """The place in words."""
    if isinstance(place, str):
        return place
    if isinstance(place, On):
        return f"{place.point} + ({', '.join(f'{x:g}' for x in place.offset)})"
    if place and isinstance(place[0], tuple):
        return f"a path of {len(place)} places"
    return f"({', '.join(f'{x:g}' for x in place)})"


def as_axes(axes: str) -> str:
    """World axes to keep, such as "xyz", "xz" or "z"."""
    if (
        not isinstance(axes, str)
        or not axes
        or sorted(set(axes)) != sorted(axes)
        or not set(axes) <= set("xyz")
    ):
        raise InputError(f"axes must be some of the letters x, y, z, each once, not {axes!r}")
    return axes


def rows(axes: str) -> list[int]:
    """Indices of the world axes named."""
    return ["xyz".index(a) for a in axes]


def along(axes: str) -> str:
    """ " along x, z", or nothing where all axes are meant."""
    return "" if axes == "xyz" else f" along {', '.join(axes)}"
