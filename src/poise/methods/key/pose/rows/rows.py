"""Rows of tasks at one pose: errors e (m,) and Jacobian J (m, nv), as the handles define them, compiled.

    e = value ⊖ target,    J = ∂e/∂q along q ⊕ v

both times the plan's scale. Everything that several tasks share (placement, points, centre of mass, spread
of the mass) is computed once per pose by the frame kernels of ``poise.kinematics``.
"""

from __future__ import annotations

import math

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.dynamics.elementary import quat_log, quat_product
from poise.handles.form import (
    ANGLE,
    CENTRE,
    DISTANCE,
    GENERAL,
    JOINT,
    LOOK,
    MOMENTUM,
    ORIENTATION,
    PLANE,
    POINT,
)
from poise.kinematics.centre_of_mass import centre_frame
from poise.kinematics.forward import forward_frame, mat, put, vec
from poise.kinematics.inertia import covariance_frame
from poise.kinematics.jacobians import points_frame
from poise.kinematics.layout import Layout
from poise.manifold.algebra import Mat, Vec, dot, rotate_back, scale
from poise.manifold.rotation_kernels import bend, mat_to_quat, unturned
from poise.methods.key.pose.coordinates import coordinates_frame
from poise.methods.key.pose.rows.direction import (
    COINCIDENT,
    angle_row,
    column,
    difference_of,
    look_rows,
    place_way,
)
from poise.methods.key.pose.rows.inertia import inertia_rows
from poise.methods.key.pose.rows.place import Place
from poise.methods.key.pose.rows.plan import RowPlan


@kernel(allocates=False)
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
    General rows are left as they are.
    """
    forward_frame(tree, q, at.positions, at.rotations, at.axes)
    points_frame(
        tree, plan.point_body, plan.point_place, at.positions, at.rotations, at.axes, at.points, at.point_j
    )
    if plan.centred:
        put(at.centre, 0, centre_frame(tree, at.positions, at.rotations, at.axes, at.moments, at.centre_j))
    if plan.spread:
        covariance_frame(
            tree, at.positions, at.rotations, at.axes, vec(at.centre, 0), at.branches, at.tensor, at.tensor_j
        )
    for d in range(plan.way_kind.size):
        place_way(plan, d, tree.parent, tree.first_dof, tree.turning, at)
    known = False
    for t in range(plan.kind.size):
        kind, r, g = plan.kind[t], plan.row[t], plan.goal[t]
        count, plus, minus = plan.row[t + 1] - r, plan.plus[t], plan.minus[t]
        if kind == POINT:
            _point_rows(
                plus, minus, plan.constant[t], plan.which, r, count, goal, g, at.points, at.point_j, e, j
            )
        elif kind == CENTRE:
            for k in range(count):
                axis = plan.which[r + k]
                e[r + k] = at.centre[0, axis] - goal[g + k]
                for i in range(j.shape[1]):
                    j[r + k, i] = at.centre_j[axis, i]
        elif kind in (PLANE, DISTANCE):
            x = difference_of(vec(plan.constant, t), plus, minus, at.points)
            n = vec(plan.normal, t)
            value = dot(n, x)
            if kind == DISTANCE:
                value = math.sqrt(dot(x, x))
                n = scale(1.0 / value, x) if value > COINCIDENT else (0.0, 0.0, 0.0)
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
            _joint_rows(tree.kind, tree.v_start, plan.which, r, count, goal, g, at.values, e, j)
        elif kind == MOMENTUM:
            _momentum_rows(
                tree.kind, tree.v_start, plan.which, r, count, plan.scale[t], goal, g, moved, momentum, e, j
            )
        elif kind == ANGLE:
            angle_row(
                vec(at.ways, plus), vec(at.ways, minus), at.way_j[plus], at.way_j[minus], goal[g], r, e, j
            )
        elif kind == LOOK:
            look_rows(
                vec(at.ways, plus), vec(at.ways, minus), at.way_j[plus], at.way_j[minus], goal, g, r, e, j
            )
        elif kind != GENERAL:  # whose rows are put in beforehand
            inertia_rows(tree.branch_mass[0], kind, plan.scale[t], goal, g, r, at, e, j)


@kernel(inline=True, allocates=False)
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


@kernel(inline=True, allocates=False)
def _along_row(n: Vec, plus: int, minus: int, point_j: Array, row: Array) -> None:
    """The change of a difference of points along a direction."""
    for i in range(row.size):
        total = 0.0
        if plus >= 0:
            total += dot(n, column(point_j[plus], i))
        if minus >= 0:
            total -= dot(n, column(point_j[minus], i))
        row[i] = total


@kernel(inline=True, allocates=False)
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


@kernel(inline=True, allocates=False)
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


@kernel(inline=True, allocates=False)
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
