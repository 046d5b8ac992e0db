"""Stairs: equal steps, declared at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.errors import InputError
from poise.world.shapes.shape import OVERHANG, Convex, Shape, Triangles, length, sizes

MOST_STEPS = 1000
"""More than any stairs have; a number beyond is a mistake."""


@dataclass(frozen=True)
class Stairs(Shape):
    """Solid stairs that climb along their own x from the origin; their middle is at y = 0.

    Step k = 1 … n covers x from (k − 1) run to k run, and its top is at z = k rise.

    Examples:
        >>> stairs = poise.world.Surface("stairs", poise.world.Stairs(steps=5), place=(1.0, 0.0, 0.0))
    """

    steps: int = 3
    """How many [≥ 1]."""
    rise: float = 0.17
    """Of each step [m]."""
    run: float = 0.29
    """From edge to edge [m]."""
    width: float = 1.0
    """[m]"""
    overhang: float = OVERHANG
    """How far beyond an edge one still stands on a step [m]."""
    kind: ClassVar[str] = "stairs"

    def __post_init__(self) -> None:
        put = object.__setattr__
        count: Any = self.steps
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_STEPS:
            raise InputError(f"stairs have 1 to {MOST_STEPS} steps, not {self.steps!r}")
        rise, run, width = sizes((self.rise, self.run, self.width), "rise, run and width of stairs", 3)
        put(self, "rise", rise)
        put(self, "run", run)
        put(self, "width", width)
        put(self, "overhang", length(self.overhang, "the overhang of stairs"))

    @property
    def corners(self) -> Array:
        """Of the side view, against the clock from the lowest edge (x, z) [m] (2 n + 2, 2)."""
        k = np.arange(self.steps)
        treads = np.stack(
            [
                np.column_stack([k * self.run, k * self.rise]),
                np.column_stack([k * self.run, (k + 1) * self.rise]),
            ],
            axis=1,
        ).reshape(-1, 2)
        end = [[self.steps * self.run, self.steps * self.rise], [self.steps * self.run, 0.0]]
        return np.concatenate([treads, end])[::-1]

    def gap(self, places: Array) -> tuple[Array, Array]:
        gap, normal = self._distance(places)
        top, found = self._tread(places)
        return np.where(found, top, gap), np.where(found[..., None], [0.0, 0.0, 1.0], normal)

    def _tread(self, places: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Gaps above the tread that a sole at places is on, and whether there is one.

        It is the highest that reaches there and is not more than half a step above the sole."""
        x, y, z = places[..., 0], places[..., 1], places[..., 2]
        reached = np.floor((x + self.overhang) / self.run).astype(np.int64) + 1
        climbed = np.floor(z / self.rise + 0.5).astype(np.int64)
        step = np.clip(np.minimum(reached, climbed), 1, self.steps)
        there = (x > (step - 1) * self.run - self.overhang) & (x < step * self.run + self.overhang)
        there &= (np.abs(y) < 0.5 * self.width + self.overhang) & (z > (step - 0.5) * self.rise)
        return z - step * self.rise, there

    def _distance(self, places: Array) -> tuple[Array, Array]:
        """Signed distance to the side view swept over the width, and the way off."""
        p = places[..., [0, 2]]
        corners = self.corners
        best = np.full(p.shape[:-1], np.inf)
        foot, face = np.zeros(p.shape), np.zeros(p.shape)
        inside = np.zeros(p.shape[:-1], dtype=bool)
        for a, b in zip(corners, np.roll(corners, -1, axis=0)):
            side = b - a
            s = np.clip(
                ((p[..., 0] - a[0]) * side[0] + (p[..., 1] - a[1]) * side[1]) / (side @ side), 0.0, 1.0
            )
            near = a + s[..., None] * side
            away = np.linalg.norm(p - near, axis=-1)
            closer = away < best
            best, foot = np.where(closer, away, best), np.where(closer[..., None], near, foot)
            face = np.where(closer[..., None], [side[1], -side[0]] / np.hypot(*side), face)
            crosses = (a[1] > p[..., 1]) != (b[1] > p[..., 1])
            if a[1] != b[1]:
                at = a[0] + (p[..., 1] - a[1]) / (b[1] - a[1]) * side[0]
                inside ^= crosses & (p[..., 0] < at)
        flat = np.where(inside, -best, best)  # in the side view
        aside = np.abs(places[..., 1]) - 0.5 * self.width
        way = (p - foot) / np.maximum(best, 1e-300)[..., None] * np.where(inside, -1.0, 1.0)[..., None]
        way = np.where((best > 1e-12)[..., None], way, face)
        in_view = np.stack([way[..., 0], np.zeros(p.shape[:-1]), way[..., 1]], axis=-1)
        sideways = np.where(places[..., 1] < 0, -1.0, 1.0)[..., None] * [0.0, 1.0, 0.0]
        out = np.stack([flat, aside], axis=-1)
        beyond = np.maximum(out, 0.0)
        away = np.linalg.norm(beyond, axis=-1)
        outside = away > 0
        outwards = (beyond[..., :1] * in_view + beyond[..., 1:] * sideways) / np.maximum(away, 1e-300)[
            ..., None
        ]
        inwards = np.where((flat > aside)[..., None], in_view, sideways)
        return np.where(outside, away, out.max(axis=-1)), np.where(outside[..., None], outwards, inwards)

    def mesh(self, extent: Array | None = None) -> Triangles:
        """Treads, risers, sides and what is below and behind: four corners for each piece."""
        w, n, back = 0.5 * self.width, self.steps, self.steps * self.run
        quads: list[list[list[float]]] = []
        for k in range(1, n + 1):
            a, b, low, top = (k - 1) * self.run, k * self.run, (k - 1) * self.rise, k * self.rise
            quads.append([[a, -w, top], [b, -w, top], [b, w, top], [a, w, top]])
            quads.append([[a, w, low], [a, -w, low], [a, -w, top], [a, w, top]])
            quads.append([[a, -w, 0.0], [b, -w, 0.0], [b, -w, top], [a, -w, top]])
            quads.append([[b, w, 0.0], [a, w, 0.0], [a, w, top], [b, w, top]])
        high = n * self.rise
        quads.append([[back, -w, 0.0], [back, w, 0.0], [back, w, high], [back, -w, high]])
        quads.append([[0.0, w, 0.0], [back, w, 0.0], [back, -w, 0.0], [0.0, -w, 0.0]])
        corner = 4 * np.arange(len(quads))[:, None]
        triangles = np.concatenate([corner + [0, 1, 2], corner + [0, 2, 3]])
        return Triangles(np.array(quads).reshape(-1, 3), triangles)

    def solids(self) -> tuple[Convex, ...]:
        """A box for each step, down to the ground."""
        return tuple(
            Convex(
                "box",
                (0.5 * self.run, 0.5 * self.width, 0.5 * k * self.rise),
                ((k - 0.5) * self.run, 0.0, 0.5 * k * self.rise),
            )
            for k in range(1, self.steps + 1)
        )
