"""Balls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.world.shapes.revolved import revolved
from poise.world.shapes.shape import Convex, Shape, Triangles, sizes, unit

RINGS = 12
"""Of a ball as it is drawn."""


@dataclass(frozen=True)
class Ball(Shape):
    """A ball.

    Examples:
        >>> ball = poise.world.Surface("ball", poise.world.Ball(0.11), place=(1.0, 0.0, 0.11))
    """

    radius: float = 0.12
    """[m]"""
    kind: ClassVar[str] = "ball"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", sizes((self.radius,), "the radius of a ball", 1)[0])

    def gap(self, places: Array) -> tuple[Array, Array]:
        away = np.linalg.norm(places, axis=-1)
        return away - self.radius, unit(places, away)

    def mesh(self, extent: Array | None = None) -> Triangles:
        angle = np.pi * np.arange(RINGS + 1) / RINGS
        return revolved(self.radius * np.sin(angle), -self.radius * np.cos(angle))

    def solids(self) -> tuple[Convex, ...]:
        return (Convex("sphere", (self.radius,)),)
