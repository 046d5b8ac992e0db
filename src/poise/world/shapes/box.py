"""Boxes: tables, seats, walls, single steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.world.shapes.shape import OVERHANG, Convex, Shape, Triangles, length, on_top, sizes

CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
"""Of a box of half edges 1."""
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
     [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""Two triangles of each side, by corners."""


@dataclass(frozen=True)
class Box(Shape):
    """A box by its half edges; its top is the face along its own z.

    Examples:
        >>> table = poise.world.Surface("table", poise.world.Box((0.6, 0.4, 0.02)), place=(1.0, 0.0, 0.73))
    """

    half: tuple[float, float, float] = (0.5, 0.5, 0.5)
    """[m]"""
    overhang: float = OVERHANG
    """How far beyond an edge of the top one still stands on it [m]."""
    kind: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "half", sizes(self.half, "half edges of a box", 3))
        put(self, "overhang", length(self.overhang, "the overhang of a box"))

    def gap(self, places: Array) -> tuple[Array, Array]:
        out = np.abs(places) - self.half
        gap, normal = box_distance(places, out)
        over = on_top(out[..., :2].max(axis=-1), out[..., 2], self.overhang) & (places[..., 2] > 0)
        return (
            np.where(over, out[..., 2], gap),
            np.where(over[..., None], [0.0, 0.0, 1.0], normal),
        )

    def mesh(self, extent: Array | None = None) -> Triangles:
        return Triangles(CORNERS * self.half, FACES)

    def solids(self) -> tuple[Convex, ...]:
        return (Convex("box", self.half),)


def box_distance(places: Array, out: Array) -> tuple[Array, Array]:
    """Distance to a box about the origin, and the way off, from |x| − half (…, 3)."""
    beyond = np.maximum(out, 0.0)
    away = np.linalg.norm(beyond, axis=-1)
    inside = np.max(out, axis=-1)
    face = np.argmax(out, axis=-1)[..., None] == np.arange(3)
    sign = np.where(places < 0, -1.0, 1.0)
    normal = np.where((away > 0)[..., None], beyond / np.maximum(away, 1e-300)[..., None], face.astype(float))
    return np.where(away > 0, away, inside), normal * sign
