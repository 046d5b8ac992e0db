"""What searches for contact forces share: axes of a friction cone, and the solve of six equations that each
step takes."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel


@kernel(allocates=False)
def tangents(nx: float, ny: float, nz: float) -> tuple[float, float, float, float, float, float]:
    """Two unit vectors u, w across a unit normal, with u × w along it."""
    if abs(nx) < 0.9:
        ax, ay, az = 1.0, 0.0, 0.0
    else:
        ax, ay, az = 0.0, 1.0, 0.0
    along = ax * nx + ay * ny + az * nz
    ux, uy, uz = ax - along * nx, ay - along * ny, az - along * nz
    size = np.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / size, uy / size, uz / size
    return ux, uy, uz, ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux


def across(normals: Array) -> tuple[Array, Array]:
    """The same of many normals (…, 3)."""
    aside = np.where(np.abs(normals[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    first = aside - np.sum(aside * normals, axis=-1, keepdims=True) * normals
    first = first / np.linalg.norm(first, axis=-1, keepdims=True)
    return first, np.cross(normals, first)


@kernel(allocates=False)
def factored(curve: Array) -> None:
    """Lower Cholesky factor of (the lower half of) six equations, in place."""
    for j in range(6):
        for k in range(j):
            curve[j, j] -= curve[j, k] * curve[j, k]
        curve[j, j] = np.sqrt(max(curve[j, j], 1e-300))
        for i in range(j + 1, 6):
            for k in range(j):
                curve[i, j] -= curve[i, k] * curve[j, k]
            curve[i, j] /= curve[j, j]


@kernel(allocates=False)
def solved(curve: Array, slope: Array, way: Array) -> None:
    """Solve (lower half of) curve · way = slope; ``curve`` becomes its factor."""
    factored(curve)
    for i in range(6):
        way[i] = slope[i]
        for k in range(i):
            way[i] -= curve[i, k] * way[k]
        way[i] /= curve[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            way[i] -= curve[k, i] * way[k]
        way[i] /= curve[i, i]
