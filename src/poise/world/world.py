"""The world around a motion: its surfaces, and which of them lies below a place at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from reprlib import repr
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.world.shapes import Ground
from poise.world.surface import Surface, ground
from poise.world.track import Track

if TYPE_CHECKING:
    from poise.motion import Clip

REACH = 0.12
"""One who is deeper than this inside a thing does not stand on it [m]; ground has no other side."""
LOWERED, TOUCHES = 40, 1e-5
"""Steps in which something is let down onto a surface, and the gap at which it lies there [m]."""
STEEP = 0.5
"""Ground whose normal rises less than this is a wall and no floor."""


class Below(NamedTuple):
    """What lies below, beside or above places, whichever is nearest.

    Examples:
        >>> world = poise.world.World.flat()
        >>> print(world.below([(0.0, 0.0, 0.5)], radius=0.1).gap)
    """

    gap: Array
    """[m], negative inside; infinite where there is nothing (…,)."""
    normal: Array
    """Away from the surface (…, 3)."""
    surface: IntArray
    """Which; −1: none (…,)."""


@dataclass(frozen=True)
class World:
    """Surfaces by name. Nothing is added to it unless someone says so.

    Raises:
        InputError: Two surfaces have the same name.

    Examples:
        >>> world = poise.world.World((poise.world.ground(), poise.world.step("step", (1, -1), (2, 1), 0.2)))
        >>> report = poise.check(poise.clips.get("walk"), world=world).report
    """

    surfaces: tuple[Surface, ...] = ()
    """Each has a name of its own."""

    def __post_init__(self) -> None:
        count = Counter(s.name for s in self.surfaces)
        twice = sorted(name for name, times in count.items() if times > 1)
        if twice:
            raise InputError(f"surfaces need different names; there are several called {twice[0]!r}")

    @classmethod
    def flat(cls, height: float = 0.0) -> World:
        """Level ground and nothing else."""
        return cls((ground(height),))

    def __getitem__(self, name: str) -> Surface:
        for surface in self.surfaces:
            if surface.name == name:
                return surface
        raise UnknownNameError("surface", name, [s.name for s in self.surfaces])

    @property
    def floor(self) -> Surface | None:
        """The first ground there is that one can stand on."""
        return next((s for s in self.surfaces if isinstance(s.shape, Ground) and _rises(s)), None)

    @property
    def moves(self) -> bool:
        """Whether any of its surfaces is elsewhere at other times."""
        return any(s.moves for s in self.surfaces)

    @property
    def questions(self) -> tuple[Surface, ...]:
        """Surfaces that nobody gave or confirmed, but for the floor."""
        return tuple(s for s in self.surfaces if s.source == "found" and s is not self.floor)

    def with_surfaces(self, surfaces: Iterable[Surface]) -> World:
        """With more surfaces; those of the same name are replaced."""
        found = {s.name: s for s in self.surfaces}
        found.update((s.name, s) for s in surfaces)
        return World(tuple(found.values()))

    def without(self, name: str) -> World:
        """Without one of its surfaces."""
        gone = self[name]
        return World(tuple(s for s in self.surfaces if s is not gone))

    def confirmed(self, *names: str) -> World:
        """With surfaces (all that were found, if none is named) no longer in question."""
        chosen = [self[n] for n in names] or list(self.surfaces)
        return World(
            tuple(
                s.replaced(source="confirmed", sure=1.0) if s in chosen and s.source == "found" else s
                for s in self.surfaces
            )
        )

    def at(self, time: float) -> World:
        """The same, standing as it is at a time [s]."""
        return World(tuple(s.at(time) for s in self.surfaces)) if self.moves else self

    def turned(self, angle: float) -> World:
        """All of it turned about the vertical through the origin [rad]."""
        return World(tuple(_turned(s, angle) for s in self.surfaces)) if angle else self

    def carried_by(self, clip: Clip | None, others: Mapping[str, Clip] | None = None) -> World:
        """With props that bodies carry on tracks of their own: those of a clip, and of ``others`` by name.

        Without a clip, what its own bodies carry stays as it is."""
        if not any(s.carried for s in self.surfaces):
            return self
        return World(tuple(_followed(s, clip, others or {}) for s in self.surfaces))

    def below(self, places: ArrayLike, radius: ArrayLike = 0.0, time: ArrayLike | None = None) -> Below:
        """The nearest surface to balls of a ``radius`` (…) about places (…, 3), and the gap between them.

        ``time`` (…) [s] says when, where surfaces move: it broadcasts as the radius does, so for places
        (F, P, 3) of F frames it is ``times[:, None]``.
        """
        p = np.asarray(places, dtype=np.float64)
        r = np.broadcast_to(np.asarray(radius, dtype=np.float64), p.shape[:-1])
        best = np.full(p.shape[:-1], np.inf)
        normal = np.zeros(p.shape)
        normal[..., 2] = 1.0
        which = np.full(p.shape[:-1], -1)
        for k, surface in enumerate(self.surfaces):
            if surface.muted:
                continue
            gap, away = surface.gap(p, time)
            gap = gap - r
            near = gap < best
            if not isinstance(surface.shape, Ground):
                near &= gap > -REACH
            best = np.where(near, gap, best)
            normal = np.where(near[..., None], away, normal)
            which = np.where(near, k, which)
        return Below(best, normal, which)

    def under(self, places: ArrayLike) -> tuple[Array, Array]:
        """Where something let down from places (N, 3) comes to lie [m] (N, 3), and the surface's normal there
        (N, 3); where there is nothing, the places themselves."""
        at = np.array(places, dtype=np.float64)
        for _ in range(LOWERED):  # no surface is nearer than its gap
            gap = self.below(at).gap
            gap = np.where(np.isfinite(gap), gap, 0.0)
            at[:, 2] -= np.maximum(gap, 0.0)
            if np.abs(gap).max(initial=0.0) < TOUCHES:
                break
        return at, self.below(at).normal

    def clearance(self, places: ArrayLike, radius: ArrayLike = 0.0, time: ArrayLike | None = None) -> Array:
        """How far balls of a ``radius`` (…) about places (…, 3) are from all there is, however deep inside
        [m]; infinite where there is nothing (…,)."""
        p = np.asarray(places, dtype=np.float64)
        solid = [_solid(s).gap(p, time)[0] for s in self.surfaces if not s.muted]
        return np.minimum.reduce([np.full(p.shape[:-1], np.inf), *solid]) - radius

    def top(self, x: float, y: float, time: float = 0.0, *, high: float = 100.0) -> float:
        """Height of what a thing falls on that is let go high above a place of the plan [m]; −∞: nothing.

        It goes down by its distance from everything until there is none left.
        """
        z = high
        for _ in range(200):
            gap = float(self.clearance(np.array([x, y, z]), time=time))
            if gap < 1e-9 or z < -high:
                break
            z -= gap
        return z if z > -high else -np.inf

    def velocity(self, places: ArrayLike, surface: IntArray, time: ArrayLike | None = None) -> Array:
        """How surfaces (by number (…,), −1: none) move at places (…, 3) and times [m/s] (…, 3).

        What moves with the surface it is on is at rest: belts, lifts, carried trays.
        """
        p = np.asarray(places, dtype=np.float64)
        found = np.zeros(p.shape)
        for k, each in enumerate(self.surfaces):
            if each.moves or any(each.velocity):
                found = np.where((surface == k)[..., None], each.velocity_at(p, time), found)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data for files."""
        return {"surfaces": [s.to_dict() for s in self.surfaces]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> World:
        """A world from plain data."""
        listed = data.get("surfaces", []) if isinstance(data, Mapping) else None
        if not isinstance(listed, list | tuple) or set(data) - {"surfaces"}:
            raise InputError(f"a world is written as a list of surfaces, not {repr(data)}")
        return cls(tuple(Surface.from_dict(s) for s in listed))


def _solid(surface: Surface) -> Surface:
    """The thing itself: one may stand with a foot over the edge of a step, nothing is there."""
    if not getattr(surface.shape, "overhang", 0.0):
        return surface
    return surface.replaced(shape=replace(surface.shape, overhang=0.0))  # type: ignore[type-var]


def _rises(surface: Surface) -> bool:
    assert isinstance(surface.shape, Ground)
    if not any(surface.turn):
        return True
    turn = so3.to_matrix(so3.exp(np.array(surface.turn)))
    return float((turn @ surface.shape.normal)[2]) > STEEP


def _turned(surface: Surface, angle: float) -> Surface:
    about = so3.exp(np.array([0.0, 0.0, angle]))
    if surface.carried:
        return surface
    way = so3.rotate(about, np.array(surface.velocity))
    x, y, z = (float(v) for v in way)
    if surface.track is not None:
        old = surface.track
        turns = np.zeros((len(np.asarray(old.times)), 3)) if old.turns is None else np.asarray(old.turns)
        track = Track(
            old.times,
            so3.rotate(about, np.asarray(old.places)),
            so3.log(so3.multiply(about, so3.exp(turns))),
            old.appears,
        )
        return surface.replaced(track=track)
    a, b, c = (float(v) for v in so3.rotate(about, np.array(surface.place)))
    u, v, w = (float(r) for r in so3.log(so3.multiply(about, so3.exp(np.array(surface.turn)))))
    return surface.replaced(place=(a, b, c), turn=(u, v, w), velocity=(x, y, z))


def _followed(surface: Surface, clip: Clip | None, others: Mapping[str, Clip]) -> Surface:
    """A prop on the track of the body that carries it."""
    if not surface.carried:
        return surface
    if surface.character and surface.character not in others:
        raise UnknownNameError("clip", surface.character, others, where=f"what carries {surface.name!r}")
    by = others[surface.character] if surface.character else clip
    if by is None:
        return surface
    body = by.character.index(surface.carried)
    found = by.character.placement(by.q)
    turns = so3.log(so3.from_matrix(found.rotations[:, body]))
    return surface.replaced(track=Track(by.times, found.positions[:, body], turns), carried="", character="")
