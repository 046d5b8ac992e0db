"""Surfaces: what a body may stand, sit, lie, lean on or hang from. Frozen data, each with a name.

A shape tells of places x how far they are outside it, and which way leads straight away from it:

    gap(x) [m], negative inside          normal(x), unit

Ground and the tops of boxes measure along their own normal, so that a foot that hangs over the edge of a
step is still on it; beside a box, and for balls and bars, the gap is the distance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from reprlib import repr
from typing import Any, ClassVar, Literal, Self, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3

FRICTION = 0.9
"""Of shoes and skin on floors, where nothing else is said: most pairs lie between 0.6 and 1.1."""
OVERHANG = 0.12
"""So far beyond its edge a sole still stands on the top of a box [m]: half a foot."""
SMALLEST = 1e-6
"""No edge, radius or spacing is smaller [m]: places divided by it are still whole numbers of 64 bits."""
Source = Literal["given", "found", "confirmed"]


class Shape(ABC):
    """The geometry of a surface. Subclasses are frozen dataclasses with a ``kind``, which registers them."""

    kind: ClassVar[str] = ""
    _kinds: ClassVar[dict[str, type[Shape]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.kind:
            Shape._kinds[cls.kind] = cls

    @abstractmethod
    def gap(self, places: Array) -> tuple[Array, Array]:
        """Gaps (…,) and normals (…, 3) at places (…, 3) of the surface's own frame."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data: ``kind`` and what differs from the defaults."""
        return {"kind": self.kind, **{f.name: _plain(getattr(self, f.name)) for f in fields(self)}}  # type: ignore[arg-type]

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Shape:
        """A shape from plain data."""
        kind = data.get("kind")
        if not isinstance(kind, str) or kind not in Shape._kinds:
            raise UnknownNameError("kind of surface", str(kind), Shape._kinds)
        cls, rest = Shape._kinds[kind], {k: v for k, v in data.items() if k != "kind"}
        for name in rest:
            if name not in (own := [f.name for f in fields(cls)]):  # type: ignore[arg-type]
                raise UnknownNameError("field", name, own, where=f"a {kind}")
        try:
            return cls(**rest)
        except TypeError as problem:
            raise InputError(f"a {kind} cannot be built from {repr(rest)}: {problem}") from None


@dataclass(frozen=True)
class Ground(Shape):
    """Endless ground z = height + slope · (x, y)."""

    height: float = 0.0
    """At the origin [m]."""
    slope: tuple[float, float] = (0.0, 0.0)
    """Rise per metre along x and y."""
    kind: ClassVar[str] = "ground"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "height", _number(self.height, "the height of the ground"))
        put(self, "slope", _numbers(self.slope, "the slope of the ground", 2))

    def gap(self, places: Array) -> tuple[Array, Array]:
        normal = np.array([-self.slope[0], -self.slope[1], 1.0])
        normal /= np.linalg.norm(normal)
        return (places - [0.0, 0.0, self.height]) @ normal, np.broadcast_to(normal, places.shape)

    def level(self, places: ArrayLike) -> Array:
        """Height of the ground below or above places (…, 3) [m]."""
        p = np.asarray(places, dtype=np.float64)
        return np.asarray(self.height + p[..., 0] * self.slope[0] + p[..., 1] * self.slope[1])


@dataclass(frozen=True)
class Box(Shape):
    """A box by its half edges; its top is the face along its own z."""

    half: tuple[float, float, float] = (0.5, 0.5, 0.5)
    """[m]"""
    overhang: float = OVERHANG
    """How far beyond an edge of the top one still stands on it [m]."""
    kind: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "half", _sizes(self.half, "half edges of a box", 3))
        put(self, "overhang", _number(self.overhang, "the overhang of a box"))

    def gap(self, places: Array) -> tuple[Array, Array]:
        out = np.abs(places) - self.half
        beyond = np.maximum(out, 0.0)
        away = np.linalg.norm(beyond, axis=-1)
        inside = np.max(out, axis=-1)
        face = np.argmax(out, axis=-1)[..., None] == np.arange(3)
        sign = np.where(places < 0, -1.0, 1.0)
        normal = np.where(
            (away > 0)[..., None], beyond / np.maximum(away, 1e-300)[..., None], face.astype(float)
        )
        normal = normal * sign
        gap = np.where(away > 0, away, inside)
        over = (out[..., :2] < self.overhang).all(axis=-1) & (places[..., 2] > 0)
        return (
            np.where(over, out[..., 2], gap),
            np.where(over[..., None], [0.0, 0.0, 1.0], normal),
        )


