"""A tree of boxes around triangles, for finding the nearest of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray


class MeshTree(NamedTuple):
    """Nodes in depth-first order; triangles are those of the mesh, sorted by leaf."""

    low: Array
    """Lower corner of each node's box (N, 3)."""
    high: Array
    skip: IntArray
    """The node to go on with where a node is too far; after a leaf, simply the next (N,)."""
    first: IntArray
    """First triangle of a leaf; −1: no leaf (N,)."""
    size: IntArray
    """Triangles of a leaf (N,)."""
    corners: Array
    """(T, 3, 3)"""
    normals: Array
    """Of the face, then of the edges 01, 12, 20, then of the corners 0, 1, 2 (T, 7, 3)."""


def mesh_tree(vertices: Array, triangles: IntArray, leaf: int) -> MeshTree:
    """Halved by the median of the middles along the longest side, down to ``leaf`` triangles."""
    corners = vertices[triangles]
    middle = corners.mean(axis=1)
    order = np.arange(len(triangles))
    nodes: list[tuple[int, int]] = []
    skip: list[int] = []
    stack = [(0, len(triangles))]
    while stack:
        begin, end = stack.pop()
        nodes.append((begin, end))
        skip.append(0)
        if end - begin > leaf:
            own = order[begin:end]
            axis = int(np.argmax(np.ptp(middle[own], axis=0)))
            half = (end - begin) // 2
            order[begin:end] = own[np.argpartition(middle[own, axis], half)]
            stack.append((begin + half, end))
            stack.append((begin, begin + half))
    count = len(nodes)
    following = np.full(len(triangles) + 1, count, dtype=np.int64)
    for k in range(count - 1, -1, -1):
        # The next node after the subtree of k is the first one, later than k, that begins where k ends.
        begin, end = nodes[k]
        skip[k] = int(following[end])
        following[begin] = k
    sorted_corners = np.ascontiguousarray(corners[order])
    low = np.array([sorted_corners[a:b].min(axis=(0, 1)) for a, b in nodes])
    high = np.array([sorted_corners[a:b].max(axis=(0, 1)) for a, b in nodes])
    first = np.array([a if b - a <= leaf else -1 for a, b in nodes], dtype=np.int64)
    sizes = np.array([b - a for a, b in nodes], dtype=np.int64)
    normals = np.ascontiguousarray(_normals(vertices, triangles)[order])
    return MeshTree(low, high, np.array(skip, dtype=np.int64), first, sizes, sorted_corners, normals)


def _normals(vertices: Array, triangles: IntArray) -> Array:
    """Normals of faces, edges and corners; vertices at one place count as one."""
    _, same = np.unique(vertices, axis=0, return_inverse=True)
    welded = np.reshape(same, -1)[triangles]  # (T, 3)
    p = vertices[triangles]
    face = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    face /= np.maximum(np.linalg.norm(face, axis=1, keepdims=True), 1e-300)
    out = np.empty((len(triangles), 7, 3))
    out[:, 0] = face
    ends = np.stack([welded, np.roll(welded, -1, axis=1)], axis=-1)  # edges 01, 12, 20
    edges = np.sort(ends.reshape(-1, 2), axis=1)
    _, edge = np.unique(edges, axis=0, return_inverse=True)
    edge = np.reshape(edge, -1)
    out[:, 1:4] = _summed(edge, np.repeat(face, 3, axis=0)).reshape(-1, 3, 3)
    ahead = np.roll(p, -1, axis=1) - p
    back = np.roll(p, 1, axis=1) - p
    cosine = (ahead * back).sum(axis=2) / np.maximum(
        np.linalg.norm(ahead, axis=2) * np.linalg.norm(back, axis=2), 1e-300
    )
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    weighted = (angle[..., None] * face[:, None]).reshape(-1, 3)
    out[:, 4:7] = _summed(welded.ravel(), weighted).reshape(-1, 3, 3)
    return out


def _summed(group: IntArray, ways: Array) -> Array:
    """For each way the sum over its group, made unit."""
    total = np.zeros((int(group.max()) + 1, 3))
    np.add.at(total, group, ways)
    total /= np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    return np.asarray(total[group])
