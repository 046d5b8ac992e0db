"""Rows that compare directions: angles, and looking at something; see ``poise.handles``."""

from __future__ import annotations

import math

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.handles.form import BETWEEN, BODY_VECTOR
from poise.kinematics.forward import mat, put, vec
from poise.manifold.algebra import Vec, add, cross, dot, rotate, scale, sub
from poise.methods.key.pose.rows.place import Place
from poise.methods.key.pose.rows.plan import RowPlan

COINCIDENT = 1e-12
"""Places nearer than this [m] have no direction between them."""


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
def column(a: Array, i: int) -> Vec:
    """Column i of a (3, nv) matrix."""
    return (a[0, i], a[1, i], a[2, i])


@kernel(inline=True, allocates=False)
def place_way(
    plan: RowPlan, d: int, parent: IntArray, first_dof: IntArray, turning: IntArray, at: Place
) -> None:
    """Direction d in the world (3,) and its Jacobian (3, nv)."""
    kind, plus, minus = plan.way_kind[d], plan.way_plus[d], plan.way_minus[d]
    value, change = vec(plan.way_vector, d), at.way_j[d]
    if kind == BODY_VECTOR:
        i = plus
        value = rotate(mat(at.rotations, i), value)
        while i >= 0:
            for k in range(first_dof[i], first_dof[i + 1]):
                if turning[k]:
                    change[0, k], change[1, k], change[2, k] = cross(vec(at.axes, k), value)
            i = parent[i]
    elif kind == BETWEEN:
        value = difference_of(value, plus, minus, at.points)
        change[:] = 0.0
        if plus >= 0:
            change += at.point_j[plus]
        if minus >= 0:
            change -= at.point_j[minus]
    put(at.ways, d, value)


@kernel(inline=True)
def angle_row(a: Vec, b: Vec, ja: Array, jb: Array, goal: float, r: int, e: Array, j: Array) -> None:
    """Unsigned angle between two directions."""
    n = cross(a, b)
    s, c = math.sqrt(dot(n, n)), dot(a, b)
    e[r] = math.atan2(s, c) - goal
    whole = s * s + c * c
    by_a = (0.0, 0.0, 0.0)
    by_b = (0.0, 0.0, 0.0)
    if s > COINCIDENT:
        axis = scale(1.0 / s, n)
        by_a = scale(1.0 / whole, sub(scale(c, cross(b, axis)), scale(s, b)))
        by_b = scale(1.0 / whole, sub(scale(c, cross(axis, a)), scale(s, a)))
    for i in range(j.shape[1]):
        j[r, i] = dot(by_a, column(ja, i)) + dot(by_b, column(jb, i))


@kernel(inline=True)
def look_rows(
    g: Vec, line: Vec, jg: Array, jw: Array, goal: Array, g0: int, r: int, e: Array, j: Array
) -> None:
    """The rotation vector from a gaze g to the direction of a line."""
    length = math.sqrt(dot(line, line))
    d = scale(1.0 / length, line) if length > COINCIDENT else (0.0, 0.0, 0.0)
    length = max(length, COINCIDENT)
    n, c = cross(g, d), dot(g, d)
    s2 = dot(n, n)
    if s2 < 1e-4 and c > 0:
        f = 1 + s2 / 6 * (1 + 9 * s2 / 20 * (1 + 25 * s2 / 42))
        h = -2 / 3 - s2 * (1 / 5 + s2 * (1 / 16 + 5 / 112))
    else:
        s = max(math.sqrt(s2), COINCIDENT)
        f = math.atan2(s, c) / s
        h = (c - f) / (s * s)
    for k in range(3):
        e[r + k] = f * n[k] - goal[g0 + k]
    for i in range(j.shape[1]):
        dg, dw = column(jg, i), column(jw, i)
        dd = scale(1.0 / length, sub(dw, scale(dot(d, dw), d)))
        dn = add(cross(g, dd), cross(dg, d))
        k = h * dot(n, dn) - dot(g, dd) - dot(d, dg)
        j[r, i], j[r + 1, i], j[r + 2, i] = add(scale(f, dn), scale(k, n))
