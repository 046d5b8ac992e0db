"""Endless ground, level or tilted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.manifold import so3
from poise.world.shapes.shape import Convex, Shape, Triangles, dot, number, numbers

MARGIN = 1.0
"""Ground is drawn so far beyond what stands on it [m]."""


@dataclass(frozen=True)
class Ground(Shape):
    """Endless ground z = height + slope · (x, y).

    Examples:
        >>> hill = poise.world.Surface("hill", poise.world.Ground(0.0, slope=(0.1, 0.0)))
    """

    height: float = 0.0
    """At the origin [m]."""
    slope: tuple[float, float] = (0.0, 0.0)
    """Rise per metre along x and y."""
    kind: ClassVar[str] = "ground"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "height", number(self.height, "the height of the ground"))
        put(self, "slope", numbers(self.slope, "the slope of the ground", 2))

    @property
    def normal(self) -> Array:
        """Straight up from it (3,)."""
        found = np.array([-self.slope[0], -self.slope[1], 1.0])
        return found / np.linalg.norm(found)

    def gap(self, places: Array) -> tuple[Array, Array]:
        normal = self.normal
        return dot(places - [0.0, 0.0, self.height], normal), np.broadcast_to(normal, places.shape)

    def level(self, places: ArrayLike) -> Array:
        """Height of the ground below or above places (…, 3) [m]."""
        p = np.asarray(places, dtype=np.float64)
        return np.asarray(self.height + p[..., 0] * self.slope[0] + p[..., 1] * self.slope[1])

    def mesh(self, extent: Array | None = None) -> Triangles:
        """A patch that reaches a metre beyond places."""
        over = np.zeros((1, 3)) if extent is None else np.reshape(extent, (-1, 3))
        (a, b), (c, d) = over[:, :2].min(axis=0) - MARGIN, over[:, :2].max(axis=0) + MARGIN
        corners = np.array([[a, b, 0.0], [c, b, 0.0], [c, d, 0.0], [a, d, 0.0]])
        corners[:, 2] = self.level(corners)
        return Triangles(corners, np.array([[0, 1, 2], [0, 2, 3]]))

    def solids(self) -> tuple[Convex, ...]:
        turn = so3.log(so3.between((0.0, 0.0, 1.0), self.normal))
        x, y, z = (float(v) for v in turn)
        return (Convex("plane", (50.0, 50.0, 1.0), (0.0, 0.0, self.height), (x, y, z)),)
