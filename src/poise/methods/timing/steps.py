"""The loop of a simulation without contact: aim, control, step; compiled as one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character.tree import Tree
from poise.compilation import kernel
from poise.dynamics.integration import advance
from poise.dynamics.links import TURN, block, move_links
from poise.methods.timing.aim import Aim, Path, Plan, take_aim
from poise.methods.timing.balance import expected_push
from poise.methods.timing.control import control_step
from poise.methods.timing.controller import Controller, Room


class Pushes(NamedTuple):
    """Forces that act for a while, P of them."""

    start: Array  # (P,) [s]
    end: Array
    body: Array  # (P,) whole numbers
    place: Array  # (P, 3) in the body's frame [m]
    force: Array  # (P, 3) world axes [N]


class Trace(NamedTuple):
    """What happened, S steps: states at their starts and at the last end, the rest during each."""

    times: Array  # (S + 1,)
    q: Array  # (S + 1, nq)
    v: Array  # (S + 1, nv)
    torque: Array  # (S, nv)
    demand: Array
    """Torque that being on time would take, (S, nv)."""
    stiffness: Array
    """kp, (S, nv): k_s for each unit of inertia [1/s²]; the root's springs as they are [N/m, N·m/rad]."""
    damping: Array
    """kd, (S, nv): k_d likewise [1/s]."""
    stretch: Array  # (S,)

    @classmethod
    def room(cls, times: Array, nq: int, nv: int) -> Trace:
        """Fresh arrays."""
        n = len(times) - 1
        a, b, c, d = np.zeros((4, n, nv))
        return cls(times, np.zeros((n + 1, nq)), np.zeros((n + 1, nv)), a, b, c, d, np.ones(n))


@kernel()
def hand_over(who: Controller, plan: Plan, row: int, room: Room) -> None:
    """Where a new phase begins, remember the torque that the old one ended with."""
    for d in range(who.root, room.tau.shape[0]):
        if room.since[d] != plan.since[row, d]:
            room.since[d], room.held[d] = plan.since[row, d], room.tau[d]


@kernel()
def note(aim: Aim, room: Room, stretch: float, k: int, trace: Trace) -> None:
    """Write down one step."""
    trace.stretch[k] = stretch
    soft, slow = 1.0 / (stretch * stretch), 1.0 / stretch
    for d in range(room.tau.shape[0]):
        trace.torque[k, d], trace.demand[k, d] = room.tau[d], room.demand[d]
        trace.stiffness[k, d], trace.damping[k, d] = soft * aim.kp[d], slow * aim.kd[d]


@kernel()
def run_steps(
    first: int, last: int, who: Controller, body: Tree, belief: Tree, plan: Plan, rows: Any, path: Path,
    pushes: Pushes, gravity: Any, least: float, room: Room, aim: Aim, trace: Trace,
) -> None:  # fmt: skip
    """Steps ``first`` to ``last``; ``rows`` (S,) is the plan's row at each. The trace holds the state."""
    nv, bodies = trace.v.shape[1], body.link.shape[0]
    q, v = trace.q[first].copy(), trace.v[first].copy()
    told, felt, acceleration = np.zeros(max(1, who.root)), np.zeros(nv), np.zeros(nv)
    wrenches = np.zeros(6 * bodies)
    for k in range(first, last):
        t, row = trace.times[k], rows[k]
        h = trace.times[k + 1] - t
        hand_over(who, plan, row, room)
        take_aim(body, plan, row, path, k, q, t, h, least, aim)
        for r in range(who.root):
            told[r] = aim.error[r] / h
        acting = wrenches[:0]
        if pushes.start.shape[0] > 0:
            acting = wrenches[: lean(body, q, pushes, t, h, room, wrenches)]
        stretch = control_step(who, body, belief, q, v, aim, told, felt, acting, gravity, h, room)
        note(aim, room, stretch, k, trace)
        for d in range(nv):
            acceleration[d] = (room.after[d] - v[d]) / h
        advance(body, q, v, acceleration, h)
        trace.q[k + 1], trace.v[k + 1] = q, v


@kernel()
def lean(body: Tree, q: Any, pushes: Pushes, t: float, h: float, room: Room, wrenches: Any) -> int:
    """Fill the wrenches of what pushes during a step; returns how many numbers count (all or none)."""
    pushed = False
    for p in range(pushes.start.shape[0]):
        if not pushes.start[p] <= t + 0.5 * h < pushes.end[p]:
            continue
        if not pushed:
            pushed = True
            wrenches[:] = 0.0
            move_links(body, q, room.still, room.work)
        whom, force = int(pushes.body[p]), pushes.force[p]
        own, at = block(body.link[whom]) + TURN, 6 * whom
        arm = np.zeros(3)
        for i in range(3):
            wrenches[at + i] += force[i]
            for k in range(3):
                arm[i] += room.work[own + 3 * i + k] * pushes.place[p, k]
        wrenches[at + 3] += arm[1] * force[2] - arm[2] * force[1]
        wrenches[at + 4] += arm[2] * force[0] - arm[0] * force[2]
        wrenches[at + 5] += arm[0] * force[1] - arm[1] * force[0]
    return wrenches.shape[0] if pushed else 0


@kernel()
def decide(
    k: int, who: Controller, body: Tree, belief: Tree, plan: Plan, row: int, path: Path, q: Any, v: Any,
    t: float, h: float, least: float, gravity: Any, points: Any, bodies: Any, friction: float,
    pushes: Pushes, wrenches: Any, told: Any, felt: Any, room: Room, aim: Aim, trace: Trace,
) -> bool:  # fmt: skip
    """Torques of one step for a body that others move on; where it stands, ``points`` and ``bodies`` say.

    Returns whether something pushes; ``wrenches`` then says what.
    """
    hand_over(who, plan, row, room)
    take_aim(body, plan, row, path, k, q, t, h, least, aim)
    for r in range(who.root):
        told[r] = aim.error[r] / h
    felt[:] = 0.0
    if points.shape[0] > 0:
        expected_push(belief, q, v, points, bodies, friction, gravity, room, felt)
    acting = wrenches[: lean(body, q, pushes, t, h, room, wrenches)]
    stretch = control_step(who, body, belief, q, v, aim, told, felt, acting, gravity, h, room)
    note(aim, room, stretch, k, trace)
    return acting.shape[0] > 0
