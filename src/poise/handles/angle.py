"""Angle between two directions.

    θ = atan2(|a × b|, a · b)  ∈ [0, π],    ∂θ = (c ∂s − s ∂c) / (s² + c²),   s = |a × b|, c = a · b

accurate at every angle (arccos is not, near 0 and π). The angle itself has a kink at 0 and at π, as
|x| has at 0; there the Jacobian is set to zero. To make two directions *meet*, use ``LookAt`` or
``BodyOrientation``, which are smooth there; to keep an angle within a range, use this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.handles.direction import Direction
from poise.handles.distance import unit_rows
from poise.handles.form import ANGLE, Form
from poise.handles.handle import Handle

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class Angle(Handle):
    """Unsigned angle between directions a and b [rad]; a bare vector is a world direction.

    Raises:
        InputError: A direction is zero.

    Examples:
        >>> trunk = poise.handles.Direction.between("Hips", "Head")
        >>> lean = poise.handles.Angle(trunk, (0, 0, 1))
    """

    kind: ClassVar[str] = "angle"
    a: Direction
    """A `Direction`, or a vector in world axes."""
    b: Direction
    """Likewise."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", Direction.read(self.a, "a"))
        object.__setattr__(self, "b", Direction.read(self.b, "b"))

    @property
    def label(self) -> str:
        """In words."""
        return f"angle between {self.a.label} and {self.b.label}"

    @property
    def units(self) -> tuple[str, ...]:
        """Radians."""
        return ("rad",)

    def check(self, character: Character) -> None:
        """What the directions name must exist."""
        self.a.check(character)
        self.b.check(character)

    def form(self, character: Character) -> Form | None:
        """Between two ways."""
        a, b = self.a.way(character), self.b.way(character)
        return None if a is None or b is None else Form(ANGLE, ways=(a, b))

    def value(self, kin: Kinematics) -> Array:
        """(F, 1)"""
        a, b = self.a.value(kin), self.b.value(kin)
        sine = np.linalg.norm(np.cross(a, b), axis=1)
        return np.arctan2(sine, np.sum(a * b, axis=1))[:, None]

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, 1, nv)"""
        a, b = self.a.value(kin), self.b.value(kin)
        normal = np.cross(a, b)
        sine, cosine = np.linalg.norm(normal, axis=1, keepdims=True), np.sum(a * b, axis=1, keepdims=True)
        axis = unit_rows(normal)
        scale = sine**2 + cosine**2
        scale = np.where(scale > 0.0, scale, 1.0)
        by_a = (cosine * np.cross(b, axis) - sine * b) / scale  # (F, 3)
        by_b = (cosine * np.cross(axis, a) - sine * a) / scale
        # Without a direction between the two there is no gradient: not even that of −s ∂c.
        known = np.any(axis != 0.0, axis=1)[:, None]
        by_a, by_b = np.where(known, by_a, 0.0), np.where(known, by_b, 0.0)
        return by_a[:, None, :] @ self.a.jacobian(kin) + by_b[:, None, :] @ self.b.jacobian(kin)
