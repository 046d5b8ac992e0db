"""Second derivatives of tasks: what Gauss–Newton leaves out, and what makes large residuals settle quickly.

With y the force of each row (∂merit/∂e), the merit's Hessian has the term Σ y ∂²e. For degrees of freedom k
and l, where k turns about a_k and lies before l (or in the same joint),

    points    ∂²x/∂k∂l = a_k × ∂x/∂l            so   Σ y · ∂²x = a_k · n_l,   n_l = Σ ∂x/∂l × y
    spread    f = Y : C,  B_l = ∫ (∂x/∂l) xᵀ dm,  p_l = ∫ ∂x/∂l dm   (x and the pivot o from c)
              ∂²f = 2 a_k · (axial(Y B_l) − axial(B_l Y) − o_k × Y p_l) − 2 p_k · Y p_l / M

with axial(A) = (A_zy − A_yz, A_xz − A_zx, A_yx − A_xy); a translation k has only 2 a_k · Y p_l. Within a
ball, where neither comes first, the mean of both orders: the second derivative along the exponential.
O(depth) per degree of freedom. Radii and shapes: ``principal_curvature``. Rotations and angles are left to
Gauss–Newton.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.handles.form import CENTRE, DISTANCE, GYRATION, PLANAR, PLANE, POINT, RADII, SHAPE, TENSOR
from poise.kinematics.branches import sym
from poise.kinematics.forward import vec
from poise.kinematics.layout import Layout
from poise.manifold.algebra import Sym, Vec, add, cross, dot, scale, sub, sym_apply
from poise.methods.key.pose.inertia_hessian import principal_curvature
from poise.methods.key.pose.rows.direction import difference_of
from poise.methods.key.pose.rows.place import Place
from poise.methods.key.pose.rows.plan import RowPlan
from poise.solvers.prioritised import add_squares

_FLOOR = 1e-6
"""Lengths are taken to be at least this [m] where one divides by them."""


class CurvatureRoom(NamedTuple):
    """Scratch for the curvature at one pose."""

    forces: Array
    """On points, (P, 3)."""
    twist: Array
    push: Array
    """(nv, 3)"""
    rows: Array
    """(6, nv)"""
    shares: Array
    """(3,)"""


@kernel(inline=True, allocates=False)
def curvature_frame(
    tree: Layout, plan: RowPlan, at: Place, goal: Array, y: Array, room: CurvatureRoom, weight: Array,
    h: Array,
) -> None:  # fmt: skip
    """Add Σ y ∂²e to the lower triangle of h (nv, nv); y (m,) in the rows' own scale.

    Rows that are square roots curve against their own gradient too: their ``weight`` (m,) is lowered by that.
    """
    room.forces[:] = 0.0
    on_centre = (0.0, 0.0, 0.0)
    spread = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for t in range(plan.kind.size):
        kind, r = plan.kind[t], plan.row[t]
        if kind == POINT:
            for k in range(r, plan.row[t + 1]):
                if plan.plus[t] >= 0:
                    room.forces[plan.plus[t], plan.which[k]] += y[k]
                if plan.minus[t] >= 0:
                    room.forces[plan.minus[t], plan.which[k]] -= y[k]
        elif kind == CENTRE:
            for k in range(r, plan.row[t + 1]):
                i = plan.which[k]
                on_centre = add(on_centre, (y[k] * (i == 0), y[k] * (i == 1), y[k] * (i == 2)))
        elif kind in (PLANE, DISTANCE):
            _push_along(plan, t, at, y[r], room, weight, h)
        elif kind in (RADII, SHAPE):
            on_spread = principal_curvature(
                kind, tree.branch_mass[0], y[r:], goal[plan.goal[t] :], at.radii, at.principal, at.tensor_j,
                room.rows, h,
            )  # fmt: skip
            spread = _more(spread, 1.0, on_spread)
        else:
            share, on_spread = _moment(kind, r, plan.scale[t], tree.branch_mass[0], at.tensor, y, weight)
            spread = _more(spread, share, on_spread)
    _point_twists(on_centre, plan.centred, at.centre_j, room.forces, at.point_j, room.twist)
    centre = (0.0, 0.0, 0.0)
    if plan.spread:
        centre = vec(at.centre, 0)
        _spread_twists(
            tree.first_dof, tree.turning, tree.branch_mass, at.positions, at.axes, centre, spread,
            at.branches, room.twist, room.push,
        )  # fmt: skip
        for l in range(h.shape[0]):
            x, y2, z = vec(room.push, l)
            for k in range(l + 1):  # centre_j is p_k / M
                h[l, k] -= x * at.centre_j[0, k] + y2 * at.centre_j[1, k] + z * at.centre_j[2, k]
    _pairs(
        tree.parent, tree.first_dof, tree.turning, at.positions, at.axes, centre, plan.spread, room.twist,
        room.push, h,
    )  # fmt: skip


@kernel(inline=True, allocates=False)
def _push_along(
    plan: RowPlan, t: int, at: Place, y: float, room: CurvatureRoom, weight: Array, h: Array
) -> None:
    """The force y of a row along a normal, or along a length, which curves itself."""
    n, plus, minus = vec(plan.normal, t), plan.plus[t], plan.minus[t]
    if plan.kind[t] == DISTANCE:
        x = difference_of(vec(plan.constant, t), plus, minus, at.points)
        length = max(math.sqrt(dot(x, x)), _FLOOR)
        n = scale(1.0 / length, x)
        # A length also curves by what moves across it: (1 − n nᵀ) / length.
        for i in range(3):
            row = room.rows[i]
            row[:] = 0.0
            if plus >= 0:
                row += at.point_j[plus, i]
            if minus >= 0:
                row -= at.point_j[minus, i]
            room.shares[i] = y / length
        add_squares(room.rows[:3], room.shares, h)
        weight[plan.row[t]] -= y / length
    for i in range(3):
        if plus >= 0:
            room.forces[plus, i] += y * n[i]
        if minus >= 0:
            room.forces[minus, i] -= y * n[i]


@kernel(inline=True, allocates=False)
def _moment(
    kind: int, r: int, size: float, mass: float, tensor: Array, y: Array, weight: Array
) -> tuple[float, Sym]:
    """What a measure of inertia that is linear in the spread, or its root, asks of it: a factor and a tensor.

    Rotations and angles, joints, momentum and general rows ask for nothing here.
    """
    if kind == PLANAR:
        return size * y[r], (1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    if kind == TENSOR:
        trace = y[r] + y[r + 3] + y[r + 5]
        # y : (tr C 1 − C), off-diagonal rows counted once.
        return size, (
            trace - y[r],
            -0.5 * y[r + 1],
            -0.5 * y[r + 2],
            trace - y[r + 3],
            -0.5 * y[r + 4],
            trace - y[r + 5],
        )
    if kind == GYRATION:
        radius = max(math.sqrt((tensor[0] + tensor[3] + tensor[5]) / mass), _FLOOR)
        weight[r] -= y[r] / radius
        return y[r] / (2.0 * mass * radius), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    return 0.0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel(inline=True)
def _more(a: Sym, s: float, b: Sym) -> Sym:
    return (
        a[0] + s * b[0],
        a[1] + s * b[1],
        a[2] + s * b[2],
        a[3] + s * b[3],
        a[4] + s * b[4],
        a[5] + s * b[5],
    )


@kernel(inline=True, allocates=False)
def _point_twists(
    on_centre: Vec, centred: int, centre_j: Array, forces: Array, point_j: Array, twist: Array
) -> None:
    """n_l of every degree of freedom, from points and the centre of mass."""
    for l in range(twist.shape[0]):
        n = (0.0, 0.0, 0.0)
        if centred:
            n = cross((centre_j[0, l], centre_j[1, l], centre_j[2, l]), on_centre)
        for p in range(forces.shape[0]):
            x = point_j[p]
            n = add(n, cross((x[0, l], x[1, l], x[2, l]), vec(forces, p)))
        twist[l, 0], twist[l, 1], twist[l, 2] = n


@kernel(inline=True, allocates=False)
def _spread_twists(
    first_dof: IntArray,
    turning: IntArray,
    branch_mass: Array,
    positions: Array,
    axes: Array,
    centre: Vec,
    spread: Sym,
    moments: Array,
    twist: Array,
    push: Array,
) -> None:
    """The spread's axial terms, added to n_l, and 2 Y p_l."""
    for i in range(branch_mass.size):
        xx, xy, xz, yy, yz, zz = sym(moments, i, 3)
        s = vec(moments, i)
        o = sub(vec(positions, i), centre)
        for l in range(first_dof[i], first_dof[i + 1]):
            a = vec(axes, l)
            if turning[l]:
                b0 = cross(a, sub((xx, xy, xz), scale(s[0], o)))
                b1 = cross(a, sub((xy, yy, yz), scale(s[1], o)))
                b2 = cross(a, sub((xz, yz, zz), scale(s[2], o)))
                p = cross(a, sub(s, scale(branch_mass[i], o)))
            else:
                b0, b1, b2 = scale(s[0], a), scale(s[1], a), scale(s[2], a)
                p = scale(branch_mass[i], a)
            # b0, b1, b2 are the columns of B; those of Y B, and (by rows) B Y.
            y0, y1, y2 = sym_apply(spread, b0), sym_apply(spread, b1), sym_apply(spread, b2)
            r0 = sym_apply(spread, (b0[0], b1[0], b2[0]))
            r1 = sym_apply(spread, (b0[1], b1[1], b2[1]))
            r2 = sym_apply(spread, (b0[2], b1[2], b2[2]))
            twist[l, 0] += 2.0 * (y1[2] - y2[1] - (r2[1] - r1[2]))
            twist[l, 1] += 2.0 * (y2[0] - y0[2] - (r0[2] - r2[0]))
            twist[l, 2] += 2.0 * (y0[1] - y1[0] - (r1[0] - r0[1]))
            push[l, 0], push[l, 1], push[l, 2] = scale(2.0, sym_apply(spread, p))


