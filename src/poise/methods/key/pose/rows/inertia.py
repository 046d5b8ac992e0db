"""Rows of rotational inertia in its several measures; see ``poise.handles.inertia`` for what they mean."""

from __future__ import annotations

import math

from poise.arrays import Array
from poise.compilation import kernel
from poise.handles.form import GYRATION, PLANAR, RADII, TENSOR
from poise.manifold.algebra import dot
from poise.manifold.symmetric_kernels import principal_axes
from poise.methods.key.pose.rows.place import Place

_FLOOR = 1e-9  # radii and gaps are at least this [m] where one divides by them
_ROOT2 = math.sqrt(2.0)


@kernel(inline=True, allocates=False)
def inertia_rows(
    mass: float,
    kind: int,
    size: float,
    goal: Array,
    g: int,
    r: int,
    at: Place,
    e: Array,
    j: Array,
) -> None:
    """Rows of one measure from the covariance and its change; writes radii and axes where needed."""
    tensor, change, radii, u = at.tensor, at.tensor_j, at.radii, at.principal
    trace = tensor[0] + tensor[3] + tensor[5]
    nv = j.shape[1]
    if kind == PLANAR:
        e[r] = size * (tensor[0] + tensor[5] - goal[g])
        for i in range(nv):
            j[r, i] = size * (change[0, i] + change[5, i])
    elif kind == GYRATION:
        k = math.sqrt(trace / mass)
        e[r] = k - goal[g]
        share = 1.0 / (2.0 * mass * max(k, _FLOOR))
        for i in range(nv):
            j[r, i] = share * (change[0, i] + change[3, i] + change[5, i])
    elif kind == TENSOR:
        for k in range(6):
            own = trace if k == 0 or k == 3 or k == 5 else 0.0
            e[r + k] = size * (own - tensor[k] - goal[g + k])
            for i in range(nv):
                own = change[0, i] + change[3, i] + change[5, i] if k == 0 or k == 3 or k == 5 else 0.0
                j[r + k, i] = size * (own - change[k, i])
    else:
        share = 1.0 / mass
        principal_axes(
            (
                share * tensor[0],
                share * tensor[1],
                share * tensor[2],
                share * tensor[3],
                share * tensor[4],
                share * tensor[5],
            ),
            radii,
            u,
        )
        for k in range(3):
            radii[k] = math.sqrt(max(radii[k], 0.0))
        if kind == RADII:
            _radii_rows(share, goal, g, r, radii, u, change, e, j)
        else:
            _shape_rows(share, goal, g, r, radii, u, change, at.ratios, at.bent, e, j)


@kernel(inline=True, allocates=False)
def _radii_rows(
    share: float, goal: Array, g: int, r: int, radii: Array, u: Array, change: Array, e: Array, j: Array
) -> None:
    for k in range(3):
        x, y, z = u[0, k], u[1, k], u[2, k]
        e[r + k] = radii[k] - goal[g + k]
        s = 0.5 * share / max(radii[k], 0.5 * _FLOOR)
        for i in range(j.shape[1]):
            j[r + k, i] = s * (
                x * x * change[0, i]
                + y * y * change[3, i]
                + z * z * change[5, i]
                + 2.0 * (x * y * change[1, i] + x * z * change[2, i] + y * z * change[4, i])
            )


@kernel(inline=True, allocates=False)
def _shape_rows(
    share: float, goal: Array, g: int, r: int, radii: Array, u: Array, change: Array, ratio: Array, m: Array,
    e: Array, j: Array,
) -> None:  # fmt: skip
    """Error S − U diag(t) Uᵀ and, in the axes U, its change (∂S)_ij (1 − (t_i − t_j) / (r_i − r_j))."""
    for a in range(3):
        for b in range(3):
            gap, wanted = radii[a] - radii[b], goal[g + a] - goal[g + b]
            if abs(gap) <= _FLOOR:
                gap = -_FLOOR if gap < 0.0 else _FLOOR
            lost = 0.0 if wanted == 0.0 else wanted / gap
            ratio[a, b] = share * (1.0 - lost) / max(radii[a] + radii[b], _FLOOR)
    row = 0
    for a in range(3):
        for b in range(a, 3):
            total = 0.0
            for k in range(3):
                total += u[a, k] * u[b, k] * (radii[k] - goal[g + k])
            e[r + row] = total if a == b else _ROOT2 * total
            row += 1
    for i in range(j.shape[1]):
        c = (
            (change[0, i], change[1, i], change[2, i]),
            (change[1, i], change[3, i], change[4, i]),
            (change[2, i], change[4, i], change[5, i]),
        )
        for a in range(3):
            for b in range(a, 3):
                total = 0.0
                for k in range(3):
                    total += u[k, a] * dot(c[k], (u[0, b], u[1, b], u[2, b]))
                m[a, b] = m[b, a] = ratio[a, b] * total
        row = 0
        for a in range(3):
            for b in range(a, 3):
                total = 0.0
                for k in range(3):
                    total += u[a, k] * (m[k, 0] * u[b, 0] + m[k, 1] * u[b, 1] + m[k, 2] * u[b, 2])
                j[r + row, i] = total if a == b else _ROOT2 * total
                row += 1
