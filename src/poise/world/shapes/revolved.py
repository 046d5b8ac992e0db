"""Triangles of solids of revolution about z."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.world.shapes.shape import Triangles

SIDES = 24
"""Corners of a circle as it is drawn."""


def revolved(radii: Array, heights: Array, sides: int = SIDES) -> Triangles:
    """Rings of radii at heights [m], from the lowest to the highest, all of them (K,); ends are closed."""
    angle = 2 * np.pi * np.arange(sides) / sides
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    rings = [np.column_stack([r * circle, np.full(sides, z)]) for r, z in zip(radii, heights)]
    poles = np.array([[0.0, 0.0, heights[0]], [0.0, 0.0, heights[-1]]])
    k, n, count = np.arange(sides), (np.arange(sides) + 1) % sides, len(rings)
    found = [
        np.concatenate(
            [
                np.column_stack([r * sides + k, r * sides + n, (r + 1) * sides + n]),
                np.column_stack([r * sides + k, (r + 1) * sides + n, (r + 1) * sides + k]),
            ]
        )
        for r in range(count - 1)
    ]
    low, high = count * sides, count * sides + 1
    last = (count - 1) * sides
    found.append(np.column_stack([np.full(sides, low), n, k]))
    found.append(np.column_stack([np.full(sides, high), last + k, last + n]))
    vertices = np.concatenate([*rings, poles])
    triangles = np.concatenate(found)
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    whole = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-15  # rings of no radius leave slivers
    return Triangles(vertices, triangles[whole])
