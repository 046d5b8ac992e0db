"""Cylinders: posts, drums, round tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.world.shapes.revolved import revolved
from poise.world.shapes.shape import OVERHANG, Convex, Shape, Triangles, length, on_top, sizes, unit


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along its own z with flat ends; one stands on its upper end.

    Examples:
        >>> stump = poise.world.Surface("stump", poise.world.Cylinder(0.25, 0.4), place=(1.0, 0.0, 0.2))
    """

    radius: float = 0.3
    """[m]"""
    height: float = 0.8
    """From end to end [m]."""
    overhang: float = OVERHANG
    """How far beyond the rim of its top one still stands on it [m]."""
    kind: ClassVar[str] = "cylinder"

    def __post_init__(self) -> None:
        radius, height = sizes((self.radius, self.height), "radius and height of a cylinder", 2)
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "height", height)
        object.__setattr__(self, "overhang", length(self.overhang, "the overhang of a cylinder"))

    def gap(self, places: Array) -> tuple[Array, Array]:
        flat = places * [1.0, 1.0, 0.0]
        off = np.linalg.norm(flat, axis=-1)
        side = unit(flat, off)
        side = np.where((off > 1e-12)[..., None], side, [1.0, 0.0, 0.0])
        end = np.where(places[..., 2] < 0, -1.0, 1.0)[..., None] * [0.0, 0.0, 1.0]
        out = np.stack([off - self.radius, np.abs(places[..., 2]) - 0.5 * self.height], axis=-1)
        beyond = np.maximum(out, 0.0)
        away = np.linalg.norm(beyond, axis=-1)
        outwards = unit(beyond[..., :1] * side + beyond[..., 1:] * end, away)
        nearer = (out[..., 0] > out[..., 1])[..., None]
        outside = away > 0
        gap = np.where(outside, away, out.max(axis=-1))
        normal = np.where(outside[..., None], outwards, np.where(nearer, side, end))
        over = on_top(out[..., 0], out[..., 1], self.overhang) & (places[..., 2] > 0)
        return np.where(over, out[..., 1], gap), np.where(over[..., None], [0.0, 0.0, 1.0], normal)

    def mesh(self, extent: Array | None = None) -> Triangles:
        half = 0.5 * self.height
        return revolved(np.array([self.radius, self.radius]), np.array([-half, half]))

    def solids(self) -> tuple[Convex, ...]:
        return (Convex("cylinder", (self.radius, 0.5 * self.height)),)
