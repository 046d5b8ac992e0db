"""Rotations inside compiled rows: quaternion of a matrix, Jacobians of the exponential, principal axes."""

from __future__ import annotations

import math
from typing import Any

from poise.arrays import Array
from poise.compilation import kernel
from poise.manifold.algebra import Mat, Sym, Vec, add, cross, dot, scale, sub

_SMALL = 1e-3  # squared angle below which the series are exact to rounding


@kernel(inline=True)
def mat_to_quat(m: Mat) -> tuple[Any, Any, Any, Any]:
    """The unit quaternion of a rotation matrix, by the largest pivot."""
    xx, yy, zz = m[0], m[4], m[8]
    w, x, y, z = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    if w >= x and w >= y and w >= z:
        q = (w, m[7] - m[5], m[2] - m[6], m[3] - m[1])
    elif x >= y and x >= z:
        q = (m[7] - m[5], x, m[3] + m[1], m[2] + m[6])
    elif y >= z:
        q = (m[2] - m[6], m[3] + m[1], y, m[7] + m[5])
    else:
        q = (m[3] - m[1], m[2] + m[6], m[7] + m[5], z)
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@kernel(inline=True)
def bend(v: Vec) -> float:
    """(1 − (θ/2) cot(θ/2)) / θ², θ = |v|."""
    t2 = dot(v, v)
    if t2 < _SMALL:
        return 1 / 12 * (1 + t2 / 60 * (1 + t2 / 42 * (1 + t2 / 40)))
    half = 0.5 * math.sqrt(t2)
    return (1.0 - half * math.cos(half) / math.sin(half)) / t2


@kernel(inline=True)
def unturned(v: Vec, c: float, u: Vec) -> Vec:
    """J_r(v)⁻¹ u, with c = bend(v)."""
    once = cross(v, u)
    return add(u, add(scale(0.5, once), scale(c, cross(v, once))))


@kernel(inline=True)
def turned(v: Vec, u: Vec) -> Vec:
    """J_r(v) u."""
    t2 = dot(v, v)
    if t2 < _SMALL:
        a = 0.5 * (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56)))
        b = 1 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72)))
    else:
        t = math.sqrt(t2)
        half = math.sin(0.5 * t)
        a = 2.0 * half * half / t2
        b = (t - math.sin(t)) / (t2 * t)
    once = cross(v, u)
    return add(u, add(scale(-a, once), scale(b, cross(v, once))))


@kernel(inline=True)
def turning_change(w: Vec, g: Vec) -> Sym:
    """The symmetric matrix M with dw · M dw = g · v̈, where exp(w + t dw) = exp(w) exp(v(t)).

    v̈ = (∂J_r(w)[dw]) dw for J_r(w) = 1 − a [w] + b [w]², a and b functions of |w|².
    """
    t2 = dot(w, w)
    if t2 < _SMALL:
        b = 1 / 6 * (1 - t2 / 20)
        da, db = -1 / 24 + t2 / 360, -1 / 120 + t2 / 2520
    else:
        t = math.sqrt(t2)
        s, half = math.sin(t), math.sin(0.5 * t)
        b = (t - s) / (t2 * t)
        da = (t * s - 4.0 * half * half) / (2.0 * t2 * t2)
        db = (2.0 * t * half * half - 3.0 * (t - s)) / (2.0 * t2 * t2 * t)
    p = cross(g, w)
    r = sub(scale(db, cross(p, w)), scale(da, p))
    r = sub(r, scale(0.5 * b, g))
    k = b * dot(g, w)
    return (
        2.0 * w[0] * r[0] + k,
        w[0] * r[1] + w[1] * r[0],
        w[0] * r[2] + w[2] * r[0],
        2.0 * w[1] * r[1] + k,
        w[1] * r[2] + w[2] * r[1],
        2.0 * w[2] * r[2] + k,
    )


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
