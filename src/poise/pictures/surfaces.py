"""Surfaces of a world as things to draw: what is given stands solid, what was only found is asked about,
purple, seen through and dashed at its edges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poise.arrays import Array, IntArray
from poise.pictures.marks import rod
from poise.pictures.material import Material
from poise.pictures.mesh import Mesh, from_triangles, join
from poise.pictures.scene import Layer, Scene
from poise.world import Box, Ground, Surface

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
MANY = 20_000
"""Faces of scanned rooms and the like: they are drawn smooth, without edges."""


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

    def moved(self, time: float) -> tuple[Array, Array]:
        """How it has moved from where it is drawn, by a time [s]: rotation (3, 3), then shift (3,)."""
        if not self.surface.moves:
            return np.eye(3), np.zeros(3)
        first, now = self.surface.pose(0.0), self.surface.pose(time)
        turn = np.asarray(now.turn @ first.turn.T)
        return turn, np.asarray(now.place - turn @ first.place)

    def put(self, layers: tuple[Layer, Layer, Layer], offset: Array, scale: float, time: float) -> None:
        """Put it on the layers of what is there, of what is asked, and of lines, as it is at a time [s]."""
        solid, asked, lines = layers
        look = ASKED if self.asked else GIVEN
        turn, shift = self.moved(time)
        offset = offset + shift
        (asked if self.asked else solid).add(self.skin, look, position=offset, rotation=turn)
        for a, b in self.edges:
            pieces = _dashes(a, b, DASH * scale) if self.asked else [(a, b)]
            rods = [rod(p, q, width=THIN * scale) for p, q in pieces if np.linalg.norm(q - p) > 1e-6]
            if rods and self.asked:
                lines.add(join(rods), look, position=offset, rotation=turn, casts_shadow=False)


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
    vertices, faces = _wedge(shown, low, high) if isinstance(shown.shape, Ground) else shown.mesh()
    edges = sharp_edges(vertices, faces) if len(faces) < MANY else np.zeros((0, 2, 3))
    return DrawnSurface(surface, _creased(vertices, faces), edges)


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
    normals = _face_normals(vertices, faces)
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


def _wedge(surface: Surface, low: Array, high: Array) -> tuple[Array, IntArray]:
    """Sloped ground as a solid on the picture's floor."""
    corners = _corners(low - AROUND, high + AROUND)
    top = np.column_stack([corners[:, :2], _heights(surface, corners)])
    bottom = top * [1.0, 1.0, 0.0] + [0.0, 0.0, top[:, 2].min() - 1e-3]
    return np.concatenate([bottom, top]), _HEXAHEDRON


_HEXAHEDRON = np.array(
    [
        [0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4],
        [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7],
    ]
)  # fmt: skip
"""Faces of a box with corners 0 … 3 below, counter-clockwise from above, and 4 … 7 above them."""


def _creased(vertices: Array, faces: IntArray) -> Mesh:
    """A mesh that is smooth but for its sharp edges: every corner of a face has a normal of its own."""
    if len(faces) >= MANY:
        return from_triangles(vertices, faces)
    normals = _face_normals(vertices, faces)
    same = np.unique(np.round(vertices, 6), axis=0, return_inverse=True)[1].reshape(-1)[faces].ravel()
    order = np.argsort(same, kind="stable")  # corners by the place they share
    starts = np.flatnonzero(np.r_[True, np.diff(same[order]) > 0, True])
    own = np.repeat(normals, 3, axis=0)
    smooth = np.empty_like(own)
    limit = np.cos(np.radians(SHARP))
    for first, last in pairwise(starts):
        corners = order[first:last]
        alike = own[corners] @ own[corners].T > limit
        smooth[corners] = alike.astype(np.float64) @ own[corners]
    smooth /= np.maximum(np.linalg.norm(smooth, axis=1, keepdims=True), 1e-15)
    return Mesh(
        vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3), smooth, closed=False
    )


def _face_normals(vertices: Array, faces: IntArray) -> Array:
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    normals = np.cross(b - a, c - a)
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-15))


def _dashes(a: Array, b: Array, dash: float) -> list[tuple[Array, Array]]:
    """Dashes along an edge, whole at both of its ends."""
    length = float(np.linalg.norm(b - a))
    count = max(1, round((length / dash + 1) / 2))
    marks = np.linspace(0.0, 1.0, 2 * count)
    return [(a + s * (b - a), a + t * (b - a)) for s, t in zip(marks[::2], marks[1::2])]
