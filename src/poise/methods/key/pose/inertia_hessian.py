"""Second derivatives of principal radii and of the shape of the mass.

Both are functions of the eigenvalues λ = M r² and axes u of the mass covariance C. With c_ij = u_i · ∂C u_j,

    radii   f = Σ y_i r_i
            ∂²f = Σ α_i (∂²C)_ii + Σ_i y_i r_i″ c_ii² + Σ_i≠k 2 α_i c_ik² / (λ_i − λ_k)
    shape   f = Y : Σ (r_i − t_i) u_i u_iᵀ
            ∂²f = Σ Y_ij g_ij (∂²C)_ij + Σ_ijk 2 Y_ij g_ikj c_ik c_kj

with α_i = y_i r_i′, primes by λ, and g_ij, g_ikj the divided differences of g_i = r_i − t_i over λ. The first
term of each is a force on C, which is returned; the others are added here.
"""

from __future__ import annotations

import math

from poise.arrays import Array
from poise.compilation import kernel
from poise.handles.form import RADII
from poise.manifold.algebra import Sym, dot

_NEAR = 1e-7
"""Radii [m] are at least this, and eigenvalues over M this far apart, where one divides by them."""


@kernel()
def principal_curvature(
    kind: int,
    mass: float,
    y: Array,
    goal: Array,
    radii: Array,
    u: Array,
    change: Array,
    c: Array,
    h: Array,
) -> Sym:
    """Add to the lower triangle of h; the force on C as xx, xy, xz, yy, yz, zz.

    y and ``goal`` are the task's own; ``change`` is ∂C (6, nv), c (6, nv) scratch.
    """
    n = h.shape[0]
    _in_principal_axes(u, change, c)
    inner = (
        (_inside(y, u, 0, 0), _inside(y, u, 0, 1), _inside(y, u, 0, 2)),
        (_inside(y, u, 1, 0), _inside(y, u, 1, 1), _inside(y, u, 1, 2)),
        (_inside(y, u, 2, 0), _inside(y, u, 2, 1), _inside(y, u, 2, 2)),
    )
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        for k in range(3):
            if kind == RADII:
                a = y[i] * _slope(mass, radii, i) if i == k else 0.0
            else:
                a = inner[i][k] * _first(mass, radii, goal, i, k)
            xx += a * u[0, i] * u[0, k]
            xy += a * 0.5 * (u[0, i] * u[1, k] + u[1, i] * u[0, k])
            xz += a * 0.5 * (u[0, i] * u[2, k] + u[2, i] * u[0, k])
            yy += a * u[1, i] * u[1, k]
            yz += a * 0.5 * (u[1, i] * u[2, k] + u[2, i] * u[1, k])
            zz += a * u[2, i] * u[2, k]
    for k in range(3):
        for i in range(3):
            for j in range(i + 1):
                if kind == RADII:
                    if i != j:
                        continue
                    if i == k:
                        a = 2.0 * y[i] * _third(mass, radii, goal, i, i, i)
                    else:
                        a = 2.0 * y[i] * _slope(mass, radii, i) / _apart(mass, radii, i, k)
                else:
                    a = 2.0 * inner[i][j] * _third(mass, radii, goal, i, k, j)
                a = 0.5 * a if i == j else a
                p, q = c[_entry(i, k)], c[_entry(j, k)]
                for l in range(n):
                    s, t, row = a * p[l], a * q[l], h[l]
                    for m in range(l + 1):
                        row[m] += s * q[m] + t * p[m]
    return (xx, xy, xz, yy, yz, zz)


@kernel(inline=True)
def _entry(i: int, k: int) -> int:
    """Place of an entry among xx, xy, xz, yy, yz, zz."""
    a, b = min(i, k), max(i, k)
    return a * 3 - (a * (a + 1)) // 2 + b


@kernel(inline=True)
def _in_principal_axes(u: Array, change: Array, c: Array) -> None:
    for a in range(3):
        for b in range(a, 3):
            row = c[_entry(a, b)]
            for i in range(row.size):
                first = dot((change[0, i], change[1, i], change[2, i]), (u[0, b], u[1, b], u[2, b]))
                second = dot((change[1, i], change[3, i], change[4, i]), (u[0, b], u[1, b], u[2, b]))
                third = dot((change[2, i], change[4, i], change[5, i]), (u[0, b], u[1, b], u[2, b]))
                row[i] = u[0, a] * first + u[1, a] * second + u[2, a] * third


@kernel(inline=True)
def _inside(y: Array, u: Array, a: int, b: int) -> float:
    """An entry of the shape's forces in principal axes; y has √2-fold off-diagonal entries, (6,) or more."""
    if y.size < 6:
        return 0.0
    k = math.sqrt(0.5)
    first = dot((y[0], k * y[1], k * y[2]), (u[0, b], u[1, b], u[2, b]))
    second = dot((k * y[1], y[3], k * y[4]), (u[0, b], u[1, b], u[2, b]))
    third = dot((k * y[2], k * y[4], y[5]), (u[0, b], u[1, b], u[2, b]))
    return u[0, a] * first + u[1, a] * second + u[2, a] * third


@kernel(inline=True)
def _slope(mass: float, radii: Array, i: int) -> float:
    """∂r/∂λ."""
    return 0.5 / (mass * max(radii[i], _NEAR))


@kernel(inline=True)
def _apart(mass: float, radii: Array, i: int, k: int) -> float:
    """λ_i − λ_k, away from zero; radii come longest first."""
    gap = radii[i] * radii[i] - radii[k] * radii[k]
    if abs(gap) < _NEAR:
        gap = _NEAR if i < k else -_NEAR
    return mass * gap


@kernel(inline=True)
def _first(mass: float, radii: Array, goal: Array, i: int, k: int) -> float:
    """First divided difference g_ik."""
    if i == k:
        return _slope(mass, radii, i)
    return ((radii[i] - goal[i]) - (radii[k] - goal[k])) / _apart(mass, radii, i, k)


@kernel(inline=True)
def _third(mass: float, radii: Array, goal: Array, i: int, k: int, j: int) -> float:
    """Second divided difference g_ikj, symmetric in its arguments."""
    if i == k and k == j:
        radius = max(radii[i], _NEAR)
        return -0.125 / (mass * mass * radius * radius * radius)
    if i == j:  # the pair of equal ones first
        return (_first(mass, radii, goal, i, i) - _first(mass, radii, goal, i, k)) / _apart(mass, radii, i, k)
    return (_first(mass, radii, goal, i, k) - _first(mass, radii, goal, k, j)) / _apart(mass, radii, i, j)
