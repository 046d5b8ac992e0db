"""Surfaces of a world as things to draw: what is given stands solid, what was only found is asked about,
purple, seen through and dashed at its edges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.manifold import so3
from poise.pictures.marks import rod
from poise.pictures.material import Material
from poise.pictures.mesh import Mesh, from_triangles, join
from poise.pictures.scene import Layer, Scene
from poise.world import Ball, Bar, Box, Field, Ground, Surface

GIVEN = Material("#aeb6c2", roughness=0.75, specular=0.25)
ASKED = Material("#7b4bb3", roughness=0.6, specular=0.2, emission=0.35)
"""Purple is what was found and nobody has confirmed, here as in plots and in the studio."""
SEEN_THROUGH = 0.30
"""Opacity of what is only asked about."""
DASH = 0.045
"""Length of a dash and of the gap after it [m] for a figure of 1.75 m."""
THIN = 0.006
"""Width of an edge's line [m] for a figure of 1.75 m."""
SHARP = 40.0
"""Faces that meet at a larger angle have an edge between them [degrees]."""
UNEVEN = 0.03
"""Ground that rises by more than this under a motion is drawn as a slope [m]."""
AROUND = 0.6
"""Sloped ground is drawn so far beyond the motion [m]."""
_ROUND = 28
"""Segments around balls and bars: round in a picture."""


class Triangles(NamedTuple):
    """A surface's skin in the world."""

    vertices: Array  # (V, 3) [m]
    faces: IntArray  # (T, 3)
    smooth: bool


@dataclass(frozen=True, eq=False)
class DrawnSurface:
    """A surface as it is drawn."""

    surface: Surface
    skin: Mesh
    edges: Array  # (E, 2, 3) [m]

    @property
    def asked(self) -> bool:
        """Whether it was only found."""
        return self.surface.source == "found"

    @property
    def top(self) -> Array:
        """The middle of its upper side (3,) [m]."""
        low, high = self.skin.vertices.min(axis=0), self.skin.vertices.max(axis=0)
        return np.append(0.5 * (low[:2] + high[:2]), high[2])

    def put(self, solid: Layer, asked: Layer, lines: Layer, offset: Array, scale: float) -> None:
        """Put it on the layers of what is there, of what is asked, and of lines."""
        look = ASKED if self.asked else GIVEN
        (asked if self.asked else solid).add(self.skin, look, position=offset)
        for a, b in self.edges:
            pieces = _dashes(a, b, DASH * scale) if self.asked else [(a, b)]
            rods = [rod(p, q, width=THIN * scale) for p, q in pieces if np.linalg.norm(q - p) > 1e-6]
            if rods and self.asked:
                lines.add(join(rods), look, position=offset, casts_shadow=False)


def asked_layers(scene: Scene) -> tuple[Layer, Layer]:
    """Layers for what is asked, and for its edges."""
    return scene.layer(opacity=SEEN_THROUGH, shadow=0.25), scene.layer(opacity=0.9, shadow=0.0)


def drawn_surface(surface: Surface, low: Array, high: Array) -> DrawnSurface | None:
    """A surface near a motion within corners (3,) [m]; None for level ground, which every picture has."""
    if isinstance(surface.shape, Ground) and _level(surface, low, high):
        return None
    shown = surface
    if surface.source == "found" and isinstance(surface.shape, Box):
        # All that is known of it is where soles stood: as far as one still stands on it, it is drawn.
        a, b, c = surface.shape.half
        more = surface.shape.overhang
        shown = surface.replaced(shape=replace(surface.shape, half=(a + more, b + more, c)))
    skin = _triangles(shown, low - AROUND, high + AROUND)
    vertices, faces = skin.vertices, skin.faces
    if not skin.smooth:
        vertices, faces = vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3)
    edges = np.zeros((0, 2, 3)) if skin.smooth else sharp_edges(skin.vertices, skin.faces)
    return DrawnSurface(surface, from_triangles(vertices, faces), edges)


def ground_level(surface: Surface, low: Array, high: Array) -> float:
    """Height of the picture's floor [m] under ground: its own where level, else the lowest of the slope."""
    assert isinstance(surface.shape, Ground)
    corners = _corners(low - AROUND, high + AROUND)
    if _level(surface, low, high):
        corners = 0.5 * (low + high)[None]
    return float(_heights(surface, corners).min())


