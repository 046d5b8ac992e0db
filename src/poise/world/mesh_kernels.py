"""The nearest place on a mesh, down its tree of boxes (compiled)."""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.world.mesh_tree import MeshTree

CLOSE = 1e-12
"""Nearer than this the way off is the surface's normal, not the way from it [m]."""


@kernel(allocates=False)
def nearest(places: Array, tree: MeshTree, gap: Array, normal: Array) -> None:
    """Signed distances of places (P, 3) to a mesh, into ``gap`` (P,), and ways off into ``normal`` (P, 3)."""
    low, high, skip, first, count, corners, normals = tree
    nodes = low.shape[0]
    for p in range(places.shape[0]):
        x, y, z = places[p, 0], places[p, 1], places[p, 2]
        best = _bound(tree, x, y, z)
        triangle, feature = 0, 0
        bx, by, bz = 0.0, 0.0, 0.0
        node = 0
        for _ in range(nodes):
            if node >= nodes:
                break
            if _to_box(low[node], high[node], x, y, z) >= best:
                node = skip[node]
                continue
            if first[node] >= 0:
                for t in range(first[node], first[node] + count[node]):
                    where, u, v, w = _on_triangle(corners[t], x, y, z)
                    ux, uy, uz = x - u, y - v, z - w
                    square = ux * ux + uy * uy + uz * uz
                    if square < best:
                        best, triangle, feature = square, t, where
                        bx, by, bz = ux, uy, uz
            node += 1
        length = math.sqrt(best)
        nx, ny, nz = (
            normals[triangle, feature, 0],
            normals[triangle, feature, 1],
            normals[triangle, feature, 2],
        )
        sign = -1.0 if bx * nx + by * ny + bz * nz < 0.0 else 1.0
        gap[p] = sign * length
        if length > CLOSE:
            normal[p, 0], normal[p, 1], normal[p, 2] = (
                sign * bx / length,
                sign * by / length,
                sign * bz / length,
            )
        else:
            normal[p, 0], normal[p, 1], normal[p, 2] = nx, ny, nz


@kernel(allocates=False)
def _bound(tree: MeshTree, x: float, y: float, z: float) -> float:
    """Not less than the square of the distance: of the leaf that one comes to by the nearer of two boxes."""
    low, high, skip, first, count, corners, _ = tree
    node = 0
    for _ in range(low.shape[0]):
        if first[node] >= 0:
            break
        one, other = node + 1, skip[node + 1]
        node = (
            one
            if _to_box(low[one], high[one], x, y, z) <= _to_box(low[other], high[other], x, y, z)
            else other
        )
    best = np.inf
    for t in range(first[node], first[node] + count[node]):
        _, u, v, w = _on_triangle(corners[t], x, y, z)
        best = min(best, (x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2)
    return best * (1.0 + 1e-9) + 1e-30


@kernel(inline=True, allocates=False)
def _to_box(low: Array, high: Array, x: float, y: float, z: float) -> float:
    """The square of the distance to a box."""
    dx = max(low[0] - x, 0.0, x - high[0])
    dy = max(low[1] - y, 0.0, y - high[1])
    dz = max(low[2] - z, 0.0, z - high[2])
    return dx * dx + dy * dy + dz * dz


@kernel(inline=True, allocates=False)
def _on_triangle(t: Array, x: float, y: float, z: float) -> tuple[int, float, float, float]:
    """Which feature of a triangle (3, 3) is nearest (0 face, 1–3 edges, 4–6 corners), and the place on it.

    By the regions of Ericson, Real-Time Collision Detection, 5.1.5.
    """
    abx, aby, abz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
    acx, acy, acz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
    apx, apy, apz = x - t[0, 0], y - t[0, 1], z - t[0, 2]
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    if d1 <= 0.0 and d2 <= 0.0:
        return 4, t[0, 0], t[0, 1], t[0, 2]
    bpx, bpy, bpz = x - t[1, 0], y - t[1, 1], z - t[1, 2]
    d3 = abx * bpx + aby * bpy + abz * bpz
    d4 = acx * bpx + acy * bpy + acz * bpz
    if d3 >= 0.0 and d4 <= d3:
        return 5, t[1, 0], t[1, 1], t[1, 2]
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s = d1 / (d1 - d3)
        return 1, t[0, 0] + s * abx, t[0, 1] + s * aby, t[0, 2] + s * abz
    cpx, cpy, cpz = x - t[2, 0], y - t[2, 1], z - t[2, 2]
    d5 = abx * cpx + aby * cpy + abz * cpz
    d6 = acx * cpx + acy * cpy + acz * cpz
    if d6 >= 0.0 and d5 <= d6:
        return 6, t[2, 0], t[2, 1], t[2, 2]
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s = d2 / (d2 - d6)
        return 3, t[0, 0] + s * acx, t[0, 1] + s * acy, t[0, 2] + s * acz
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        s = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return (
            2,
            t[1, 0] + s * (t[2, 0] - t[1, 0]),
            t[1, 1] + s * (t[2, 1] - t[1, 1]),
            t[1, 2] + s * (t[2, 2] - t[1, 2]),
        )
    share = 1.0 / (va + vb + vc)
    s, r = vb * share, vc * share
    return (
        0,
        t[0, 0] + s * abx + r * acx,
        t[0, 1] + s * aby + r * acy,
        t[0, 2] + s * abz + r * acz,
    )
