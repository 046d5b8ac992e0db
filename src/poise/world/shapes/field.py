"""Uneven ground as heights over a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.errors import InputError
from poise.world.shapes.shape import Shape, Triangles, sizes


@dataclass(frozen=True, eq=False)
class Field(Shape):
    """Uneven ground: heights [m] over a grid, bilinear between; beyond the grid there is nothing.

    Examples:
        >>> heights = [[0.0, 0.05, 0.0], [0.0, 0.08, 0.02], [0.0, 0.0, 0.0]]
        >>> meadow = poise.world.Surface("meadow", poise.world.Field(heights, spacing=0.5))
    """

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
        object.__setattr__(self, "spacing", sizes((self.spacing,), "the spacing of a field", 1)[0])

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
        cell = np.clip(np.floor(u), 0, np.array(z.shape) - 2).astype(np.int64)
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

    def mesh(self, extent: Array | None = None) -> Triangles:
        z = np.asarray(self.heights)
        wide, long = z.shape
        x, y = np.meshgrid(np.arange(wide), np.arange(long), indexing="ij")
        vertices = np.column_stack([x.ravel() * self.spacing, y.ravel() * self.spacing, z.ravel()])
        corner = (np.arange(wide - 1)[:, None] * long + np.arange(long - 1)).ravel()
        ahead, aside = corner + long, corner + 1
        triangles = np.concatenate(
            [np.column_stack([corner, ahead, ahead + 1]), np.column_stack([corner, ahead + 1, aside])]
        )
        return Triangles(vertices, triangles)
