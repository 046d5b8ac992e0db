"""Simple solids on a body: what is drawn, what collides, and what gives mass for want of better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.errors import InputError
from poise.manifold import so3

ROUNDING = 1e-14
"""What arithmetic may leave of a length that should be 1."""


class ShapeKind(Enum):
    """Solids, each about its own centre, long axis along z."""

    SPHERE = "sphere"
    """size = (radius, –, –)"""
    CAPSULE = "capsule"
    """size = (radius, half length of the straight part, –)"""
    CYLINDER = "cylinder"
    """size = (radius, half length, –)"""
    ELLIPSOID = "ellipsoid"
    """size = three half axes"""
    BOX = "box"
    """size = three half edges"""


def unit_quaternion(values: ArrayLike, name: str) -> Array:
    """A rotation as a unit quaternion (4,); one that has no direction is refused under its ``name``.

    One that is of unit length but for rounding keeps its bits, however often it is handed on.
    """
    given = checked(values, name, (4,))
    if not 1e-12 < float(np.abs(given).max()) < 1e150:  # beyond, its square is no number any more
        raise InputError(f"{name} must have a length that can be made 1, not {given.tolist()}")
    unit = abs(float(np.linalg.norm(given)) - 1.0) < ROUNDING
    return given if unit else so3.normalise(given)


@dataclass(frozen=True, eq=False)
class Shape:
    """One solid, placed in its body's frame."""

    kind: ShapeKind
    size: ArrayLike
    """Meaning by kind [m], (3,)."""
    position: ArrayLike = (0.0, 0.0, 0.0)
    """Centre in the body frame [m], (3,)."""
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    """Body-from-shape quaternion, (4,)."""
    material: str = "skin"

    def __post_init__(self) -> None:
        size = checked(self.size, f"{self.kind.value} size", (3,))
        if (size < 0).any() or size[0] <= 0:
            raise InputError(f"a {self.kind.value} needs positive sizes, not {size}")
        put = object.__setattr__
        put(self, "size", frozen(size))
        put(self, "position", frozen(checked(self.position, "shape position", (3,))))
        put(self, "rotation", frozen(unit_quaternion(self.rotation, f"{self.kind.value} rotation")))

    @classmethod
    def sphere(cls, centre: ArrayLike, radius: float, material: str = "skin") -> Shape:
        """A ball of the given radius."""
        return cls(ShapeKind.SPHERE, (radius, 0, 0), centre, material=material)

    @classmethod
    def capsule(cls, start: ArrayLike, end: ArrayLike, radius: float, material: str = "skin") -> Shape:
        """A rod with round ends between two points of the body frame."""
        return cls._along(ShapeKind.CAPSULE, start, end, radius, material)

    @classmethod
    def cylinder(cls, start: ArrayLike, end: ArrayLike, radius: float, material: str = "skin") -> Shape:
        """A rod with flat ends between two points of the body frame."""
        return cls._along(ShapeKind.CYLINDER, start, end, radius, material)

    @classmethod
    def ellipsoid(
        cls, centre: ArrayLike, radii: ArrayLike, material: str = "skin", rotation: ArrayLike = so3.IDENTITY
    ) -> Shape:
        """An ellipsoid with the given half axes."""
        return cls(ShapeKind.ELLIPSOID, radii, centre, rotation, material)

    @classmethod
    def box(
        cls, centre: ArrayLike, half: ArrayLike, material: str = "skin", rotation: ArrayLike = so3.IDENTITY
    ) -> Shape:
        """A box with the given half edges."""
        return cls(ShapeKind.BOX, half, centre, rotation, material)

    @classmethod
    def _along(cls, kind: ShapeKind, start: ArrayLike, end: ArrayLike, radius: float, material: str) -> Shape:
        a, b = checked(start, "start", (3,)), checked(end, "end", (3,))
        half = 0.5 * float(np.linalg.norm(b - a))
        turn = so3.between((0.0, 0.0, 1.0), b - a) if half > 0 else so3.IDENTITY
        return cls(kind, (radius, half, 0), 0.5 * (a + b), turn, material)

    @property
    def volume(self) -> float:
        """[m³]."""
        a, b, c = (float(x) for x in np.asarray(self.size))
        match self.kind:
            case ShapeKind.SPHERE:
                return 4 / 3 * math.pi * a**3
            case ShapeKind.CAPSULE:
                return math.pi * a * a * (2 * b) + 4 / 3 * math.pi * a**3
            case ShapeKind.CYLINDER:
                return math.pi * a * a * (2 * b)
            case ShapeKind.ELLIPSOID:
                return 4 / 3 * math.pi * a * b * c
            case ShapeKind.BOX:
                return 8 * a * b * c

    def unit_inertia(self) -> Array:
        """Rotational inertia per mass about the centre, in the body's axes [m²], (3, 3)."""
        a, b, c = (float(x) for x in np.asarray(self.size))
        match self.kind:
            case ShapeKind.SPHERE:
                moments = np.full(3, 0.4 * a * a)
            case ShapeKind.ELLIPSOID:
                moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 5
            case ShapeKind.BOX:
                moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 3
            case ShapeKind.CYLINDER:
                side = a * a / 4 + b * b / 3
                moments = np.array([side, side, a * a / 2])
            case ShapeKind.CAPSULE:
                # A cylinder of half length b and two half balls, each 3a/8 beyond an end.
                rod, balls = 2 * b * a * a, 4 / 3 * a**3  # volumes over π
                side = rod * (a * a / 4 + b * b / 3) + balls * (0.4 * a * a + b * b + 0.75 * a * b)
                long = rod * a * a / 2 + balls * 0.4 * a * a
                moments = np.array([side, side, long]) / (rod + balls)
        turn = so3.to_matrix(self.rotation)
        return np.asarray(turn @ np.diag(moments) @ turn.T)
