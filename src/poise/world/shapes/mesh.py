"""Triangle meshes: whatever else is in a scene.

The gap is the distance to the nearest place on any triangle, found down a tree of boxes; its sign is that of
the side of the surface one is on, told by the normal of the nearest triangle, edge or corner, at edges and
corners weighted by angles (Bærentzen and Aanæs 2005), which is right for closed meshes. An open mesh (a hill,
a sheet) has an inside too: behind its triangles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, IntArray, checked, frozen
from poise.errors import InputError
from poise.world.mesh_tree import MeshTree, mesh_tree
from poise.world.shapes.shape import Convex, Shape, Triangles

LEAF = 4
"""Triangles in a leaf of the tree."""
MOST_HULLS = 256
"""A mesh of more pieces is not taken apart for contact."""
AT_ONCE = 1_000_000
"""Corners in front of triangles that are looked at together: 8 MB of numbers."""
FLAT = 1e-6
"""A piece is convex if no corner is further in front of any triangle [its own size]."""


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A mesh of triangles; seen from outside, corners go round against the clock.

    Examples:
        >>> corners = [(0, -1, 0), (2, -1, 0.5), (2, 1, 0.5), (0, 1, 0)]
        >>> ramp = poise.world.Mesh(corners, [(0, 1, 2), (0, 2, 3)])
    """

    vertices: ArrayLike
    """[m] (V, 3)"""
    triangles: Any
    """Numbers of vertices (T, 3)."""
    kind: ClassVar[str] = "mesh"

    def __post_init__(self) -> None:
        vertices = checked(self.vertices, "vertices of a mesh", (None, 3), most=FARTHEST)
        listed = checked(self.triangles, "triangles of a mesh", (None, 3), most=FARTHEST)
        numbers = listed.astype(np.int64)
        if (
            not len(numbers)
            or (numbers != listed).any()
            or numbers.min() < 0
            or numbers.max() >= len(vertices)
        ):
            raise InputError(f"triangles of a mesh must name vertices by whole numbers below {len(vertices)}")
        a, b, c = (vertices[numbers[:, i]] for i in range(3))
        whole = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0
        if not whole.any():
            raise InputError("all triangles of the mesh have no area")
        object.__setattr__(self, "vertices", frozen(vertices))
        object.__setattr__(self, "triangles", frozen(numbers[whole], dtype=np.int64))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return False
        return np.array_equal(np.asarray(self.vertices), np.asarray(other.vertices)) and np.array_equal(
            self.triangles, other.triangles
        )

    def __hash__(self) -> int:
        return hash((np.asarray(self.vertices).tobytes(), self.triangles.tobytes()))

    def gap(self, places: Array) -> tuple[Array, Array]:
        from poise.world.mesh_kernels import nearest

        flat = np.ascontiguousarray(np.reshape(places, (-1, 3)), dtype=np.float64)
        gap, normal = np.empty(len(flat)), np.empty((len(flat), 3))
        nearest(flat, self._tree, gap, normal)
        return gap.reshape(places.shape[:-1]), normal.reshape(places.shape)

    @cached_property
    def _tree(self) -> MeshTree:
        return mesh_tree(np.asarray(self.vertices), self.triangles, LEAF)

    def mesh(self, extent: Array | None = None) -> Triangles:
        return Triangles(np.asarray(self.vertices), self.triangles)

    def solids(self) -> tuple[Convex, ...] | None:
        """The hull of each connected piece, where all of them are convex and thicker than a sheet."""
        pieces = self.pieces()
        if len(pieces) > MOST_HULLS:
            return None
        found = []
        for vertices, triangles in pieces:
            if not _convex(vertices, triangles):
                return None
            found.append(Convex("mesh", (), vertices=vertices))
        return tuple(found)

    def pieces(self) -> list[Triangles]:
        """Its pieces: triangles that meet at an edge that no others share; corners at one place are one."""
        vertices, same = np.unique(np.asarray(self.vertices), axis=0, return_inverse=True)
        triangles = np.reshape(same, -1)[self.triangles]
        label = _connected(triangles)
        order = np.argsort(label, kind="stable")
        found = []
        for own in np.split(triangles[order], np.flatnonzero(np.diff(label[order])) + 1):
            used, numbers = np.unique(own, return_inverse=True)
            found.append(Triangles(vertices[used], np.reshape(numbers, (-1, 3))))
        return found


def _connected(triangles: IntArray) -> IntArray:
    """A number for each triangle, the same for those that edges of two connect."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    _, edge, count = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    edge = np.reshape(edge, -1)
    own = np.arange(len(edge)) // 3
    order = np.argsort(edge, kind="stable")
    order = order[count[edge[order]] == 2].reshape(-1, 2)
    a, b = own[order[:, 0]], own[order[:, 1]]
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(triangles), len(triangles)))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _convex(vertices: Array, triangles: IntArray) -> bool:
    """Whether all corners lie behind all triangles, and some of them well behind."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    size = float(np.ptp(vertices, axis=0).max())
    deepest = 0.0
    few = max(1, AT_ONCE // len(vertices))
    for k in range(0, len(triangles), few):
        own = slice(k, k + few)
        front = vertices @ normal[own].T - (a[own] * normal[own]).sum(axis=1)  # (V, few)
        if not front.max() < FLAT * size:
            return False
        deepest = min(deepest, float(front.min()))
    return deepest < -1e-3 * size