@dataclass(frozen=True)
class Ball(Shape):
    """A ball."""

    radius: float = 0.12
    """[m]"""
    kind: ClassVar[str] = "ball"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _sizes((self.radius,), "the radius of a ball", 1)[0])

    def gap(self, places: Array) -> tuple[Array, Array]:
        away = np.linalg.norm(places, axis=-1)
        return away - self.radius, _unit(places, away)


@dataclass(frozen=True)
class Bar(Shape):
    """A bar or rope along its own x, held from any side."""

    length: float = 2.0
    """[m]"""
    radius: float = 0.02
    """[m]"""
    kind: ClassVar[str] = "bar"

    def __post_init__(self) -> None:
        length, radius = _sizes((self.length, self.radius), "length and radius of a bar", 2)
        object.__setattr__(self, "length", length)
        object.__setattr__(self, "radius", radius)

    def gap(self, places: Array) -> tuple[Array, Array]:
        along = np.clip(places[..., 0], -0.5 * self.length, 0.5 * self.length)
        off = places - along[..., None] * [1.0, 0.0, 0.0]
        away = np.linalg.norm(off, axis=-1)
        return away - self.radius, _unit(off, away)


@dataclass(frozen=True, eq=False)
class Field(Shape):
    """Uneven ground: heights [m] over a grid, bilinear between; beyond the grid there is nothing."""

    heights: ArrayLike
    """Along x, then y (nx, ny) [m]."""
    spacing: float = 0.1
    """Of the grid [m]; its first corner lies at the surface's own origin."""
    kind: ClassVar[str] = "field"

    def __post_init__(self) -> None:
        heights = checked(self.heights, "heights of a field", (None, None), most=FARTHEST)
        if min(heights.shape) < 2:
            raise InputError(f"a field needs at least 2 × 2 heights, not {heights.shape}")
        object.__setattr__(self, "heights", frozen(heights))
        object.__setattr__(self, "spacing", _sizes((self.spacing,), "the spacing of a field", 1)[0])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Field) or self.spacing != other.spacing:
            return False
        return np.array_equal(np.asarray(self.heights), np.asarray(other.heights))

    def __hash__(self) -> int:
        return hash((self.spacing, np.asarray(self.heights).tobytes()))

    def gap(self, places: Array) -> tuple[Array, Array]:
        z = np.asarray(self.heights)
        u = places[..., :2] / self.spacing
        there = ((u >= 0) & (u <= np.array(z.shape) - 1)).all(axis=-1)
        cell = np.clip(np.floor(u).astype(np.int64), 0, np.array(z.shape) - 2)
        i, j = cell[..., 0], cell[..., 1]
        s, t = np.moveaxis(np.clip(u - cell, 0.0, 1.0), -1, 0)
        a, b, c, d = z[i, j], z[i + 1, j], z[i, j + 1], z[i + 1, j + 1]
        level = (1 - s) * (1 - t) * a + s * (1 - t) * b + (1 - s) * t * c + s * t * d
        rise = (
            np.stack([(1 - t) * (b - a) + t * (d - c), (1 - s) * (c - a) + s * (d - b)], axis=-1)
            / self.spacing
        )
        normal = np.concatenate([-rise, np.ones((*rise.shape[:-1], 1))], axis=-1)
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        return np.where(there, (places[..., 2] - level) * normal[..., 2], np.inf), normal


class SurfaceFacts(TypedDict, total=False):
    """What may be said of a surface beside its place."""

    velocity: tuple[float, float, float]
    friction: float
    source: Source
    sure: float


class SurfaceFields(SurfaceFacts, total=False):
    """All that a surface is made of."""

    name: str
    shape: Shape
    place: tuple[float, float, float]
    turn: tuple[float, float, float]