def sharp_edges(vertices: Array, faces: IntArray, angle: float = SHARP) -> Array:
    """Edges (E, 2, 3) where faces meet at more than an angle [degrees], or end."""
    _, same = np.unique(np.round(vertices, 6), axis=0, return_inverse=True)
    welded = same.reshape(-1)[faces]
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-15)
    meeting: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for t, face in enumerate(welded):
        for i in range(3):
            p, q = int(face[i]), int(face[(i + 1) % 3])
            meeting.setdefault((min(p, q), max(p, q)), []).append((t, i, (i + 1) % 3))
    limit = np.cos(np.radians(angle))
    found = [
        (vertices[faces[at[0][0], at[0][1]]], vertices[faces[at[0][0], at[0][2]]])
        for at in meeting.values()
        if len(at) != 2 or float(normals[at[0][0]] @ normals[at[1][0]]) < limit
    ]
    return np.array(found).reshape(-1, 2, 3)


def _level(surface: Surface, low: Array, high: Array) -> bool:
    return float(np.ptp(_heights(surface, _corners(low, high)))) < UNEVEN


def _corners(low: Array, high: Array) -> Array:
    x, y = (low[0], high[0]), (low[1], high[1])
    return np.array([[x[i], y[j], 0.0] for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))])


def _heights(surface: Surface, places: Array) -> Array:
    """Of ground below or above places [m]."""
    gap, normal = surface.gap(places)
    return np.asarray(places[..., 2] - gap / normal[..., 2])


def _triangles(surface: Surface, low: Array, high: Array) -> Triangles:
    shape = surface.shape
    if isinstance(shape, Ground):
        corners = _corners(low, high)
        top = np.column_stack([corners[:, :2], _heights(surface, corners)])
        bottom = top * [1.0, 1.0, 0.0] + [0.0, 0.0, top[:, 2].min() - 1e-3]
        return Triangles(np.concatenate([bottom, top]), _HEXAHEDRON, False)
    if isinstance(shape, Box):
        signs = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1]], dtype=np.float64)
        own = np.concatenate([signs, signs * [1.0, 1.0, -1.0]]) * shape.half
        skin = Triangles(own, _HEXAHEDRON, False)
    elif isinstance(shape, Ball):
        skin = _revolved(
            shape.radius * np.cos(_half_turn()), shape.radius * np.sin(_half_turn()), turned=False
        )
    elif isinstance(shape, Bar):
        half, r = 0.5 * shape.length, shape.radius
        skin = _revolved(np.array([0.0, r, r, 0.0]), np.array([-half, -half, half, half]), turned=True)
    elif isinstance(shape, Field):
        skin = _grid(np.asarray(shape.heights), shape.spacing)
    else:
        raise TypeError(f"no picture of {type(shape).__name__}")
    turn = so3.to_matrix(so3.exp(np.array(surface.turn)))
    return skin._replace(vertices=skin.vertices @ turn.T + surface.place)


_HEXAHEDRON = np.array(
    [
        [0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4],
        [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7],
    ]
)  # fmt: skip
"""Faces of a box with corners 0 … 3 below, counter-clockwise from above, and 4 … 7 above them."""


def _half_turn() -> Array:
    return np.linspace(-0.5 * np.pi, 0.5 * np.pi, _ROUND // 2 + 1)


def _revolved(radius: Array, height: Array, *, turned: bool) -> Triangles:
    """A profile swept about z, or about x."""
    angle = 2 * np.pi * np.arange(_ROUND) / _ROUND
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    vertices = np.concatenate(
        [radius[:, None, None] * ring, np.broadcast_to(height[:, None, None], (len(radius), _ROUND, 1))],
        axis=2,
    ).reshape(-1, 3)
    low = np.arange(len(radius) - 1)[:, None] * _ROUND
    here, there = np.arange(_ROUND), (np.arange(_ROUND) + 1) % _ROUND
    a, b = low + here, low + there
    faces = np.concatenate(
        [
            np.stack([a, b, b + _ROUND], -1).reshape(-1, 3),
            np.stack([a, b + _ROUND, a + _ROUND], -1).reshape(-1, 3),
        ]
    )
    return Triangles(vertices[:, [2, 0, 1]] if turned else vertices, faces, True)


def _grid(heights: Array, spacing: float) -> Triangles:
    nx, ny = heights.shape
    x, y = np.meshgrid(spacing * np.arange(nx), spacing * np.arange(ny), indexing="ij")
    vertices = np.stack([x, y, heights], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(nx - 1), np.arange(ny - 1), indexing="ij")
    a = (i * ny + j).ravel()
    faces = np.concatenate([np.stack([a, a + ny, a + ny + 1], 1), np.stack([a, a + ny + 1, a + 1], 1)])
    return Triangles(vertices, faces, True)


def _dashes(a: Array, b: Array, dash: float) -> list[tuple[Array, Array]]:
    """Dashes along an edge, whole at both of its ends."""
    length = float(np.linalg.norm(b - a))
    count = max(1, round((length / dash + 1) / 2))
    marks = np.linspace(0.0, 1.0, 2 * count)
    return [(a + s * (b - a), a + t * (b - a)) for s, t in zip(marks[::2], marks[1::2])]
