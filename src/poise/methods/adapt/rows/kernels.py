"""Rows of constraints on points and joints, compiled: values and Jacobians.

| kind   | value                                                                    | forms of handles |
|--------|--------------------------------------------------------------------------|------------------|
| LINE   | n · (x_a − x_b) − target: a coordinate of a point, a height, a difference | POINT, PLANE     |
| LENGTH | the length of x_a − x_b − o, less the target                              | DISTANCE         |
| BALL   | one exponential coordinate of a ball, log(centre⁻¹ R)_k − target          | JOINT            |
| PLAIN  | one plain coordinate − target                                             | JOINT            |
| OTHER  | filled in by the handle's own batched code                                | all others       |

A Jacobian row keeps only the degrees of freedom that can move what it measures, known from the tree. The
forms are those of ``poise.handles.form``; one component of a handle is one row here, so that each has bounds,
weight and entries of its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.dynamics.elementary import quat_log, quat_product
from poise.kinematics.forward import mat, vec
from poise.kinematics.layout import Layout
from poise.manifold.algebra import add, cross, dot, rotate, rotate_back, scale, sub
from poise.manifold.rotation_kernels import right_jacobian_inverse

if TYPE_CHECKING:
    from poise.methods.adapt.rows.displaced_pose import Placed

LINE, LENGTH, BALL, PLAIN, OTHER = range(5)

BOTH = 3
"""A degree of freedom carries both ends; 1: only the first, 2: only the second."""


class Details(NamedTuple):
    """What rows measure; of many rows that measure the same it stands once."""

    kind: IntArray
    """LINE, …, (·,)."""
    what: IntArray
    """Bodies a and b (−1: the world); of a joint its first coordinate, body and component, (·, 3)."""
    numbers: Array
    """The places on a and b and the direction or offset; of a ball its centre, (·, 9)."""


class Entries(NamedTuple):
    """R rows in the order of S samples, each with the degrees of freedom that it feels, E in all."""

    row_start: IntArray
    """Rows of sample s are row_start[s] … row_start[s + 1] − 1, (S + 1,)."""
    start: IntArray
    """Entries of row r are start[r] … start[r + 1] − 1, (R + 1,)."""
    dof: IntArray
    """Counted among those that may move, then their rates, (E,)."""
    end: IntArray
    """Which end a degree of freedom carries, (E,)."""


class Freedoms(NamedTuple):
    """Degrees of freedom that may move."""

    dofs: IntArray
    """(m,)"""
    body: IntArray
    """Of all of the character's, (nv,)."""


@kernel()
def evaluate_rows(
    first: int,
    last: int,
    tree: Layout,
    entries: Entries,
    detail: IntArray,
    details: Details,
    target: Array,
    jacobian: bool,
    freedoms: Freedoms,
    placed: Placed,
    error: Array,
    value: Array,
) -> None:
    """Errors (R,) and, if wanted, Jacobian entries (E,) of the rows of samples first … last − 1.

    ``detail`` (R,) says what a row measures, ``freedoms`` which degrees of freedom may move.
    """
    dofs = freedoms.dofs
    kind, what, numbers = details.kind, details.what, details.numbers
    q, axes = placed.q, placed.axes
    w, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for s in range(first, last):
        x, turn, known = placed.positions[s], placed.rotations[s], -1
        for r in range(entries.row_start[s], entries.row_start[s + 1]):
            begin, end, t = entries.start[r], entries.start[r + 1], detail[r]
            if kind[t] == OTHER:
                continue
            if kind[t] == PLAIN:
                error[r] = q[s, what[t, 0]] - target[r]
                if jacobian and end > begin:
                    value[begin] = 1.0
                continue
            if kind[t] == BALL:
                i, k = what[t, 0], what[t, 2]
                if i != known:  # the coordinates of a joint stand together
                    known = i
                    back = (numbers[t, 0], -numbers[t, 1], -numbers[t, 2], -numbers[t, 3])
                    w = quat_log(quat_product(back, (q[s, i], q[s, i + 1], q[s, i + 2], q[s, i + 3])))
                    if jacobian:
                        m = right_jacobian_inverse(w)
                error[r] = (w[0] if k == 0 else w[1] if k == 1 else w[2]) - target[r]
                if jacobian and end > begin:
                    row = (
                        (m[0], m[1], m[2]) if k == 0 else (m[3], m[4], m[5]) if k == 1 else (m[6], m[7], m[8])
                    )
                    frame = mat(turn, what[t, 1])
                    for e in range(begin, end):
                        value[e] = dot(row, rotate_back(frame, vec(axes[s], dofs[entries.dof[e]])))
                continue
            a, b = what[t, 0], what[t, 1]
            p = add(vec(x, a), rotate(mat(turn, a), (numbers[t, 0], numbers[t, 1], numbers[t, 2])))
            o = (0.0, 0.0, 0.0)
            if b >= 0:
                o = add(vec(x, b), rotate(mat(turn, b), (numbers[t, 3], numbers[t, 4], numbers[t, 5])))
            n = (numbers[t, 6], numbers[t, 7], numbers[t, 8])
            if kind[t] == LINE:
                error[r] = dot(n, sub(p, o)) - target[r]
            else:
                way = sub(sub(p, o), n)
                length = math.sqrt(dot(way, way))
                error[r] = length - target[r]
                n = scale(1.0 / length if length > 1e-12 else 0.0, way)
            if not jacobian:
                continue
            for e in range(begin, end):
                j = dofs[entries.dof[e]]
                side = entries.end[e]
                if tree.turning[j]:
                    centre = vec(x, freedoms.body[j])
                    arm = sub(p, centre) if side == 1 else sub(centre, o) if side == 2 else sub(p, o)
                    value[e] = dot(n, cross(vec(axes[s], j), arm))
                else:
                    sign = 1.0 if side == 1 else -1.0 if side == 2 else 0.0
                    value[e] = sign * dot(n, vec(axes[s], j))
