"""What every shape of a surface can tell.

    gap(x) [m], negative inside          normal(x), unit: straight away from it

Ground and the tops of boxes, steps and cylinders measure along their own normal, so that a foot that hangs
over an edge is still on it; beside them, and for all other shapes, the gap is the distance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from reprlib import repr
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import FARTHEST, Array, IntArray, checked
from poise.errors import InputError, UnknownNameError

OVERHANG = 0.12
"""So far beyond its edge a sole still stands on the top of a box [m]: half a foot."""
SMALLEST = 1e-6
"""No edge, radius or spacing is smaller [m]: places divided by it are still whole numbers of 64 bits."""
UNDER = 0.12
"""So far below its top one beyond the edge of a box is beside it, and no longer on it [m]."""


class Triangles(NamedTuple):
    """A surface for drawing; seen from outside, corners go round against the clock.

    Examples:
        >>> print(poise.world.Box((0.6, 0.4, 0.02)).mesh().triangles.shape)
    """

    vertices: Array
    """[m] (V, 3)"""
    triangles: IntArray
    """Numbers of vertices (T, 3)."""


class Convex(NamedTuple):
    """A convex solid as engines of contact know it, in the shape's own frame; sizes as in MJCF.

    Examples:
        >>> print(poise.world.Box((0.6, 0.4, 0.02)).solids())
    """

    kind: str
    """plane, box, sphere, capsule, cylinder (long axis along its z) or mesh (the hull of ``vertices``)."""
    size: tuple[float, ...]
    """As MJCF has it for each kind [m]."""
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """[m]"""
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """A rotation vector [rad]."""
    vertices: Array | None = None
    """[m] (V, 3)"""


class Shape(ABC):
    """The geometry of a surface. Subclasses are frozen dataclasses with a ``kind``, which registers them.

    Examples:
        >>> print(sorted(poise.world.Shape.kinds))
    """

    kind: ClassVar[str] = ""
    kinds: ClassVar[dict[str, type[Shape]]] = {}
    """All there are, by name."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.kind:
            Shape.kinds[cls.kind] = cls

    @abstractmethod
    def gap(self, places: Array) -> tuple[Array, Array]:
        """Gaps (…,) and normals (…, 3) at places (…, 3) of the surface's own frame."""

    @abstractmethod
    def mesh(self, extent: Array | None = None) -> Triangles:
        """Triangles for drawing, in the own frame; what is endless is drawn under places (…, 3)."""

    def solids(self) -> tuple[Convex, ...] | None:
        """The convex solids that it is made of; None where it is made of none."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Plain data: ``kind`` and its fields."""
        return {"kind": self.kind, **{f.name: plain(getattr(self, f.name)) for f in fields(self)}}  # type: ignore[arg-type]

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Shape:
        """A shape from plain data."""
        kind = data.get("kind")
        if not isinstance(kind, str) or kind not in Shape.kinds:
            raise UnknownNameError("kind of surface", str(kind), Shape.kinds)
        cls, rest = Shape.kinds[kind], {k: v for k, v in data.items() if k != "kind"}
        for name in rest:
            if name not in (own := [f.name for f in fields(cls)]):  # type: ignore[arg-type]
                raise UnknownNameError("field", name, own, where=f"a {kind}")
        try:
            return cls(**rest)
        except TypeError as problem:
            raise InputError(f"a {kind} cannot be built from {repr(rest)}: {problem}") from None


def number(value: Any, name: str) -> float:
    """One finite number."""
    if isinstance(value, str | bool):
        raise InputError(f"{name} must be a number, not {value!r}")
    return float(checked(value, name, (), most=FARTHEST))


def numbers(values: Any, name: str, count: int) -> tuple[Any, ...]:
    """So many finite numbers."""
    return tuple(float(v) for v in checked(values, name, (count,), most=FARTHEST))


def sizes(values: Any, name: str, count: int) -> tuple[Any, ...]:
    """So many positive numbers."""
    found = numbers(values, name, count)
    if min(found) < SMALLEST:
        raise InputError(f"{name} must be positive, {SMALLEST:g} or more, not {list(found)}")
    return found


def length(value: Any, name: str) -> float:
    """A number that is not negative."""
    found = number(value, name)
    if found < 0:
        raise InputError(f"{name} must not be negative, not {found:g}")
    return found


def unit(ways: Array, lengths: Array) -> Array:
    """Ways (…, 3) of given lengths made unit; upwards where there is none."""
    up = np.array([0.0, 0.0, 1.0])
    safe = np.maximum(lengths, 1e-12)[..., None]
    return np.where((lengths > 1e-12)[..., None], ways / safe, up)


def dot(ways: Array, way: Any) -> Array:
    """ways (…, 3) · way (3,), to the same bits whatever stands beside them."""
    return np.asarray(ways[..., 0] * way[0] + ways[..., 1] * way[1] + ways[..., 2] * way[2])


def turned(turn: Array, ways: Array) -> Array:
    """turn (3, 3) · ways (…, 3), to the same bits whatever stands beside them."""
    return np.stack([dot(ways, turn[i]) for i in range(3)], axis=-1)


def on_top(aside: Array, above: Array, overhang: float) -> NDArray[np.bool_]:
    """Whether one is on a top, by how far one is beyond its edge and above it [m] (…,)."""
    return (aside < 0) | ((aside < overhang) & (above > -UNDER))


def plain(value: Any) -> Any:
    """As JSON has it."""
    return np.asarray(value).tolist() if isinstance(value, np.ndarray | tuple) else value
