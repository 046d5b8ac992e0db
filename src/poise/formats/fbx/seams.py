"""Seams of a mesh: vertices that have several places on their picture become several vertices.

FBX keeps places on pictures by the corners of polygons; a vertex of ours has one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.fbx.objects import FbxObject
from poise.pictures.mesh import vertex_normals


@dataclass(frozen=True, eq=False)
class Seams:
    """How vertices of the file become those of the scene."""

    vertices: IntArray
    """The file's vertex of each of ours (V,)."""
    numbers: IntArray
    """Our vertex of each corner (C,)."""
    texcoords: Array | None = None
    """(V, 2), from the upper left corner of the picture on."""
    normals: Array | None = None
    """(V, 3), where vertices were taken apart: so that the surface stays smooth across seams."""

    @staticmethod
    def of(geometry: FbxObject, places: Array, corners: IntArray, fans: IntArray) -> Seams:
        """Those of a mesh with vertices (n, 3), whose triangles have the ``corners`` numbered by ``fans``."""
        told = _texcoords(geometry, corners)
        if told is None:
            return Seams(np.arange(len(places)), corners)
        table, index = told
        pairs, numbers = np.unique(np.stack([corners, index], axis=1), axis=0, return_inverse=True)
        upright = table[pairs[:, 1]]
        flipped = np.stack([upright[:, 0], 1.0 - upright[:, 1]], axis=1)
        if len(np.unique(pairs[:, 0])) == len(pairs):  # no seam: vertices keep their numbers
            whole = np.zeros((len(places), 2))
            whole[pairs[:, 0]] = flipped
            return Seams(np.arange(len(places)), corners, whole)
        normals = vertex_normals(places, corners[fans])[pairs[:, 0]]
        return Seams(pairs[:, 0], np.asarray(numbers).reshape(-1), flipped, normals)

    def of_vertices(self, index: IntArray, weights: Array) -> tuple[IntArray, Array]:
        """Influences of our vertices."""
        return index[self.vertices], weights[self.vertices]

    def spread(self, where: IntArray, ways: Array) -> tuple[IntArray, Array]:
        """A blend shape's vertices (m,) and how far they go (m, 3), of ours."""
        place = np.full(int(max(self.vertices.max(initial=0), where.max(initial=0))) + 1, -1)
        place[where] = np.arange(len(where))
        found = place[self.vertices]
        moved = np.flatnonzero(found >= 0)
        return moved, ways[found[moved]]


def _texcoords(geometry: FbxObject, corners: IntArray) -> tuple[Array, IntArray] | None:
    """Places on a picture (n, 2), and which of them each corner has (C,); None where nothing is said."""
    layer = geometry.record.get("LayerElementUV")
    if layer is None:
        return None
    table = layer.array("UV").reshape(-1, 2)[:, :2] if layer.array("UV").size % 2 == 0 else np.zeros((0, 2))
    count = len(corners)
    by_vertex = layer.value("MappingInformationType") in ("ByVertice", "ByVertex")
    if layer.value("ReferenceInformationType") in ("IndexToDirect", "Index"):
        index = layer.array("UVIndex", "i")
    else:
        index = np.arange(len(table))
    if by_vertex and len(index) > corners.max(initial=-1):
        index = index[corners]
    good = len(index) >= count and np.isfinite(table).all()
    good = good and index[:count].min(initial=0) >= 0 and index[:count].max(initial=-1) < len(table)
    return (table, index[:count]) if good and count else None
