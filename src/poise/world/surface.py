"""Surfaces: what a body may stand, sit, lie, lean on, run into or hang from. Frozen data, each with a name.

A surface is a shape somewhere in the world. One that moves has a *track*, the keys of a frame of its own, or
is *carried* by a body of a character; its place and turn then are those within that frame.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from reprlib import repr
from typing import Any, Literal, Self, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.world.shapes import Box, Ground, Shape, Triangles
from poise.world.shapes.shape import number, numbers, plain, turned
from poise.world.track import Pose, Track

FRICTION = 0.9
"""Of shoes and skin on floors, where nothing else is said: most pairs lie between 0.6 and 1.1."""
BOUNCE = 0.1
"""Of what limbs run into, where nothing else is said: walls and furniture give hardly anything back."""
LEAST_BOUNCE, MOST_BOUNCE = 0.02, 1.0
"""Below the least a contact would have to be damped so hard that it creeps out of a dent; what bounces by 1
or more never rests."""
Source = Literal["given", "found", "confirmed"]


class SurfaceFacts(TypedDict, total=False):
    """What may be said of a surface beside its place."""

    velocity: tuple[float, float, float]
    friction: float
    bounce: float
    muted: bool
    track: Track | None
    carried: str
    character: str
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
    """A shape somewhere in the world, with what is known of it.

    Raises:
        InputError: The name is empty, or a number is out of range.

    Examples:
        >>> belt = poise.world.Surface("belt", poise.world.Box((1.0, 0.3, 0.05)), velocity=(-1.2, 0.0, 0.0))
        >>> world = poise.world.World((poise.world.ground(), belt))
    """

    name: str
    """Not empty, and no other surface's."""
    shape: Shape
    """In its own frame."""
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of the shape's own frame [m]."""
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of the shape's own frame, as a rotation vector [rad]."""
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """With which its material moves on in place, as a treadmill's belt does [m/s]; it turns with a track."""
    friction: float = FRICTION
    """Coulomb's coefficient [≥ 0]."""
    bounce: float = BOUNCE
    """Speed that comes back over speed that came in, for what runs into it."""
    muted: bool = False
    """Whether it is out of the way: nothing touches it."""
    track: Track | None = None
    """How its frame moves."""
    carried: str = ""
    """The body that carries its frame; ``World.carried_by`` makes that a track."""
    character: str = ""
    """Whose body that is: the name of a clip; empty: the one that is looked at."""
    source: Source = "given"
    """Who says so: "given" with the clip, "found" in its motion, or found and "confirmed" since."""
    sure: float = 1.0
    """How sure it is that it is there, 0 … 1."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError("a surface needs a name")
        put, what = object.__setattr__, f"{self.name!r}"
        for name in ("place", "turn", "velocity"):
            put(self, name, numbers(getattr(self, name), f"{name} of {what}", 3))
        for name in ("friction", "bounce", "sure"):
            put(self, name, number(getattr(self, name), f"{name} of {what}"))
        if self.friction < 0:
            raise InputError(f"friction of {what} must not be negative, not {self.friction:g}")
        if not LEAST_BOUNCE <= self.bounce < MOST_BOUNCE:
            raise InputError(
                f"bounce of {what} must be from {LEAST_BOUNCE:g} to below {MOST_BOUNCE:g}, "
                f"not {self.bounce:g}"
            )
        if not 0 <= self.sure <= 1:
            raise InputError(f"sure of {what} must lie between 0 and 1, not {self.sure:g}")
        if self.source not in get_args(Source):
            raise UnknownNameError("source", str(self.source), get_args(Source), where=what)
        for name, kind in (("muted", bool), ("carried", str), ("character", str)):
            if not isinstance(getattr(self, name), kind):
                raise InputError(f"{name} of {what} must be a {kind.__name__}, not {getattr(self, name)!r}")
        if self.track is not None and not isinstance(self.track, Track):
            raise InputError(f"the track of {what} must be a Track, not {repr(self.track)}")
        if self.track is not None and self.carried:
            raise InputError(f"{what} has a track and is carried: give one of them")
        if self.character and not self.carried:
            raise InputError(f"{what} names a character, but not the body that carries it")

    # Where it is -----------------------------------------------------------------------------

    @property
    def moves(self) -> bool:
        """Whether it is elsewhere at other times."""
        return self.track is not None or bool(self.carried)

    def pose(self, time: ArrayLike = 0.0) -> Pose:
        """Where the shape's own frame is at times (…) [s], and how it moves."""
        own = so3.to_matrix(so3.exp(np.array(self.turn)))
        t = np.asarray(time, dtype=np.float64)
        if self.carried:
            raise InputError(
                f"{self.name!r} is carried by {self.carried!r}: ask World.carried_by(clip) for a world whose "
                "props follow a motion"
            )
        if self.track is None:
            still = np.zeros((*t.shape, 3))
            turn = np.broadcast_to(own, (*t.shape, 3, 3))
            return Pose(np.broadcast_to(np.array(self.place), still.shape), turn, still, still)
        frame = self.track.at(t)
        arm = frame.turn @ np.array(self.place)
        return Pose(
            frame.place + arm, frame.turn @ own, frame.velocity + np.cross(frame.spin, arm), frame.spin
        )

    def gap(self, places: ArrayLike, time: ArrayLike | None = None) -> tuple[Array, Array]:
        """Gaps (…,) [m] and normals (…, 3) at places (…, 3) of the world, at times (…) [s] where it moves.

        Times broadcast against the gaps: for places (F, P, 3) of F frames they are ``times[:, None]``.
        """
        p = np.asarray(places, dtype=np.float64)
        if not self.moves:
            p = p - self.place
            if not any(self.turn):
                return self.shape.gap(p)
            turn = so3.to_matrix(so3.exp(np.array(self.turn)))  # world from own
            gap, normal = self.shape.gap(turned(turn.T, p))
            return gap, turned(turn, normal)
        t = np.broadcast_to(np.asarray(0.0 if time is None else time, dtype=np.float64), p.shape[:-1])
        pose = self.pose(t)
        own = np.einsum("...ji,...j->...i", pose.turn, p - pose.place)
        gap, normal = self.shape.gap(own)
        if self.track is not None:
            gap = np.where(self.track.there(t), gap, np.inf)
        return gap, np.einsum("...ij,...j->...i", pose.turn, normal)

    def velocity_at(self, places: ArrayLike, time: ArrayLike | None = None) -> Array:
        """How its material moves at places (…, 3) of the world at times (…) [m/s] (…, 3).

        What is carried along with it is at rest relative to it.
        """
        p = np.asarray(places, dtype=np.float64)
        if not self.moves:
            return np.broadcast_to(np.array(self.velocity), p.shape)
        t = np.broadcast_to(np.asarray(0.0 if time is None else time, dtype=np.float64), p.shape[:-1])
        pose = self.pose(t)
        belt: Array = np.array(self.velocity)
        if any(self.velocity) and self.track is not None:
            belt = self.track.at(t).turn @ belt
        return np.asarray(pose.velocity + np.cross(pose.spin, p - pose.place) + belt)

    def at(self, time: float) -> Surface:
        """The same, standing where it is at a time [s]."""
        if not self.moves:
            return self
        pose = self.pose(time)
        turn = so3.log(so3.from_matrix(pose.turn))
        return replace(self, place=tuple(pose.place.tolist()), turn=tuple(turn.tolist()), track=None)

    def mesh(self, extent: ArrayLike | None = None, time: float = 0.0) -> Triangles:
        """Triangles for drawing, in the world at a time [s]; ground is drawn under places (…, 3)."""
        pose = self.pose(time)
        under = None
        if extent is not None:
            under = (np.reshape(np.asarray(extent, dtype=np.float64), (-1, 3)) - pose.place) @ pose.turn
        vertices, triangles = self.shape.mesh(under)
        return Triangles(vertices @ pose.turn.T + pose.place, triangles)

    # As data ---------------------------------------------------------------------------------

    def replaced(self, **changes: Unpack[SurfaceFields]) -> Self:
        """The same with other values."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for files."""
        found: dict[str, Any] = {"name": self.name, "shape": self.shape.to_dict()}
        for f in fields(self)[2:]:
            value = getattr(self, f.name)
            if value != f.default:
                found[f.name] = value.to_dict() if isinstance(value, Track) else plain(value)
        return found

    @classmethod
    def from_dict(cls, data: Any) -> Surface:
        """A surface from plain data."""
        if not isinstance(data, dict):
            raise InputError(f"a surface is written with its name and shape, not {repr(data)}")
        for name in data:
            if name not in (own := [f.name for f in fields(cls)]):
                raise UnknownNameError("field", name, own, where="a surface")
        if not isinstance(data.get("shape"), dict) or not isinstance(data.get("name"), str):
            raise InputError(f"a surface is written with its name and shape, not {repr(data)}")
        track = data.get("track")
        return cls(
            **(
                data
                | {"shape": Shape.from_dict(data["shape"])}
                | ({"track": Track.from_dict(track)} if track is not None else {})
            )
        )


