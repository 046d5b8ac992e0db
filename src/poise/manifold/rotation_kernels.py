"""Rotations inside kernels: quaternion of a matrix, and the Jacobians of the exponential map.

    exp(v + dv) ≈ exp(v) exp(J_r(v) dv),    J_r(v) = 1 − a [v] + b [v]²,    J_r(v)⁻¹ = 1 + [v]/2 + c [v]²

These are the only ones that are compiled; arrays of them: ``so3.right_jacobian`` and its inverse, to which a
test holds them.
"""

from __future__ import annotations

import math
from typing import Any

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
def turn_powers(t2: float) -> tuple[float, float]:
    """a = (1 − cos θ)/θ² and b = (θ − sin θ)/θ³ of θ²."""
    if t2 < _SMALL:
        a = 0.5 * (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56)))
        b = 1 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72)))
    else:
        t = math.sqrt(t2)
        half = math.sin(0.5 * t)
        a = 2.0 * half * half / t2
        b = (t - math.sin(t)) / (t2 * t)
    return a, b


@kernel(inline=True)
def turned(v: Vec, u: Vec) -> Vec:
    """J_r(v) u."""
    a, b = turn_powers(dot(v, v))
    once = cross(v, u)
    return add(u, add(scale(-a, once), scale(b, cross(v, once))))


@kernel(inline=True)
def right_jacobian(v: Vec) -> Mat:
    """J_r(v)."""
    a, b = turn_powers(dot(v, v))
    return _of_powers(v, -a, b)


@kernel(inline=True)
def right_jacobian_inverse(v: Vec) -> Mat:
    """J_r(v)⁻¹."""
    return _of_powers(v, 0.5, bend(v))


@kernel(inline=True)
def _of_powers(v: Vec, a: float, b: float) -> Mat:
    """1 + a [v] + b [v]²."""
    x, y, z = v
    return (
        1.0 - b * (y * y + z * z),
        b * x * y - a * z,
        b * x * z + a * y,
        b * x * y + a * z,
        1.0 - b * (x * x + z * z),
        b * y * z - a * x,
        b * x * z - a * y,
        b * y * z + a * x,
        1.0 - b * (x * x + y * y),
    )


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
