"""Bars, held from any side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.world.shapes.revolved import revolved
from poise.world.shapes.shape import Convex, Shape, Triangles, sizes, unit

RINGS = 6
"""Of each round end as it is drawn."""
ALONG_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Turns z into x, x into y, y into z."""


@dataclass(frozen=True)
class Bar(Shape):
    """A bar along its own x with round ends, held from any side.

    Examples:
        >>> bar = poise.world.Surface("bar", poise.world.Bar(2.4, 0.014), place=(0.0, 0.0, 2.3))
    """

    length: float = 2.0
    """Between the middles of its round ends [m]."""
    radius: float = 0.02
    """[m]"""
    kind: ClassVar[str] = "bar"

    def __post_init__(self) -> None:
        long, radius = sizes((self.length, self.radius), "length and radius of a bar", 2)
        object.__setattr__(self, "length", long)
        object.__setattr__(self, "radius", radius)

    def gap(self, places: Array) -> tuple[Array, Array]:
        along = np.clip(places[..., 0], -0.5 * self.length, 0.5 * self.length)
        off = places - along[..., None] * [1.0, 0.0, 0.0]
        away = np.linalg.norm(off, axis=-1)
        return away - self.radius, unit(off, away)

    def mesh(self, extent: Array | None = None) -> Triangles:
        found = capsule_mesh(self.radius, 0.5 * self.length)
        return Triangles(found.vertices @ ALONG_X.T, found.triangles)

    def solids(self) -> tuple[Convex, ...]:
        return (Convex("capsule", (self.radius, 0.5 * self.length), turn=(0.0, 0.5 * np.pi, 0.0)),)


def capsule_mesh(radius: float, half: float) -> Triangles:
    """A rod along z with round ends."""
    angle = 0.5 * np.pi * np.arange(RINGS + 1) / RINGS
    radii = radius * np.concatenate([np.sin(angle), np.sin(angle[::-1])])
    heights = np.concatenate([-half - radius * np.cos(angle), half + radius * np.cos(angle[::-1])])
    return revolved(radii, heights)
