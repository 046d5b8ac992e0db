"""Small fixed-size algebra for compiled kernels: vectors, matrices, quaternions as tuples.

Vectors are 3-tuples, matrices 9-tuples by rows, symmetric matrices 6-tuples (xx, xy, xz, yy, yz,
zz). Tuples live in registers. Every helper uses only ``+ − × ÷`` on its elements, so it works for
plain floats and for SIMD lanes alike (see ``poise.dynamics.lanes``).
"""

from __future__ import annotations

from typing import Any

from poise.compilation import kernel

Vec = tuple[Any, Any, Any]
Mat = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any]
Sym = tuple[Any, Any, Any, Any, Any, Any]


@kernel(inline=True)
def add(a: Vec, b: Vec) -> Vec:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel(inline=True)
def sub(a: Vec, b: Vec) -> Vec:
    """a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel(inline=True)
def scale(s: Any, a: Vec) -> Vec:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@kernel(inline=True)
def dot(a: Vec, b: Vec) -> Any:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(inline=True)
def cross(a: Vec, b: Vec) -> Vec:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel(inline=True)
def rotate(m: Mat, v: Vec) -> Vec:
    """m v."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@kernel(inline=True)
def rotate_back(m: Mat, v: Vec) -> Vec:
    """mᵀ v."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@kernel(inline=True)
def product(a: Mat, b: Mat) -> Mat:
    """a b."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@kernel(inline=True)
def transpose(a: Mat) -> Mat:
    """aᵀ."""
    return (a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8])


@kernel(inline=True)
def sym_apply(s: Sym, v: Vec) -> Vec:
    """s v for a symmetric matrix."""
    return (
        s[0] * v[0] + s[1] * v[1] + s[2] * v[2],
        s[1] * v[0] + s[3] * v[1] + s[4] * v[2],
        s[2] * v[0] + s[4] * v[1] + s[5] * v[2],
    )


@kernel(inline=True)
def sym_to_mat(s: Sym) -> Mat:
    """The nine entries of a symmetric matrix."""
    return (s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5])


@kernel(inline=True)
def sym_rotate(m: Mat, s: Sym) -> Sym:
    """m s mᵀ."""
    t = product(m, sym_to_mat(s))
    return (
        t[0] * m[0] + t[1] * m[1] + t[2] * m[2],
        t[0] * m[3] + t[1] * m[4] + t[2] * m[5],
        t[0] * m[6] + t[1] * m[7] + t[2] * m[8],
        t[3] * m[3] + t[4] * m[4] + t[5] * m[5],
        t[3] * m[6] + t[4] * m[7] + t[5] * m[8],
        t[6] * m[6] + t[7] * m[7] + t[8] * m[8],
    )


@kernel(inline=True)
def sym_inverse(s: Sym) -> Sym:
    """s⁻¹ by cofactors."""
    xx, xy, xz, yy, yz, zz = s
    cxx = yy * zz - yz * yz
    cxy = xz * yz - xy * zz
    cxz = xy * yz - xz * yy
    r = 1.0 / (xx * cxx + xy * cxy + xz * cxz)
    return (
        cxx * r,
        cxy * r,
        cxz * r,
        (xx * zz - xz * xz) * r,
        (xy * xz - xx * yz) * r,
        (xx * yy - xy * xy) * r,
    )


@kernel(inline=True)
def quat_to_mat(w: Any, x: Any, y: Any, z: Any) -> Mat:
    """The rotation matrix of a unit quaternion."""
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return (
        1.0 - 2.0 * (yy + zz),
        2.0 * (xy - wz),
        2.0 * (xz + wy),
        2.0 * (xy + wz),
        1.0 - 2.0 * (xx + zz),
        2.0 * (yz - wx),
        2.0 * (xz - wy),
        2.0 * (yz + wx),
        1.0 - 2.0 * (xx + yy),
    )


@kernel(inline=True)
def axis_to_mat(axis: Vec, sine: Any, cosine: Any) -> Mat:
    """The rotation about a unit axis by the angle whose sine and cosine are given."""
    x, y, z = axis
    k = 1.0 - cosine
    return (
        cosine + x * x * k,
        x * y * k - z * sine,
        x * z * k + y * sine,
        x * y * k + z * sine,
        cosine + y * y * k,
        y * z * k - x * sine,
        x * z * k - y * sine,
        y * z * k + x * sine,
        cosine + z * z * k,
    )
