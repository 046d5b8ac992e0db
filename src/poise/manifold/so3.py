"""Rotations as unit quaternions (w, x, y, z), vectorised over leading axes.

    exp: R³ → S³,   exp(v) = (cos |v|/2, sin(|v|/2) v/|v|)
    log: S³ → R³,   the rotation vector of least length, |log q| ≤ π

Both are accurate to rounding at 0 and near π. The right Jacobian relates a change of the rotation
vector to a rotation in the *body* frame: ``exp(v + dv) ≈ exp(v) · exp(J_r(v) dv)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False

# Below this squared angle the Taylor series are exact to rounding with the terms kept.
_SMALL = 1e-3


def normalise(q: ArrayLike) -> Array:
    """Quaternions scaled to unit length, (…, 4)."""
    q = np.asarray(q, dtype=np.float64)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Quaternion product ``a b``: rotate by ``b`` first when acting on vectors, (…, 4)."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    w = aw * bw - ax * bx - ay * by - az * bz
    out = np.empty((*w.shape, 4))
    out[..., 0] = w
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def conjugate(q: ArrayLike) -> Array:
    """The inverse of a unit quaternion, (…, 4)."""
    return np.asarray(q, dtype=np.float64) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Vectors turned by quaternions, (…, 3)."""
    q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    a, b, c = v[..., 0], v[..., 1], v[..., 2]
    # v + w t + u × t with t = 2 u × v, in numbers: of a few vectors np.cross takes ten times as long.
    r, s, t = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    first = a + w * r + (y * t - z * s)
    out = np.empty((*first.shape, 3))
    out[..., 0] = first
    out[..., 1] = b + w * s + (z * r - x * t)
    out[..., 2] = c + w * t + (x * s - y * r)
    return out


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrices of unit quaternions, (…, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=np.float64), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(matrix: ArrayLike) -> Array:
    """Unit quaternions of rotation matrices (…, 3, 3), w ≥ 0.

    Of the four ways to take the square root the one with the largest pivot is used, so no
    rotation loses digits.
    """
    m = np.asarray(matrix, dtype=np.float64)
    m00, m11, m22 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    x21, x02, x10 = m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]
    y12, y20, y01 = m[..., 1, 2], m[..., 2, 0], m[..., 0, 1]
    candidates = np.stack(
        [
            np.stack([1 + m00 + m11 + m22, x21 - y12, x02 - y20, x10 - y01], axis=-1),
            np.stack([x21 - y12, 1 + m00 - m11 - m22, x10 + y01, x02 + y20], axis=-1),
            np.stack([x02 - y20, x10 + y01, 1 - m00 + m11 - m22, x21 + y12], axis=-1),
            np.stack([x10 - y01, x02 + y20, x21 + y12, 1 - m00 - m11 + m22], axis=-1),
        ],
        axis=-2,
    )  # (…, 4 candidates, 4)
    pivots = np.diagonal(candidates, axis1=-2, axis2=-1)
    best = np.argmax(pivots, axis=-1)[..., None, None]
    q = np.take_along_axis(candidates, best, axis=-2)[..., 0, :]
    q = normalise(q)
    return np.where(q[..., :1] < 0, -q, q)


def nearest(matrix: ArrayLike) -> Array:
    """The rotations (…, 3, 3) nearest to matrices U S Vᵀ by the sum of squares: U diag(1, 1, |U V|) Vᵀ."""
    u, _, vt = np.linalg.svd(np.asarray(matrix, dtype=np.float64))
    u[..., 2] *= np.where(np.linalg.det(u @ vt) < 0, -1.0, 1.0)[..., None]
    return np.asarray(u @ vt)


def exp(v: ArrayLike) -> Array:
    """Unit quaternions of rotation vectors (…, 3) [rad]."""
    v = np.asarray(v, dtype=np.float64)
    half2 = 0.25 * np.sum(v * v, axis=-1, keepdims=True)
    half = np.sqrt(half2)
    small = half2 < _SMALL
    safe = np.where(small, 1.0, half)
    series = 1 - half2 / 6 * (1 - half2 / 20 * (1 - half2 / 42 * (1 - half2 / 72)))
    k = 0.5 * np.where(small, series, np.sin(safe) / safe)
    return np.concatenate([np.cos(half), k * v], axis=-1)


