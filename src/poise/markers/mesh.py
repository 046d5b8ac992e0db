"""Markers to look at: small balls that move, and shrink to nothing while they are lost."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.markers.capture import Markers
from poise.motion.mesh_clip import MeshClip

RADIUS = 0.014
"""Of a ball [m]: a marker is 14 mm across, which is hard to see."""
COLOUR = (0.85, 0.12, 0.05)
"""Linear RGB."""


def marker_mesh(markers: Markers, *, radius: float = RADIUS) -> MeshClip:
    """Balls in the places of the markers."""
    ball, sides = _octahedron()
    corners, faces = _rounder(*_rounder(ball, sides))
    frames, count = markers.frames, len(markers.names)
    places = _held(markers.positions)
    size = np.where(markers.seen, radius, 0.0)
    vertices = places[:, :, None] + size[:, :, None, None] * corners
    shift = len(corners) * np.arange(count)
    every = (faces[None] + shift[:, None, None]).reshape(-1, 3)
    return MeshClip(
        vertices.reshape(frames, -1, 3), every, markers.rate, name=markers.name or "markers", colours=COLOUR
    )


def _held(positions: Array) -> Array:
    """Lost markers where they were last seen, or will first be; at the origin if never."""
    out = np.array(positions)
    frames = np.arange(len(out))
    for m in range(out.shape[1]):
        seen = np.flatnonzero(np.isfinite(out[:, m, 0]))
        if not len(seen):
            out[:, m] = 0.0
            continue
        at = seen[np.clip(np.searchsorted(seen, frames, side="right") - 1, 0, len(seen) - 1)]
        out[:, m] = out[at, m]
    return out


def _octahedron() -> tuple[Array, IntArray]:
    corners = np.array(
        [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.float64
    )
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    return corners, np.array(faces, dtype=np.int64)


def _rounder(corners: Array, faces: IntArray) -> tuple[Array, IntArray]:
    """Every triangle in four, on the unit sphere."""
    found = [tuple(c) for c in corners]
    number = {c: k for k, c in enumerate(found)}

    def middle(a: int, b: int) -> int:
        way = np.array(found[a]) + np.array(found[b])
        spot = tuple(way / np.linalg.norm(way))
        if spot not in number:
            number[spot] = len(found)
            found.append(spot)
        return number[spot]

    out = []
    for a, b, c in faces.tolist():
        x, y, z = middle(a, b), middle(b, c), middle(c, a)
        out += [[a, x, z], [x, b, y], [z, y, c], [x, y, z]]
    return np.array(found), np.array(out, dtype=np.int64)
