"""The world around a motion: its surfaces, and which of them lies below a place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from reprlib import repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.errors import InputError, UnknownNameError
from poise.world.surface import Ground, Surface, ground

REACH = 0.12
"""One who is deeper than this inside a thing does not stand on it [m]; ground has no other side."""


class Below(NamedTuple):
    """What lies below, beside or above places, whichever is nearest."""

    gap: Array
    """[m], negative inside; infinite where there is nothing (…,)."""
    normal: Array
    """Away from the surface (…, 3)."""
    surface: IntArray
    """Which; −1: none (…,)."""


@dataclass(frozen=True)
class World:
    """Surfaces by name. Nothing is added to it unless someone says so."""

    surfaces: tuple[Surface, ...] = ()

    def __post_init__(self) -> None:
        count = Counter(s.name for s in self.surfaces)
        twice = sorted(name for name, times in count.items() if times > 1)
        if twice:
            raise InputError(f"surfaces must have names of their own; there are several called {twice[0]!r}")

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
        """The first ground there is."""
        return next((s for s in self.surfaces if isinstance(s.shape, Ground)), None)

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

    def below(self, places: ArrayLike, radius: ArrayLike = 0.0) -> Below:
        """The nearest surface to balls of a ``radius`` (…) about places (…, 3), and the gap between them."""
        p = np.asarray(places, dtype=np.float64)
        r = np.broadcast_to(np.asarray(radius, dtype=np.float64), p.shape[:-1])
        best = np.full(p.shape[:-1], np.inf)
        normal = np.zeros(p.shape)
        normal[..., 2] = 1.0
        which = np.full(p.shape[:-1], -1)
        for k, surface in enumerate(self.surfaces):
            gap, away = surface.gap(p)
            gap = gap - r
            near = gap < best
            if not isinstance(surface.shape, Ground):
                near &= gap > -REACH
            best = np.where(near, gap, best)
            normal = np.where(near[..., None], away, normal)
            which = np.where(near, k, which)
        return Below(best, normal, which)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for files."""
        return {"surfaces": [s.to_dict() for s in self.surfaces]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> World:
        """A world from plain data."""
        listed = data.get("surfaces", []) if isinstance(data, Mapping) else None
        if not isinstance(listed, list | tuple) or set(data) - {"surfaces"}:
            raise InputError(f"a world is written as a list of surfaces, not {repr(data)}")
        for each in listed:
            if not isinstance(each, Mapping):
                raise InputError(f"a surface is written with its name and shape, not {repr(each)}")
        return cls(tuple(Surface.from_dict(dict(s)) for s in listed))