def log(q: ArrayLike) -> Array:
    """Rotation vectors (…, 3) [rad] of unit quaternions, the shorter way round (|v| ≤ π)."""
    q = np.asarray(q, dtype=np.float64)
    q = np.where(q[..., :1] < 0, -q, q)
    w, u = q[..., :1], q[..., 1:]
    s = np.linalg.norm(u, axis=-1, keepdims=True)
    small = s < 1e-9
    safe = np.where(small, 1.0, s)
    return u * np.where(small, 2.0, 2.0 * np.arctan2(s, w) / safe)


def difference(b: ArrayLike, a: ArrayLike) -> Array:
    """``b ⊖ a = log(a⁻¹ b)``: the rotation vector in a's frame that leads from a to b, (…, 3)."""
    return log(multiply(conjugate(a), b))


def slerp(a: ArrayLike, b: ArrayLike, s: ArrayLike) -> Array:
    """The rotation a fraction ``s`` of the shorter way from a to b; s has the leading shape."""
    s = np.asarray(s, dtype=np.float64)[..., None]
    return multiply(a, exp(s * difference(b, a)))


def hat(v: ArrayLike) -> Array:
    """The matrix of the cross product: ``hat(v) w = v × w``, (…, 3, 3)."""
    x, y, z = np.moveaxis(np.asarray(v, dtype=np.float64), -1, 0)
    o = np.zeros_like(x)
    rows = [[o, -z, y], [z, o, -x], [-y, x, o]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def right_jacobian(v: ArrayLike) -> Array:
    """J_r(v) = I − (1−cos θ)/θ² [v] + (θ−sin θ)/θ³ [v]², θ = |v|, (…, 3, 3)."""
    v = np.asarray(v, dtype=np.float64)
    t2 = np.sum(v * v, axis=-1)
    t = np.sqrt(t2)
    small = t2 < _SMALL
    safe, safe2 = np.where(small, 1.0, t), np.where(small, 1.0, t2)
    a_series = 0.5 * (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56)))
    b_series = 1 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72)))
    # 1 − cos θ = 2 sin²(θ/2) keeps its digits where 1 − cos does not.
    a = np.where(small, a_series, 2 * np.sin(safe / 2) ** 2 / safe2)
    b = np.where(small, b_series, (safe - np.sin(safe)) / (safe2 * safe))
    h = hat(v)
    return np.eye(3) - a[..., None, None] * h + b[..., None, None] * (h @ h)


def right_jacobian_inverse(v: ArrayLike) -> Array:
    """J_r(v)⁻¹ = I + [v]/2 + (1 − (θ/2) cot(θ/2))/θ² [v]²; regular at 0 and at π, (…, 3, 3)."""
    v = np.asarray(v, dtype=np.float64)
    t2 = np.sum(v * v, axis=-1)
    small = t2 < _SMALL
    safe2 = np.where(small, 1.0, t2)
    half = 0.5 * np.sqrt(safe2)
    series = 1 / 12 * (1 + t2 / 60 * (1 + t2 / 42 * (1 + t2 / 40)))
    c = np.where(small, series, (1 - half * np.cos(half) / np.sin(half)) / safe2)
    h = hat(v)
    return np.eye(3) + 0.5 * h + c[..., None, None] * (h @ h)


def continuous(q: ArrayLike) -> Array:
    """The same rotations over time (F, …, 4) with signs chosen so that neighbours agree."""
    q = np.array(q, dtype=np.float64)
    if len(q) > 1:
        flips = np.sum(q[1:] * q[:-1], axis=-1, keepdims=True) < 0
        sign = np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
        q[1:] *= sign
    return q


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """The smallest rotation that turns direction a into direction b (…, 3) → (…, 4)."""
    start, end = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    start = start / np.linalg.norm(start, axis=-1, keepdims=True)
    end = end / np.linalg.norm(end, axis=-1, keepdims=True)
    dot = np.sum(start * end, axis=-1, keepdims=True)
    q = np.concatenate([1.0 + dot, np.cross(start, end)], axis=-1)
    # Opposite directions: any axis perpendicular to a will do.
    other = np.where(np.abs(start[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    half_turn = np.concatenate([np.zeros_like(dot), np.cross(start, other)], axis=-1)
    return normalise(np.where(dot < -1 + 1e-12, half_turn, q))
