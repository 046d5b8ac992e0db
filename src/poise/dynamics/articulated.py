"""Algebra of articulated-body inertias: what a branch answers to an acceleration of its base.

moment = A α + B a + n        A, C symmetric 3 × 3, B any 3 × 3
force  = Bᵀ α + C a + f
"""

from __future__ import annotations

from typing import Any

from poise.compilation import kernel
from poise.manifold.algebra import Mat, Sym, Vec, add, cross, product, rotate, sym_apply, sym_to_mat


@kernel(inline=True)
def respond(a: Sym, b: Mat, c: Sym, turn: Vec, shift: Vec) -> tuple[Vec, Vec]:
    """Moment A α + B a and force Bᵀ α + C a."""
    moment = add(sym_apply(a, turn), rotate(b, shift))
    force = (
        b[0] * turn[0] + b[3] * turn[1] + b[6] * turn[2],
        b[1] * turn[0] + b[4] * turn[1] + b[7] * turn[2],
        b[2] * turn[0] + b[5] * turn[1] + b[8] * turn[2],
    )
    return moment, add(force, sym_apply(c, shift))


@kernel(inline=True)
def release_axis(a: Sym, b: Mat, c: Sym, p: Vec, q: Vec, r: Any) -> tuple[Sym, Mat, Sym]:
    """The inertia left when one degree of freedom gives way: minus r U Uᵀ with U = (p, q)."""
    x, y, z = r * p[0], r * p[1], r * p[2]
    u, v, w = r * q[0], r * q[1], r * q[2]
    rest_a = (
        a[0] - x * p[0],
        a[1] - x * p[1],
        a[2] - x * p[2],
        a[3] - y * p[1],
        a[4] - y * p[2],
        a[5] - z * p[2],
    )
    rest_b = (
        b[0] - x * q[0],
        b[1] - x * q[1],
        b[2] - x * q[2],
        b[3] - y * q[0],
        b[4] - y * q[1],
        b[5] - y * q[2],
        b[6] - z * q[0],
        b[7] - z * q[1],
        b[8] - z * q[2],
    )
    rest_c = (
        c[0] - u * q[0],
        c[1] - u * q[1],
        c[2] - u * q[2],
        c[3] - v * q[1],
        c[4] - v * q[2],
        c[5] - w * q[2],
    )
    return rest_a, rest_b, rest_c


@kernel(inline=True)
def release_block(k: Sym, x: Mat, z: Sym, g: Sym, d: Sym) -> tuple[Sym, Mat, Sym]:
    """The inertia left when three degrees of freedom give way, those whose own block is K.

    For [[K, X], [Xᵀ, Z]] with joint inertia G and d = (K + G)⁻¹:

        K ← K − K d K = G d K,    X ← X − K d X = G d X,    Z ← Z − Xᵀ d X

    The forms with G keep their digits where the joint is light and the remainder nearly nothing.
    """
    gd = product(sym_to_mat(g), sym_to_mat(d))
    dx = product(sym_to_mat(d), x)
    rest_k = (
        gd[0] * k[0] + gd[1] * k[1] + gd[2] * k[2],
        gd[0] * k[1] + gd[1] * k[3] + gd[2] * k[4],
        gd[0] * k[2] + gd[1] * k[4] + gd[2] * k[5],
        gd[3] * k[1] + gd[4] * k[3] + gd[5] * k[4],
        gd[3] * k[2] + gd[4] * k[4] + gd[5] * k[5],
        gd[6] * k[2] + gd[7] * k[4] + gd[8] * k[5],
    )
    rest_z = (
        z[0] - x[0] * dx[0] - x[3] * dx[3] - x[6] * dx[6],
        z[1] - x[0] * dx[1] - x[3] * dx[4] - x[6] * dx[7],
        z[2] - x[0] * dx[2] - x[3] * dx[5] - x[6] * dx[8],
        z[3] - x[1] * dx[1] - x[4] * dx[4] - x[7] * dx[7],
        z[4] - x[1] * dx[2] - x[4] * dx[5] - x[7] * dx[8],
        z[5] - x[2] * dx[2] - x[5] * dx[5] - x[8] * dx[8],
    )
    return rest_k, product(gd, x), rest_z


@kernel(inline=True)
def joint_inertia(turn: Mat, x: Any, y: Any, z: Any) -> Sym:
    """R diag(x, y, z) Rᵀ: armature about three axes, in world axes."""
    t = (
        turn[0] * x,
        turn[1] * y,
        turn[2] * z,
        turn[3] * x,
        turn[4] * y,
        turn[5] * z,
        turn[6] * x,
        turn[7] * y,
        turn[8] * z,
    )
    return (
        t[0] * turn[0] + t[1] * turn[1] + t[2] * turn[2],
        t[0] * turn[3] + t[1] * turn[4] + t[2] * turn[5],
        t[0] * turn[6] + t[1] * turn[7] + t[2] * turn[8],
        t[3] * turn[3] + t[4] * turn[4] + t[5] * turn[5],
        t[3] * turn[6] + t[4] * turn[7] + t[5] * turn[8],
        t[6] * turn[6] + t[7] * turn[7] + t[8] * turn[8],
    )


@kernel(inline=True)
def seen_from_parent(a: Sym, b: Mat, c: Sym, r: Vec) -> tuple[Sym, Mat]:
    """A and B about the parent's origin, r before the link's; C stays.

    B' = B + [r] C,    A' = A − B [r] + [r] B'ᵀ
    """
    x, y, z = r
    far_b = (
        b[0] + y * c[2] - z * c[1],
        b[1] + y * c[4] - z * c[3],
        b[2] + y * c[5] - z * c[4],
        b[3] + z * c[0] - x * c[2],
        b[4] + z * c[1] - x * c[4],
        b[5] + z * c[2] - x * c[5],
        b[6] + x * c[1] - y * c[0],
        b[7] + x * c[3] - y * c[1],
        b[8] + x * c[4] - y * c[2],
    )
    far_a = (
        a[0] + y * (b[2] + far_b[2]) - z * (b[1] + far_b[1]),
        a[1] + z * b[0] - x * b[2] + y * far_b[5] - z * far_b[4],
        a[2] + x * b[1] - y * b[0] + y * far_b[8] - z * far_b[7],
        a[3] + z * (b[3] + far_b[3]) - x * (b[5] + far_b[5]),
        a[4] + x * b[4] - y * b[3] + z * far_b[6] - x * far_b[8],
        a[5] + x * (b[7] + far_b[7]) - y * (b[6] + far_b[6]),
    )
    return far_a, far_b


@kernel(inline=True)
def at_parent(moment: Vec, force: Vec, r: Vec) -> Vec:
    """The moment about the parent's origin."""
    return add(moment, cross(r, force))


@kernel(inline=True)
def sym_add(k: Sym, g: Sym) -> Sym:
    """K + G."""
    return (k[0] + g[0], k[1] + g[1], k[2] + g[2], k[3] + g[3], k[4] + g[4], k[5] + g[5])
