"""The loop of a simulation without contact: aim, control, step; compiled as one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character.tree import Tree
from poise.compilation import kernel
from poise.dynamics.integration import advance
from poise.dynamics.links import TURN, block, const_vec, move_links
from poise.dynamics.rows import accumulate_vec, load_mat
from poise.manifold.algebra import cross, rotate
from poise.methods.perform.control.aim import Aim, Path, Plan, take_aim
from poise.methods.perform.control.controller import FULL, Controller, Room
from poise.methods.perform.control.implicit_step import feel_stops, press_back
from poise.methods.perform.control.schedule import TINY
from poise.methods.perform.control.torques import control_step


class Pushes(NamedTuple):
    """Forces that act for a while, P of them."""

    start: Array  # (P,) [s]
    end: Array
    body: Array  # (P,) whole numbers
    place: Array  # (P, 3) in the body's frame [m]
    force: Array  # (P, 3) world axes [N]


class Performer(NamedTuple):
    """Who moves, by what, and what acts: all that stays the same over a simulation, and room to work in."""

    who: Controller
    body: Tree
    belief: Tree
    plan: Plan
    path: Path
    pushes: Pushes
    gravity: Array  # (3,)
    least: float
    """The shortest time constant [s]."""
    room: Room
    aim: Aim


class Trace(NamedTuple):
    """What happened, S steps: states at their starts and at the last end, the rest during each."""

    times: Array  # (S + 1,)
    q: Array  # (S + 1, nq)
    v: Array  # (S + 1, nv)
    torque: Array  # (S, nv)
    demand: Array
    """Torque that being on time would take, (S, nv)."""
    stiffness: Array
    """kp, (S, nv): k_s for each unit of inertia [1/s²]; the root has none."""
    damping: Array
    """kd, (S, nv): k_d likewise [1/s]."""
    stretch: Array  # (S,)

    @classmethod
    def room(cls, times: Array, nq: int, nv: int) -> Trace:
        """Fresh arrays."""
        n = len(times) - 1
        a, b, c, d = np.zeros((4, n, nv))
        return cls(times, np.zeros((n + 1, nq)), np.zeros((n + 1, nv)), a, b, c, d, np.ones(n))


@kernel(allocates=False)
def hand_over(who: Controller, plan: Plan, row: int, room: Room) -> None:
    """Where a new phase begins, keep what the old one ended with.

    ``composite``: its torque. ``full``, at a key: what it accelerated against
    what it does not know of (a floor that pushes otherwise than expected), which would show at once.
    """
    for d in range(who.root, room.tau.shape[0]):
        if room.since[d] == plan.since[row, d]:
            continue
        if who.kind == FULL:
            room.held[d] = -room.unforeseen[d] if abs(room.due[d] - plan.since[row, d]) < TINY else 0.0
        else:
            room.held[d] = room.tau[d]
        room.since[d], room.due[d] = plan.since[row, d], plan.due[row, d]


@kernel(allocates=False)
def look_back(room: Room, before: Any, after: Any, h: float) -> None:
    """What a step did to velocities beyond what was wanted."""
    for d in range(before.shape[0]):
        room.unforeseen[d] = (after[d] - before[d]) / h - room.ask[d]


@kernel(allocates=False)
def note(aim: Aim, room: Room, stretch: float, k: int, trace: Trace) -> None:
    """Write down one step."""
    trace.stretch[k] = stretch
    soft, slow = 1.0 / (stretch * stretch), 1.0 / stretch
    for d in range(room.tau.shape[0]):
        trace.torque[k, d], trace.demand[k, d] = room.tau[d], room.demand[d]
        trace.stiffness[k, d], trace.damping[k, d] = soft * aim.kp[d], slow * aim.kd[d]


@kernel(allocates=False)
def run_steps(first: int, last: int, it: Performer, rows: Any, trace: Trace) -> None:
    """Steps ``first`` to ``last``; ``rows`` (S,) is the plan's row at each. The trace holds the state."""
    nq, nv, room = trace.q.shape[1], trace.v.shape[1], it.room
    for k in range(first, last):
        t, q, v = trace.times[k], trace.q[k + 1], trace.v[k + 1]
        h = trace.times[k + 1] - t
        for i in range(nq):
            q[i] = trace.q[k, i]
        for d in range(nv):
            v[d] = trace.v[k, d]
        stretch = _act(it, k, rows[k], q, v, t, h)
        note(it.aim, room, stretch, k, trace)
        acceleration, rate = room.yields, 1.0 / h
        for d in range(nv):
            acceleration[d] = (room.after[d] - v[d]) * rate
        advance(it.body, q, v, acceleration, h)
        look_back(room, trace.v[k], v, h)


@kernel(allocates=False)
def _act(it: Performer, k: int, row: int, q: Any, v: Any, t: float, h: float) -> float:
    """Aim and control of one step: torques and velocity after it in ``room``; returns the stretch."""
    who, room, aim = it.who, it.room, it.aim
    hand_over(who, it.plan, row, room)
    take_aim(it.body, it.plan, row, it.path, k, q, v, t, h, it.least, aim)
    for r in range(who.root):
        room.told[r] = aim.error[r] / h
    if who.kind == FULL:
        for d in range(who.root, v.shape[0]):
            aim.push[d] += (1.0 - aim.part[d]) * room.held[d]
    feel_stops(who, it.body, q, v, h, room)
    acting = room.wrenches[:0]
    if it.pushes.start.shape[0] > 0 and lean(it.body, q, it.pushes, t, h, room):
        acting = room.wrenches
    return control_step(who, it.body, it.belief, q, v, aim, acting, it.gravity, h, room)


@kernel(allocates=False)
def lean(body: Tree, q: Any, pushes: Pushes, t: float, h: float, room: Room) -> bool:
    """Whether something pushes during a step; the room's wrenches then say what, and links are placed."""
    pushed, wrenches = False, room.wrenches
    for p in range(pushes.start.shape[0]):
        if not pushes.start[p] <= t + 0.5 * h < pushes.end[p]:
            continue
        if not pushed:
            pushed = True
            wrenches[:] = 0.0
            move_links(body, q, room.still, room.work)
        whom = int(pushes.body[p])
        at = 6 * whom
        force = const_vec(pushes.force, p)
        arm = rotate(load_mat(room.work, block(body.link[whom]) + TURN), const_vec(pushes.place, p))
        accumulate_vec(wrenches, at, force)
        accumulate_vec(wrenches, at + 3, cross(arm, force))
    return pushed


@kernel()
def decide(
    it: Performer, k: int, row: int, q: Any, v: Any, t: float, h: float, trace: Trace
) -> None:  # fmt: skip
    """Torques of one step for a body that others move on."""
    stretch = _act(it, k, row, q, v, t, h)
    note(it.aim, it.room, stretch, k, trace)
    press_back(it.who, it.body, q, h, it.room)


def shortened(trace: Trace, steps: int) -> Trace:
    """The first steps of a trace."""
    return Trace(*(part[: steps + 1] for part in trace[:3]), *(part[:steps] for part in trace[3:]))
