"""Something thin on a bone: a sheet of cloth or a strand, and the mesh that is seen of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array, IntArray
from poise.dynamics.cloth import Sheet

AROUND = 10
"""Vertices around a strand."""


@dataclass(frozen=True, eq=False)
class Garment:
    """A sheet or strand, in the frame of the bone that holds it."""

    name: str
    bone: str
    colour: tuple[float, float, float]
    """Linear RGB."""
    sheet: Sheet
    faces: IntArray
    """Triangles of what is seen, (T, 3)."""
    seen: IntArray
    """Vertex of the sheet that each vertex of the mesh is, (N,); of strands empty."""
    radii: Array
    """Of a strand at its beads [m], (V,); of sheets empty."""
    gravity: Array
    """What it feels [m/s²], (3,)."""
    ratio: float
    """Damping ratio of its slowest swing, by the air."""
    friction: float
    skin: float
    """Distance kept from what it touches [m]."""

    def __repr__(self) -> str:
        kind = "strand" if len(self.radii) else "sheet"
        return (
            f"Garment({self.name!r} on {self.bone}, a {kind} of {len(self.sheet.points)} vertices, "
            f"{len(self.sheet.held)} of them held, {self.sheet.slowest / (2 * np.pi):.2g} Hz)"
        )

    @property
    def drag(self) -> float:
        """Of the air [1/s]: α = 2 ζ ω₁."""
        return 2 * self.ratio * self.sheet.slowest

    @cached_property
    def diameter(self) -> float:
        """[m]."""
        return float(np.linalg.norm(np.ptp(self.sheet.points, axis=0)))

    def mesh(self, places: Array) -> Array:
        """Vertices that are seen (F, N, 3), of a sheet whose own are at places (F, V, 3)."""
        return tube(places, self.radii) if len(self.radii) else np.asarray(places[:, self.seen])


def tube(lines: Array, radii: Array) -> Array:
    """Rings around lines (F, V, 3) and a point at each end, (F, AROUND V + 2, 3).

    The first ring's direction is carried along the line without twisting: nothing flips from frame to frame.
    """
    way = np.gradient(lines, axis=1)
    way /= np.maximum(np.linalg.norm(way, axis=2, keepdims=True), 1e-12)
    # From what stays: the axis least along the strand's start over all frames.
    start = np.eye(3)[int(np.abs(way[:, 0]).max(axis=0).argmin())]
    side = start - way[:, 0] * (way[:, 0] @ start)[:, None]
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    rings = []
    for k in range(lines.shape[1]):
        side = side - way[:, k] * np.einsum("fi,fi->f", side, way[:, k])[:, None]
        side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
        across = np.cross(way[:, k], side)
        ring = np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * across[:, None]
        rings.append(lines[:, k, None] + radii[k] * ring)
    return np.concatenate([*rings, lines[:, :1], lines[:, -1:]], axis=1)


def tube_faces(beads: int) -> IntArray:
    """Triangles of a tube."""
    i = np.arange(AROUND)
    j = (i + 1) % AROUND
    rows = [
        np.stack([AROUND * k + i, AROUND * k + j, AROUND * (k + 1) + j, AROUND * (k + 1) + i], axis=1)
        for k in range(beads - 1)
    ]
    squares = np.concatenate(rows)
    first, last = AROUND * beads, AROUND * beads + 1
    ends = [
        np.stack([np.full(AROUND, first), j, i], axis=1),
        np.stack([np.full(AROUND, last), AROUND * (beads - 1) + i, AROUND * (beads - 1) + j], axis=1),
    ]
    return np.concatenate([squares[:, [0, 1, 2]], squares[:, [0, 2, 3]], *ends]).astype(np.int64)