def ground(
    height: float = 0.0,
    slope: tuple[float, float] = (0.0, 0.0),
    *,
    name: str = "floor",
    **more: Unpack[SurfaceFacts],
) -> Surface:
    """The floor.

    Args:
        height: At the origin [m].
        slope: Rise per metre along x and y.
        name: Of the surface.
        **more: ``velocity`` [m/s], ``friction`` [≥ 0], ``bounce``, ``muted``, ``track``, ``carried``,
            ``character``, ``source`` and ``sure``, as the fields of `Surface`.

    Returns:
        Surface: Endless ground.

    Raises:
        InputError: A number is out of range.

    Examples:
        >>> ice = poise.world.ground(friction=0.1)
    """
    return Surface(name, Ground(height, slope), **more)


def step(
    name: str,
    low: ArrayLike,
    high: ArrayLike,
    top: float,
    bottom: float = 0.0,
    **more: Unpack[SurfaceFacts],
) -> Surface:
    """A step or seat.

    Args:
        name: Of the surface.
        low: One of its corners (x, y) [m].
        high: The opposite corner (x, y) [m].
        top: Height of its top [m].
        bottom: Height of its underside [m].
        **more: ``velocity`` [m/s], ``friction`` [≥ 0], ``bounce``, ``muted``, ``track``, ``carried``,
            ``character``, ``source`` and ``sure``, as the fields of `Surface`.

    Returns:
        Surface: A box.

    Raises:
        InputError: A number is out of range.

    Examples:
        >>> seat = poise.world.step("seat", (-0.3, -0.25), (0.2, 0.25), top=0.45, bottom=0.4)
    """
    a, b = checked(low, f"corner of {name!r}", (2,)), checked(high, f"corner of {name!r}", (2,))
    depth = max(top - bottom, 0.01)
    wide, long = (max(0.5 * abs(float(d)), 0.01) for d in b - a)
    half = (wide, long, 0.5 * depth)
    middle = 0.5 * (a + b)
    return Surface(name, Box(half), (float(middle[0]), float(middle[1]), top - 0.5 * depth), **more)
