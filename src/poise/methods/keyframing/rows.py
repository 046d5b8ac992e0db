"""Rows of tasks at one pose: errors e (m,) and Jacobian J (m, nv), as the handles define them, compiled.

    e = value ⊖ target,    J = ∂e/∂q along q ⊕ v

both times the plan's scale. Everything that several tasks share (placement, points, centre of mass, spread
of the mass) is computed once per pose by the frame kernels of ``poise.kinematics``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.dynamics.elementary import quat_log, quat_product
from poise.kinematics.centre_of_mass import centre_frame
from poise.kinematics.forward import forward_frame, mat, put, vec
from poise.kinematics.inertia import covariance_frame
from poise.kinematics.jacobians import points_frame
from poise.kinematics.layout import Layout
from poise.manifold.algebra import Mat, Vec, add, cross, dot, rotate, rotate_back, scale, sub
from poise.methods.keyframing.exponential import coordinates_frame
from poise.methods.keyframing.rotation_kernels import bend, mat_to_quat, principal_axes, unturned
from poise.methods.keyframing.row_plan import (
    ANGLE,
    BETWEEN,
    BODY_VECTOR,
    CENTRE,
    DISTANCE,
    GYRATION,
    JOINT,
    LOOK,
    MOMENTUM,
    ORIENTATION,
    PLANAR,
    PLANE,
    POINT,
    RADII,
    SHAPE,
    TENSOR,
    RowPlan,
)

_FLOOR = 1e-9  # radii, gaps and distances are at least this [m] where one divides by them
_COINCIDENT = 1e-12
_ROOT2 = math.sqrt(2.0)


class Place(NamedTuple):
    """What one pose gives; scratch that is used again for each pose."""

    positions: Array
    rotations: Array
    axes: Array
    moments: Array
    points: Array
    """(P, 3)"""
    point_j: Array
    """(P, 3, nv)"""
    centre: Array
    """(1, 3)"""
    centre_j: Array
    """(3, nv)"""
    tensor: Array
    """Covariance (6,)."""
    tensor_j: Array
    """(6, nv)"""
    radii: Array
    """(3,), longest first."""
    principal: Array
    """Axes as columns (3, 3)."""
    ways: Array
    """(D, 3)"""
    way_j: Array
    """(D, 3, nv)"""
    values: Array
    """Exponential coordinates of all joints (nv,)."""


@kernel(inline=True)
def new_place(tree: Layout, plan: RowPlan) -> Place:
    """Scratch for one pose."""
    n, nv, points, ways = tree.parent.size, tree.turning.size, plan.point_body.size, plan.way_kind.size
    return Place(
        np.empty((n, 3)),
        np.empty((n, 3, 3)),
        np.empty((nv, 3)),
        np.empty((n, 3)),
        np.empty((points, 3)),
        np.zeros((points, 3, nv)),  # columns that do not carry a point are never touched
        np.empty((1, 3)),
        np.zeros((3, nv)),
        np.empty(6),
        np.empty((6, nv)),
        np.empty(3),
        np.empty((3, 3)),
        np.empty((ways, 3)),
        np.zeros((ways, 3, nv)),
        np.zeros(nv),
    )


@kernel()
def rows_frame(
    tree: Layout,
    plan: RowPlan,
    q: Array,
    goal: Array,
    moved: Array,
    momentum: Array,
    at: Place,
    e: Array,
    j: Array,
) -> None:
    """Errors e (m,) and Jacobian j (m, nv) of all tasks at the pose q (nq,), for targets ``goal``.

    Momentum rows are A(previous) (q ⊖ previous) / dt: ``momentum`` is A / dt (6, nv), ``moved`` q ⊖ previous.
    """
    forward_frame(tree, q, at.positions, at.rotations, at.axes)
    points_frame(
        tree, plan.point_body, plan.point_place, at.positions, at.rotations, at.axes, at.points, at.point_j
    )
    if plan.centred:
        put(at.centre, 0, centre_frame(tree, at.positions, at.rotations, at.axes, at.moments, at.centre_j))
    if plan.spread:
        covariance_frame(tree, at.positions, at.rotations, at.axes, vec(at.centre, 0), at.tensor, at.tensor_j)
    for d in range(plan.way_kind.size):
        _way(
            plan.way_kind[d], plan.way_plus[d], plan.way_minus[d], vec(plan.way_vector, d), d, tree.parent,
            tree.first_dof, tree.turning, at.rotations, at.axes, at.points, at.point_j, at.ways, at.way_j,
        )  # fmt: skip
    known = False
    for t in range(plan.kind.size):
        kind, r, g = plan.kind[t], plan.row[t], plan.goal[t]
        count, plus, minus = plan.row[t + 1] - r, plan.plus[t], plan.minus[t]
        if kind == POINT:
            _point_rows(
                plus, minus, plan.constant[t], plan.index, r, count, goal, g, at.points, at.point_j, e, j
            )
        elif kind == CENTRE:
            for k in range(count):
                axis = plan.index[r + k]
                e[r + k] = at.centre[0, axis] - goal[g + k]
                j[r + k] = at.centre_j[axis]
        elif kind in (PLANE, DISTANCE):
            x = difference_of(vec(plan.constant, t), plus, minus, at.points)
            n = vec(plan.normal, t)
            value = dot(n, x)
            if kind == DISTANCE:
                value = math.sqrt(dot(x, x))
                n = scale(1.0 / value, x) if value > _COINCIDENT else (0.0, 0.0, 0.0)
            e[r] = value - goal[g]
            _along_row(n, plus, minus, at.point_j, j[r])
        elif kind == ORIENTATION:
            back = (goal[g], -goal[g + 1], -goal[g + 2], -goal[g + 3])
            _orientation_rows(
                tree.parent,
                tree.first_dof,
                tree.turning,
                plus,
                mat(at.rotations, plus),
                back,
                at.axes,
                r,
                e,
                j,
            )
        elif kind == JOINT:
            if not known:
                coordinates_frame(tree.kind, tree.q_start, tree.v_start, q, at.values)
                known = True
            _joint_rows(tree.kind, tree.v_start, plan.index, r, count, goal, g, at.values, e, j)
        elif kind == MOMENTUM:
            _momentum_rows(
                tree.kind, tree.v_start, plan.index, r, count, plan.scale[t], goal, g, moved, momentum, e, j
            )
        elif kind == ANGLE:
            _angle_row(
                vec(at.ways, plus), vec(at.ways, minus), at.way_j[plus], at.way_j[minus], goal[g], r, e, j
            )
        elif kind == LOOK:
            _look_rows(
                vec(at.ways, plus), vec(at.ways, minus), at.way_j[plus], at.way_j[minus], goal, g, r, e, j
            )
        else:
            _inertia_rows(
                tree.branch_mass[0], kind, plan.scale[t], goal, g, r, at.tensor, at.tensor_j, at.radii,
                at.principal, e, j,
            )  # fmt: skip


@kernel(inline=True)
def _point_rows(
    plus: int,
    minus: int,
    constant: Array,
    index: IntArray,
    r: int,
    count: int,
    goal: Array,
    g: int,
    points: Array,
    point_j: Array,
    e: Array,
    j: Array,
) -> None:
    for k in range(count):
        axis = index[r + k]
        value = constant[axis] - goal[g + k]
        row = j[r + k]
        row[:] = 0.0
        if plus >= 0:
            value += points[plus, axis]
            row += point_j[plus, axis]
        if minus >= 0:
            value -= points[minus, axis]
            row -= point_j[minus, axis]
        e[r + k] = value


@kernel(inline=True)
def difference_of(constant: Vec, plus: int, minus: int, points: Array) -> Vec:
    """The point counted + less the one counted −, and the constant."""
    x = constant
    if plus >= 0:
        x = add(x, vec(points, plus))
    if minus >= 0:
        x = sub(x, vec(points, minus))
    return x


@kernel(inline=True)
def _along_row(n: Vec, plus: int, minus: int, point_j: Array, row: Array) -> None:
    """The change of a difference of points along a direction."""
    for i in range(row.size):
        total = 0.0
        if plus >= 0:
            total += dot(n, _column(point_j[plus], i))
        if minus >= 0:
            total -= dot(n, _column(point_j[minus], i))
        row[i] = total


@kernel(inline=True)
def _orientation_rows(
    parent: IntArray,
    first_dof: IntArray,
    turning: IntArray,
    body: int,
    turn: Mat,
    back: tuple[float, float, float, float],
    axes: Array,
    r: int,
    e: Array,
    j: Array,
) -> None:
    error = quat_log(quat_product(back, mat_to_quat(turn)))
    c = bend(error)
    for k in range(3):
        e[r + k] = error[k]
        j[r + k] = 0.0
    i = body
    while i >= 0:
        for d in range(first_dof[i], first_dof[i + 1]):
            if turning[d]:
                column = unturned(error, c, rotate_back(turn, vec(axes, d)))
                j[r, d], j[r + 1, d], j[r + 2, d] = column
        i = parent[i]


@kernel(inline=True)
def _joint_rows(
    kinds: IntArray,
    v_start: IntArray,
    index: IntArray,
    r: int,
    count: int,
    goal: Array,
    g: int,
    values: Array,
    e: Array,
    j: Array,
) -> None:
    for k in range(count):
        dof = index[r + k]
        e[r + k] = values[dof] - goal[g + k]
        row = j[r + k]
        row[:] = 0.0
        row[dof] = 1.0
        for link in range(kinds.size):
            first = v_start[link]
            part = dof - first
            if kinds[link] == LINK_BALL and 0 <= part < 3:  # the rotation vector's own Jacobian
                v = (values[first], values[first + 1], values[first + 2])
                for i in range(3):
                    unit = (1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2))
                    row[first + i] = unturned(v, bend(v), unit)[part]


@kernel(inline=True)
def _momentum_rows(
    kinds: IntArray,
    v_start: IntArray,
    index: IntArray,
    r: int,
    count: int,
    s: float,
    goal: Array,
    g: int,
    moved: Array,
    momentum: Array,
    e: Array,
    j: Array,
) -> None:
    for k in range(count):
        row = momentum[index[r + k]]
        total = 0.0
        for i in range(row.size):
            j[r + k, i] = s * row[i]
            total += row[i] * moved[i]
        e[r + k] = s * (total - goal[g + k])
        for link in range(kinds.size):
            if kinds[link] == LINK_BALL:
                c = v_start[link]
                back = (-moved[c], -moved[c + 1], -moved[c + 2])  # J_r(v)ᵀ = J_r(−v)
                part = unturned(back, bend(back), (row[c], row[c + 1], row[c + 2]))
                j[r + k, c], j[r + k, c + 1], j[r + k, c + 2] = scale(s, part)


@kernel(inline=True)
def _way(
    kind: int,
    plus: int,
    minus: int,
    value: Vec,
    d: int,
    parent: IntArray,
    first_dof: IntArray,
    turning: IntArray,
    rotations: Array,
    axes: Array,
    points: Array,
    point_j: Array,
    ways: Array,
    way_j: Array,
) -> None:
    """A direction in the world (3,) and its Jacobian (3, nv)."""
    change = way_j[d]
    if kind == BODY_VECTOR:
        i = plus
        value = rotate(mat(rotations, i), value)
        while i >= 0:
            for k in range(first_dof[i], first_dof[i + 1]):
                if turning[k]:
                    change[0, k], change[1, k], change[2, k] = cross(vec(axes, k), value)
            i = parent[i]
    elif kind == BETWEEN:
        value = difference_of(value, plus, minus, points)
        change[:] = 0.0
        if plus >= 0:
            change += point_j[plus]
        if minus >= 0:
            change -= point_j[minus]
    put(ways, d, value)


@kernel(inline=True)
def _column(a: Array, i: int) -> Vec:
    return (a[0, i], a[1, i], a[2, i])


@kernel(inline=True)
def _angle_row(a: Vec, b: Vec, ja: Array, jb: Array, goal: float, r: int, e: Array, j: Array) -> None:
    n = cross(a, b)
    s, c = math.sqrt(dot(n, n)), dot(a, b)
    e[r] = math.atan2(s, c) - goal
    whole = s * s + c * c
    by_a = (0.0, 0.0, 0.0)
    by_b = (0.0, 0.0, 0.0)
    if s > _COINCIDENT:
        axis = scale(1.0 / s, n)
        by_a = scale(1.0 / whole, sub(scale(c, cross(b, axis)), scale(s, b)))
        by_b = scale(1.0 / whole, sub(scale(c, cross(axis, a)), scale(s, a)))
    for i in range(j.shape[1]):
        j[r, i] = dot(by_a, _column(ja, i)) + dot(by_b, _column(jb, i))


@kernel(inline=True)
def _look_rows(
    g: Vec, line: Vec, jg: Array, jw: Array, goal: Array, g0: int, r: int, e: Array, j: Array
) -> None:
    length = math.sqrt(dot(line, line))
    d = scale(1.0 / length, line) if length > _COINCIDENT else (0.0, 0.0, 0.0)
    length = max(length, _COINCIDENT)
    n, c = cross(g, d), dot(g, d)
    s2 = dot(n, n)
    if s2 < 1e-4 and c > 0:
        f = 1 + s2 / 6 * (1 + 9 * s2 / 20 * (1 + 25 * s2 / 42))
        h = -2 / 3 - s2 * (1 / 5 + s2 * (1 / 16 + 5 / 112))
    else:
        s = max(math.sqrt(s2), _COINCIDENT)
        f = math.atan2(s, c) / s
        h = (c - f) / (s * s)
    for k in range(3):
        e[r + k] = f * n[k] - goal[g0 + k]
    for i in range(j.shape[1]):
        dg, dw = _column(jg, i), _column(jw, i)
        dd = scale(1.0 / length, sub(dw, scale(dot(d, dw), d)))
        dn = add(cross(g, dd), cross(dg, d))
        k = h * dot(n, dn) - dot(g, dd) - dot(d, dg)
        j[r, i], j[r + 1, i], j[r + 2, i] = add(scale(f, dn), scale(k, n))


@kernel(inline=True)
def _inertia_rows(
    mass: float,
    kind: int,
    size: float,
    goal: Array,
    g: int,
    r: int,
    tensor: Array,
    change: Array,
    radii: Array,
    u: Array,
    e: Array,
    j: Array,
) -> None:
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
            _shape_rows(share, goal, g, r, radii, u, change, e, j)


@kernel(inline=True)
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


@kernel(inline=True)
def _shape_rows(
    share: float, goal: Array, g: int, r: int, radii: Array, u: Array, change: Array, e: Array, j: Array
) -> None:
    """Error S − U diag(t) Uᵀ and, in the axes U, its change (∂S)_ij (1 − (t_i − t_j) / (r_i − r_j))."""
    ratio = np.empty((3, 3))
    for a in range(3):
        for b in range(3):
            gap, wanted = radii[a] - radii[b], goal[g + a] - goal[g + b]
            if abs(gap) <= _FLOOR:
                gap = -_FLOOR if gap < 0.0 else _FLOOR
            lost = 0.0 if wanted == 0.0 else wanted / gap
            ratio[a, b] = share * (1.0 - lost) / max(radii[a] + radii[b], _FLOOR)
    m = np.empty((3, 3))
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
