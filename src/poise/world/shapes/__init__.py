"""The geometry of surfaces, one file per kind."""

from poise.world.shapes.bar import Bar
from poise.world.shapes.box import Box
from poise.world.shapes.cylinder import Cylinder
from poise.world.shapes.field import Field
from poise.world.shapes.ground import Ground
from poise.world.shapes.mesh import Mesh
from poise.world.shapes.rope import Rope
from poise.world.shapes.shape import Convex, Shape, Triangles
from poise.world.shapes.sphere import Ball
from poise.world.shapes.stairs import Stairs

__all__ = [
    "Ball",
    "Bar",
    "Box",
    "Convex",
    "Cylinder",
    "Field",
    "Ground",
    "Mesh",
    "Rope",
    "Shape",
    "Stairs",
    "Triangles",
]
