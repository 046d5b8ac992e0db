"""Mass moments of branches: what each body and all that hangs from it weighs, and how it is spread.

For the branch below body i, with x measured from the whole character's centre of mass c:

    m = ∫ dm,    s = ∫ x dm,    C = ∫ x xᵀ dm                      (ten numbers per body)

One pass from the tips to the root. Measuring from c rather than from the world's origin keeps all
digits for a character that has walked far away.
"""

from __future__ import annotations

from poise.arrays import Array
from poise.compilation import kernel
from poise.kinematics.forward import mat, vec
from poise.kinematics.layout import Layout
from poise.manifold.algebra import Sym, Vec, add, rotate, scale, sub, sym_apply, sym_rotate


@kernel(inline=True)
def branches_frame(tree: Layout, positions: Array, rotations: Array, centre: Vec, out: Array) -> None:
    """One frame: (n, 9) rows of s (3), then C as xx, xy, xz, yy, yz, zz; m is ``tree.branch_mass``."""
    count = tree.parent.size
    for i in range(count):
        turn = mat(rotations, i)
        m = tree.mass[i]
        x, y, z = sub(add(vec(positions, i), rotate(turn, vec(tree.centre, i))), centre)
        own = sym_rotate(turn, sym(tree.covariance, i, 0))
        out[i, 0], out[i, 1], out[i, 2] = m * x, m * y, m * z
        out[i, 3], out[i, 4], out[i, 5] = own[0] + m * x * x, own[1] + m * x * y, own[2] + m * x * z
        out[i, 6], out[i, 7], out[i, 8] = own[3] + m * y * y, own[4] + m * y * z, own[5] + m * z * z
    for i in range(count - 1, 0, -1):
        up = tree.parent[i]
        for k in range(9):
            out[up, k] += out[i, k]


@kernel(inline=True)
def sym(rows: Array, i: int, first: int) -> Sym:
    """Six numbers of row i as a symmetric matrix."""
    return (
        rows[i, first],
        rows[i, first + 1],
        rows[i, first + 2],
        rows[i, first + 3],
        rows[i, first + 4],
        rows[i, first + 5],
    )


@kernel(inline=True)
def inertia_times(spread: Sym, w: Vec) -> Vec:
    """(tr(C) 1 − C) w: the angular momentum of a spread C turning with w."""
    return sub(scale(spread[0] + spread[3] + spread[5], w), sym_apply(spread, w))