@dataclass(frozen=True)
class Surface:
    """A shape somewhere in the world, with what is known of it."""

    name: str
    shape: Shape
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of the shape's own frame [m]."""
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of the shape's own frame, as a rotation vector [rad]."""
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """With which its material moves on in place, as a treadmill's belt does [m/s]."""
    friction: float = FRICTION
    source: Source = "given"
    """Who says so: "given" with the clip, "found" in its motion, or found and "confirmed" since."""
    sure: float = 1.0
    """How sure it is that it is there, 0 … 1."""

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError("a surface needs a name")
        put = object.__setattr__
        for name in ("place", "turn", "velocity"):
            put(self, name, _numbers(getattr(self, name), f"{name} of {self.name!r}", 3))
        for name in ("friction", "sure"):
            put(self, name, _number(getattr(self, name), f"{name} of {self.name!r}"))
        if self.friction < 0:
            raise InputError(f"friction of {self.name!r} must not be negative, not {self.friction:g}")
        if not 0 <= self.sure <= 1:
            raise InputError(f"sure of {self.name!r} must lie between 0 and 1, not {self.sure:g}")
        if self.source not in get_args(Source):
            raise UnknownNameError("source", str(self.source), get_args(Source), where=f"{self.name!r}")

    def gap(self, places: ArrayLike) -> tuple[Array, Array]:
        """Gaps (…,) [m] and normals (…, 3) at places (…, 3) of the world."""
        p = np.asarray(places, dtype=np.float64) - self.place
        if not any(self.turn):
            return self.shape.gap(p)
        turn = so3.to_matrix(so3.exp(np.array(self.turn)))  # world from own
        gap, normal = self.shape.gap(p @ turn)
        return gap, normal @ turn.T

    def replaced(self, **changes: Unpack[SurfaceFields]) -> Self:
        """The same with other values."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for files."""
        found: dict[str, Any] = {"name": self.name, "shape": self.shape.to_dict()}
        for f in fields(self)[2:]:
            value = getattr(self, f.name)
            if value != f.default:
                found[f.name] = _plain(value)
        return found

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Surface:
        """A surface from plain data."""
        for name in data:
            if name not in (own := [f.name for f in fields(cls)]):
                raise UnknownNameError("field", name, own, where="a surface")
        if not isinstance(data.get("shape"), dict) or not isinstance(data.get("name"), str):
            raise InputError(f"a surface is written with its name and shape, not {repr(data)}")
        return cls(**(data | {"shape": Shape.from_dict(data["shape"])}))


def ground(
    height: float = 0.0,
    slope: tuple[float, float] = (0.0, 0.0),
    *,
    name: str = "floor",
    **more: Unpack[SurfaceFacts],
) -> Surface:
    """The floor, at a height [m]; with a slope where it is tilted."""
    return Surface(name, Ground(height, slope), **more)


def step(
    name: str,
    low: ArrayLike,
    high: ArrayLike,
    top: float,
    bottom: float = 0.0,
    **more: Unpack[SurfaceFacts],
) -> Surface:
    """A step or seat between two corners (x, y) [m], from ``bottom`` to ``top``."""
    a, b = checked(low, f"corner of {name!r}", (2,)), checked(high, f"corner of {name!r}", (2,))
    depth = max(top - bottom, 0.01)
    wide, long = (max(0.5 * abs(float(d)), 0.01) for d in b - a)
    half = (wide, long, 0.5 * depth)
    middle = 0.5 * (a + b)
    return Surface(name, Box(half), (float(middle[0]), float(middle[1]), top - 0.5 * depth), **more)


def _number(value: Any, name: str) -> float:
    if isinstance(value, str | bool):
        raise InputError(f"{name} must be a number, not {value!r}")
    return float(checked(value, name, (), most=FARTHEST))


def _numbers(values: Any, name: str, count: int) -> tuple[Any, ...]:
    return tuple(float(v) for v in checked(values, name, (count,), most=FARTHEST))


def _sizes(values: Any, name: str, count: int) -> tuple[Any, ...]:
    found = _numbers(values, name, count)
    if min(found) < SMALLEST:
        raise InputError(f"{name} must be positive, {SMALLEST:g} or more, not {list(found)}")
    return found


def _unit(ways: Array, lengths: Array) -> Array:
    up = np.array([0.0, 0.0, 1.0])
    safe = np.maximum(lengths, 1e-12)[..., None]
    return np.where((lengths > 1e-12)[..., None], ways / safe, up)


def _plain(value: Any) -> Any:
    return np.asarray(value).tolist() if isinstance(value, np.ndarray | tuple) else value
