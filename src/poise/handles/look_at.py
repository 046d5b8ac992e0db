"""Looking at something: the rotation that would turn a body's axis onto it.

With g the axis and d the direction from the eye to the thing seen, both unit vectors in the world,

    e = θ n/|n|,   n = g × d,   θ = atan2(|n|, g · d)      [rad], world axes
    ∂e = f ∂n + n (h n·∂n − ∂c),   f = θ/|n|,  h = (c − f)/|n|²,  c = g · d

e is zero exactly when the body looks there, smooth there (unlike an angle), and has the angle as its
length. Turning about the line of sight changes nothing: rank two. Singular when looking straight away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.handles.direction import Direction
from poise.handles.distance import unit_rows
from poise.handles.form import LOOK, Form
from poise.handles.handle import Handle
from poise.handles.place import (
    On,
    Place,
    Triple,
    as_direction,
    as_place,
    as_point,
    check_place,
    point_of,
    text,
)
from poise.manifold import so3

if TYPE_CHECKING:
    from poise.kinematics import Kinematics

_SMALL = 1e-4  # squared sine below which series are exact to rounding
_BEHIND = 1e-12  # sine below which "straight away" has no axis to turn about


@dataclass(frozen=True)
class LookAt(Handle):
    """Rotation vector [rad] from a body's axis to the direction of a place; aim for zero.

    ``eye`` is a point of the character; ``axis`` is fixed in that point's body, given in its frame.

    Raises:
        InputError: The axis is zero, or the place is not made of finite numbers.

    Examples:
        >>> gaze = poise.handles.LookAt("Head", (1, 0, 0), (3.0, 0.5, 1.5))
        >>> asked = poise.constraints.constrain(gaze, (0, 0, 0), (0.2, 0.6), tolerance=0.05)
    """

    kind: ClassVar[str] = "look_at"
    eye: str | On
    """A point or body of the character, or `On` with an offset."""
    axis: Triple
    """Which way it looks, in the body's frame; of any length."""
    at: Place
    """What is looked at: a point of the character or a place in the world [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "eye", as_point(self.eye, "eye"))
        object.__setattr__(self, "axis", as_direction(self.axis, "axis"))
        object.__setattr__(self, "at", as_place(self.at, "at"))

    @property
    def label(self) -> str:
        """In words."""
        return f"look of {text(self.eye)} at {text(self.at)}"

    @property
    def units(self) -> tuple[str, ...]:
        """Radians about three axes."""
        return ("rad",) * 3

    def check(self, character: Character) -> None:
        """Eye and place must exist."""
        point_of(character, self.eye)
        check_place(character, self.at)

    def form(self, character: Character) -> Form | None:
        """From the gaze to the way."""
        gaze, way = (d.way(character) for d in self._directions(character))
        return None if gaze is None or way is None else Form(LOOK, ways=(gaze, way))

    def _directions(self, character: Character) -> tuple[Direction, Direction]:
        """Gaze, and way to the place."""
        body = character.names[point_of(character, self.eye).body]
        return Direction.of_body(body, self.axis), Direction.between(self.eye, self.at)

    def _parts(self, kin: Kinematics) -> tuple[Direction, Direction, Array, Array, Array]:
        """Gaze, way to the place, their unit vectors (F, 3), and the way's length (F, 1)."""
        gaze, way = self._directions(kin.character)
        line = way.value(kin)
        length = np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-12)
        return gaze, way, gaze.value(kin), unit_rows(line), length

    def value(self, kin: Kinematics) -> Array:
        """(F, 3)"""
        _, _, g, d, _ = self._parts(kin)
        n, c = np.cross(g, d), np.sum(g * d, axis=1, keepdims=True)
        return _factors(n, c)[0] * n

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, 3, nv)"""
        gaze, way, g, d, length = self._parts(kin)
        n, c = np.cross(g, d), np.sum(g * d, axis=1, keepdims=True)
        f, h = _factors(n, c)
        dg = gaze.jacobian(kin)
        across = np.eye(3) - d[:, :, None] * d[:, None, :]
        dd = across @ way.jacobian(kin) / length[:, :, None]  # (F, 3, nv)
        dn = so3.hat(g) @ dd - so3.hat(d) @ dg
        dc = g[:, None, :] @ dd + d[:, None, :] @ dg  # (F, 1, nv)
        return f[:, :, None] * dn + n[:, :, None] * (h[:, :, None] * (n[:, None, :] @ dn) - dc)


def _factors(n: Array, c: Array) -> tuple[Array, Array]:
    """f = θ/s and h = (c − f)/s² for s = |n|, each (F, 1)."""
    s2 = np.sum(n * n, axis=1, keepdims=True)
    near = (s2 < _SMALL) & (c > 0)
    s = np.sqrt(np.where(near, 1.0, np.maximum(s2, _BEHIND**2)))
    f = np.where(near, 1 + s2 / 6 * (1 + 9 * s2 / 20 * (1 + 25 * s2 / 42)), np.arctan2(s, c) / s)
    # From asin(s)/s and √(1 − s²); both series to s⁴.
    series = -2 / 3 - s2 * (1 / 5 + s2 * (1 / 16 + 5 / 112))
    return f, np.where(near, series, (c - f) / s**2)
