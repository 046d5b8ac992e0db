"""The ground's own answer: what surfaces push with where muscles do not know it beforehand.

One who is too weak to do as planned, carries what it does not know of, or has fallen, gets forces by the laws
of contact alone, for given torques. With impulses p = h f at points, and their velocities u = J v⁺ after the
step,

    v⁺ = v + h A⁻¹ (τ − c) + A⁻¹ Jᵀ p,    A = M + drag on joints,
    0 ≤ p_n ⊥ u_n + bias ≥ 0,    |p_t| ≤ μ p_n, against u_t

by projected Gauss–Seidel in the space of the points.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character.tree import Tree
from poise.compilation import kernel
from poise.methods.perform.control.controller import Room
from poise.methods.perform.control.whole_body import MOST, Hold, Stand, factor, look, point_rows, solve

SWEEPS = 150
"""Over all points in a step, by trial on falls."""
DRAG = 10.0
"""Of joints, over their inertia [1/s]: flesh and ligaments of one who falls."""
RISE = 10.0
"""How fast a point that has sunk in comes out [1/s]."""
FASTEST = 0.5
"""And no faster than this [m/s]."""


class Answer(NamedTuple):
    """Working memory."""

    lift: Array  # (3 MOST, nv) A⁻¹ Jᵀ, by rows
    gain: Array  # (3 MOST, 3 MOST) J A⁻¹ Jᵀ
    speed: Array  # (3 MOST,) u
    pulse: Array  # (3 MOST,) p

    @classmethod
    def of(cls, nv: int) -> Answer:
        """Fresh arrays."""
        rows = 3 * MOST
        return cls(np.zeros((rows, nv)), np.zeros((rows, rows)), np.zeros(rows), np.zeros(rows))


@kernel(allocates=False)
def answer(
    tree: Tree, q: Any, v: Any, count: int, torque: Any, root: int, gravity: Any, h: float, stand: Stand,
    room: Room, hold: Hold, own: Answer,
) -> None:  # fmt: skip
    """Accelerations ``hold.chosen`` and forces ``hold.force`` of a body under given torques (nv,)."""
    nv, rows = v.shape[0], 3 * count
    look(tree, q, v, gravity, room, hold)
    for d in range(nv):
        hold.first[d] = h * (torque[d] - room.bias[d])
        for k in range(d + 1):
            hold.tasks[d, k] = hold.full[d, k]
        if d >= root:
            hold.first[d] -= h * DRAG * hold.full[d, d] * v[d]
            hold.tasks[d, d] *= 1.0 + h * DRAG
    factor(hold.tasks, nv)
    solve(hold.tasks, hold.first, nv)
    for d in range(nv):
        hold.first[d] += v[d]
    for p in range(count):
        point_rows(tree, stand, p, room, hold)
    for r in range(rows):
        own.pulse[r], own.speed[r] = 0.0, 0.0
        for d in range(nv):
            own.lift[r, d] = hold.rows[r, d]
            own.speed[r] += hold.rows[r, d] * hold.first[d]
        solve(hold.tasks, own.lift[r], nv)
    for r in range(rows):
        for c in range(rows):
            own.gain[r, c] = 0.0
            for d in range(nv):
                own.gain[r, c] += hold.rows[r, d] * own.lift[c, d]
    for _ in range(SWEEPS):
        for p in range(count):
            _settle(p, rows, h, stand, own)
    for d in range(nv):
        gain = hold.first[d] - v[d]
        for r in range(rows):
            gain += own.lift[r, d] * own.pulse[r]
        hold.chosen[d] = gain / h
    for p in range(count):
        for k in range(3):
            hold.force[p, k] = own.pulse[3 * p + k] / h


@kernel(allocates=False)
def _settle(p: int, rows: int, h: float, stand: Stand, own: Answer) -> None:
    """One point: its impulse such that it neither sinks in nor slides, within its cone."""
    a, n, gap = 3 * p, stand.normals[p], stand.gap[p]
    stiff = (own.gain[a, a] + own.gain[a + 1, a + 1] + own.gain[a + 2, a + 2]) + 1e-12
    bias = gap / h if gap > 0.0 else max(RISE * gap, -FASTEST)
    into = bias
    for k in range(3):
        into += n[k] * own.speed[a + k]
    x = own.pulse[a] - own.speed[a] / stiff
    y = own.pulse[a + 1] - own.speed[a + 1] / stiff
    z = own.pulse[a + 2] - own.speed[a + 2] / stiff
    along = n[0] * x + n[1] * y + n[2] * z
    was = n[0] * own.pulse[a] + n[1] * own.pulse[a + 1] + n[2] * own.pulse[a + 2]
    push = max(0.0, was - into / stiff)
    x, y, z = x - along * n[0], y - along * n[1], z - along * n[2]
    slip, most = math.sqrt(x * x + y * y + z * z), stand.friction[p] * push
    part = most / slip if slip > most else 1.0
    change = (
        part * x + push * n[0] - own.pulse[a],
        part * y + push * n[1] - own.pulse[a + 1],
        part * z + push * n[2] - own.pulse[a + 2],
    )
    for k in range(3):
        if change[k] != 0.0:
            own.pulse[a + k] += change[k]
            for r in range(rows):
                own.speed[r] += own.gain[r, a + k] * change[k]
