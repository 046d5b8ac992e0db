"""The world around a motion, as frozen data: ground, slopes, boxes, stairs, uneven ground, bars, ropes,
balls, cylinders, meshes, treadmills, props that move or are carried."""

from poise.world.shapes import (
    Ball,
    Bar,
    Box,
    Convex,
    Cylinder,
    Field,
    Ground,
    Mesh,
    Rope,
    Shape,
    Stairs,
    Triangles,
)
from poise.world.surface import Surface, ground, step
from poise.world.track import Pose, Track
from poise.world.world import Below, World

__all__ = [
    "Ball",
    "Bar",
    "Below",
    "Box",
    "Convex",
    "Cylinder",
    "Field",
    "Ground",
    "Mesh",
    "Pose",
    "Rope",
    "Shape",
    "Stairs",
    "Surface",
    "Track",
    "Triangles",
    "World",
    "ground",
    "step",
]
