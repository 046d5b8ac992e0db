"""Ropes, wires and rails: lines through places, held from any side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.errors import InputError
from poise.manifold import so3
from poise.world.shapes.bar import capsule_mesh
from poise.world.shapes.shape import Convex, Shape, Triangles, dot, sizes, unit

SHORTEST = 1e-6
"""Two places nearer than this make no piece of a rope [m]."""


@dataclass(frozen=True, eq=False)
class Rope(Shape):
    """A rope, wire or rail: straight between places, round, held from any side.

    Examples:
        >>> rope = poise.world.Surface("rope", poise.world.Rope([(0, -2, 1.2), (0, 0, 1.0), (0, 2, 1.2)]))
    """

    places: ArrayLike
    """That it goes through (K, 3) [m]."""
    radius: float = 0.015
    """[m]"""
    kind: ClassVar[str] = "rope"

    def __post_init__(self) -> None:
        places = checked(self.places, "places of a rope", (None, 3), most=FARTHEST)
        if len(places) < 2 or np.linalg.norm(np.diff(places, axis=0), axis=1).min() < SHORTEST:
            raise InputError("a rope needs at least two places, no two in a row the same")
        object.__setattr__(self, "places", frozen(places))
        object.__setattr__(self, "radius", sizes((self.radius,), "the radius of a rope", 1)[0])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rope) or self.radius != other.radius:
            return False
        return np.array_equal(np.asarray(self.places), np.asarray(other.places))

    def __hash__(self) -> int:
        return hash((self.radius, np.asarray(self.places).tobytes()))

    def gap(self, places: Array) -> tuple[Array, Array]:
        line = np.asarray(self.places)
        best = np.full(places.shape[:-1], np.inf)
        off = np.zeros(places.shape)
        for a, b in pairwise(line):
            along = b - a
            s = np.clip(dot(places - a, along) / (along @ along), 0.0, 1.0)
            way = places - (a + s[..., None] * along)
            away = np.linalg.norm(way, axis=-1)
            nearer = away < best
            best, off = np.where(nearer, away, best), np.where(nearer[..., None], way, off)
        return best - self.radius, unit(off, best)

    def mesh(self, extent: Array | None = None) -> Triangles:
        vertices, triangles, count = [], [], 0
        for part in self.solids():
            piece = capsule_mesh(*part.size)
            turn = so3.to_matrix(so3.exp(np.array(part.turn)))
            vertices.append(piece.vertices @ turn.T + part.place)
            triangles.append(piece.triangles + count)
            count += len(piece.vertices)
        return Triangles(np.concatenate(vertices), np.concatenate(triangles))

    def solids(self) -> tuple[Convex, ...]:
        found = []
        line = np.asarray(self.places)
        for a, b in pairwise(line):
            x, y, z = (float(v) for v in 0.5 * (a + b))
            u, v, w = (float(r) for r in so3.log(so3.between((0.0, 0.0, 1.0), b - a)))
            half = 0.5 * float(np.linalg.norm(b - a))
            found.append(Convex("capsule", (self.radius, half), (x, y, z), (u, v, w)))
        return tuple(found)