@kernel(inline=True)
def _pair(a: Vec, turning: int, spread: int, o: Vec, n: Vec, force: Vec) -> float:
    """∂²/∂k∂l for k (axis a, pivot o) before l (n_l, 2 Y p_l)."""
    if turning:
        return dot(a, sub(n, cross(o, force)) if spread else n)
    return dot(a, force) if spread else 0.0


@kernel(inline=True, allocates=False)
def _pairs(
    parent: IntArray,
    first_dof: IntArray,
    turning: IntArray,
    positions: Array,
    axes: Array,
    centre: Vec,
    spread: int,
    twist: Array,
    push: Array,
    h: Array,
) -> None:
    for i in range(parent.size):
        first, last = first_dof[i], first_dof[i + 1]
        o = sub(vec(positions, i), centre)
        for l in range(first, last):
            n, force = vec(twist, l), vec(push, l)
            for k in range(first, l + 1):
                total = _pair(vec(axes, k), turning[k], spread, o, n, force)
                if turning[k] == turning[l]:  # else the joint's translation comes before its rotation
                    other = _pair(vec(axes, l), turning[l], spread, o, vec(twist, k), vec(push, k))
                    total = 0.5 * (total + other)
                h[l, k] += total
            up = parent[i]
            while up >= 0:
                pivot = sub(vec(positions, up), centre)
                for k in range(first_dof[up], first_dof[up + 1]):
                    h[l, k] += _pair(vec(axes, k), turning[k], spread, pivot, n, force)
                up = parent[up]
