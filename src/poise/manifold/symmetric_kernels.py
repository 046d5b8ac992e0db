"""Symmetric 3 × 3 tensors inside kernels: their principal axes."""

from __future__ import annotations

import math

from poise.arrays import Array
from poise.compilation import kernel
from poise.manifold.algebra import Sym


@kernel(inline=True)
def principal_axes(s: Sym, values: Array, axes: Array) -> None:
    """Eigenvalues (3,), largest first, and axes as columns (3, 3), by Jacobi rotations."""
    a = axes
    for i in range(3):
        for j in range(3):
            a[i, j] = 1.0 if i == j else 0.0
    xx, xy, xz, yy, yz, zz = s
    size = abs(xx) + abs(yy) + abs(zz) + abs(xy) + abs(xz) + abs(yz)
    for _ in range(12):
        if abs(xy) + abs(xz) + abs(yz) <= 1e-300 + 1e-17 * size:
            break
        if xy != 0.0:
            t, c, n = _turn(xx, yy, xy)
            xx, yy, xy = xx - t * xy, yy + t * xy, 0.0
            xz, yz = c * xz - n * yz, n * xz + c * yz
            _mix(a, 0, 1, c, n)
        if xz != 0.0:
            t, c, n = _turn(xx, zz, xz)
            xx, zz, xz = xx - t * xz, zz + t * xz, 0.0
            xy, yz = c * xy - n * yz, n * xy + c * yz
            _mix(a, 0, 2, c, n)
        if yz != 0.0:
            t, c, n = _turn(yy, zz, yz)
            yy, zz, yz = yy - t * yz, zz + t * yz, 0.0
            xy, xz = c * xy - n * xz, n * xy + c * xz
            _mix(a, 1, 2, c, n)
    values[0], values[1], values[2] = xx, yy, zz
    for i in range(2):
        for j in range(2 - i):
            if values[j] < values[j + 1]:
                values[j], values[j + 1] = values[j + 1], values[j]
                for k in range(3):
                    a[k, j], a[k, j + 1] = a[k, j + 1], a[k, j]


@kernel(inline=True)
def _turn(p: float, q: float, off: float) -> tuple[float, float, float]:
    """Tangent, cosine and sine of the rotation that zeroes an off-diagonal entry."""
    k = (q - p) / (2.0 * off)
    t = 1.0 / (abs(k) + math.sqrt(k * k + 1.0))
    t = -t if k < 0.0 else t
    c = 1.0 / math.sqrt(t * t + 1.0)
    return t, c, t * c


@kernel(inline=True)
def _mix(a: Array, i: int, j: int, c: float, n: float) -> None:
    for k in range(3):
        x, y = a[k, i], a[k, j]
        a[k, i], a[k, j] = c * x - n * y, n * x + c * y
