"""Where the iteration on one pose stands: the arrays it is worked out in, and its state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.kinematics.layout import Layout
from poise.methods.key.pose.hessian import CurvatureRoom
from poise.methods.key.pose.rows.place import Place, new_place
from poise.methods.key.pose.rows.plan import RowPlan


class Room(NamedTuple):
    """Arrays that one frame is worked out in: m rows, nv degrees of freedom."""

    at: Place
    q: Array
    x: Array
    e: Array
    gap: Array
    """The pose last accepted, its coordinates, errors and gaps from the desired pose."""
    trial: Array
    e_trial: Array
    gap_trial: Array
    """The pose that is tried."""
    j: Array
    """At the pose that is tried, (m, nv)."""
    moved: Array
    """From the pose before, (nv,)."""
    w: Array
    y: Array
    wide: Array
    """Weights, forces, and weights less what rows curve against their own gradient, (m,)."""
    rank: IntArray
    live: IntArray
    """Level of each row as it is held now, and whether anything moves it, (m,)."""
    multiplier: Array
    shift: Array
    """λ and r of strict rows, (m,)."""
    anchor: Array
    """Weight of the desired pose, (nv,)."""
    heavy: Array
    missed: Array
    """Weight of each level, and by how much it was last missed, (levels,)."""
    h: Array
    u: Array
    g: Array
    d: Array
    """Hessian, its factor, gradient, step."""
    locked: IntArray
    told: Array
    curvature: CurvatureRoom
    bent: Array
    """Σ y ∂²e of general rows, lower triangle, (nv, nv), or (0, 0) where there are none."""


STATE = np.dtype(
    [(name, np.int64) for name in ("groups", "top", "count", "tries", "idle")]
    + [
        (name, np.float64)
        for name in ("heaviest", "firm", "ease", "faint", "cap", "damping", "rise")
        + ("value", "expected", "noise", "size")
    ]
    + [
        (name, np.bool_)
        for name in ("fresh", "held_back", "apart", "sorting", "accepted", "resting", "stuck", "done")
    ]
)
"""Where the iteration of one frame stands. Levels: into how many ``groups`` they are taken, the one that is
being brought to its target (``top``), whether they are taken ``apart`` and ``sorting``. Weights: the
``heaviest`` soft row, that of a ``firm`` row at last, how much the soft level is to ``ease``, and the share
(``faint``) that it weighs now, the ``cap`` of all. Steps: ``damping``, how it is to ``rise``, the ``value``
of the merit and the fall ``expected`` of it, rounding ``noise`` in it, the ``size`` of the last step;
evaluations (``count``), refusals since the last step that was taken (``tries``), steps below rounding
(``idle``), whether the pose on trial is the first of its merit (``fresh``), whether the step was
``held_back`` by refusals. What came of the last trial: it was ``accepted``, the iteration is ``resting``,
``stuck``, or all is ``done``."""


@kernel()
def new_room(tree: Layout, plan: RowPlan, levels: int, nq: int, general: bool) -> Room:
    """Arrays for one frame."""
    nv, m = tree.turning.size, plan.which.size
    others = nv if general else 0
    return Room(
        new_place(tree, plan), np.empty(nq), np.zeros(nv), np.empty(m), np.zeros(nv), np.empty(nq),
        np.empty(m), np.zeros(nv), np.zeros((m, nv)), np.zeros(nv), np.empty(m), np.empty(m), np.empty(m),
        np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64), np.empty(m), np.empty(m), np.empty(nv),
        np.empty(levels), np.empty(levels), np.empty((nv, nv)), np.empty((nv, nv)), np.empty(nv),
        np.zeros(nv), np.empty(nv, dtype=np.int64), np.empty(nv),
        CurvatureRoom(
            np.empty((plan.point_body.size, 3)), np.empty((nv, 3)), np.zeros((nv, 3)), np.empty((6, nv)),
            np.empty(3),
        ),
        np.zeros((others, others)),
    )  # fmt: skip
