"""One step of a figure that stands on its own: what joints want, what balance wants, forces and torques."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from poise.arrays import Array
from poise.compilation import kernel
from poise.dynamics.integration import advance
from poise.dynamics.rnea import rnea_step
from poise.methods.perform.control.aim import take_aim
from poise.methods.perform.control.contact_response import Answer, answer
from poise.methods.perform.control.implicit_step import feel_stops, stopped
from poise.methods.perform.control.weak_joints import cut, excess
from poise.methods.perform.control.whole_body import (
    Hold,
    Stand,
    choose,
    kicked,
    look,
    place_balls,
    prepare,
)
from poise.methods.perform.simulate.steps import Performer, Trace, hand_over, lean, note

KEYED, LEADS, LEGS = 300.0, 10.0, 1.0
"""Weights of joints that aim at a key, of those that hold or follow, and of those between the root and what
touches: these do what the others need."""
SWAY, TURN = 100.0, 10.0
"""Weights of the centre of mass, and of the root's height and turn."""
FAINT = 1e-3
"""Of what nobody asks for: the root's own way over the ground."""
BALANCE = 6.0
"""How fast the centre of mass comes back [1/s], without overshooting."""
UPRIGHT = 12.0
"""And the root's height and turn."""
RUSH = 8.0
"""The centre of mass is asked for no more than this [m/s²]."""
LIMP = 4.0
"""Time constants of one who has fallen, over those of one who stands."""
STRETCH, STRETCHES = 1.6, 14
"""Where joints are too weak: time constants grow by this factor, so often at most."""


class Where(NamedTuple):
    """Where the centre of mass should be at each step, (S + 1, 3): place, velocity, acceleration."""

    place: Array
    speed: Array
    rise: Array


@kernel(allocates=False)
def see(it: Performer, q: Any, v: Any, body: Any, place: Any, hold: Hold, balls: Any) -> None:
    """Look at one's own body: where balls of the soles are and how fast they go, (C, 6)."""
    look(it.belief, q, v, it.gravity, it.room, hold)
    place_balls(it.belief, body, place, it.room, hold, balls)


@kernel(allocates=False)
def stand_step(
    it: Performer, k: int, row: int, q: Any, v: Any, count: int, stand: Stand, where: Where, fallen: bool,
    hold: Hold, own: Answer, trace: Trace,
) -> None:  # fmt: skip
    """Take the step from ``trace.times[k]``: q and v become what they are at its end.

    One has just looked (``see``). Who has fallen counts on no
    ground: surfaces answer by themselves.
    """
    who, room, aim, t = it.who, it.room, it.aim, trace.times[k]
    h = trace.times[k + 1] - t
    nv, root = v.shape[0], who.root
    moves, upright = 3 if root == 6 else 2, count > 0 and not fallen
    hand_over(who, it.plan, row, room)
    take_aim(it.body, it.plan, row, it.path, k, q, v, t, h, it.least, aim)
    feel_stops(who, it.body, q, v, h, room)
    for x in range(3):
        hold.want[x] = where.rise[k + 1, x]
        hold.want[x] += BALANCE * BALANCE * (where.place[k + 1, x] - hold.centre[x])
        hold.want[x] += 2.0 * BALANCE * (where.speed[k + 1, x] - hold.centre[3 + x])
        hold.want[x] = min(RUSH, max(-RUSH, hold.want[x]))
    for d in range(root, nv):
        aim.push[d] += (1.0 - aim.part[d]) * room.held[d]
        aimed = it.plan.due[row, d] < math.inf and not it.plan.follows[row, d]
        stand.weights[d] = LEGS if stand.legs[d] else KEYED if aimed else LEADS
    for d in range(root):
        level = d >= moves - 1 and upright
        stand.weights[d] = TURN if level else FAINT
        room.ask[d] = aim.push[d] if level else 0.0
        if level:
            room.ask[d] += UPRIGHT * (UPRIGHT * aim.error[d] + 2.0 * (aim.rate[d] - v[d]))
    counted = 0 if fallen else count
    prepare(it.belief, v, stand, counted, moves, SWAY if upright else 0.0, it.gravity, room, hold)
    stretch, strong = LIMP if fallen else 1.0, False
    for n in range(STRETCHES):
        _want(it, v, h, stretch)
        choose(stand, counted, room.ask, room, hold)
        for d in range(nv):
            room.tau[d] -= room.passive[d]
            if n == 0:
                room.demand[d] = room.tau[d]
            room.weak[d] = 0.0
        strong = excess(who, room.tau, room.weak) <= 1.0
        if strong:
            break
        stretch *= STRETCH
    if not strong:
        cut(who, room.tau, room.weak)
        room.weak[:] = 0.0
    for d in range(nv):
        room.ask[d] = hold.chosen[d]
        room.yields[d] = room.tau[d] + room.passive[d]
    note(aim, room, stretch, k, trace)
    if fallen or not (strong and who.known):
        answer(it.body, q, v, count, room.yields, root, it.gravity, h, stand, room, hold, own)
    advance(it.body, q, v, hold.chosen, h)


@kernel(allocates=False)
def shove(it: Performer, q: Any, v: Any, t: float, h: float, tone: Any, hold: Hold) -> None:
    """What pushes during a step and nobody foresees changes velocities at its start."""
    room = it.room
    if it.pushes.start.shape[0] > 0 and lean(it.body, q, it.pushes, t, h, room):
        zero = it.who.weightless
        rnea_step(
            it.body, q, room.still, room.still, it.body.armature, zero, room.wrenches, room.work, room.lead
        )
        for d in range(v.shape[0]):
            room.lead[d] = -room.lead[d]
        kicked(tone, room.lead, h, v, hold)


@kernel(allocates=False)
def _want(it: Performer, v: Any, h: float, stretch: float) -> None:
    """Accelerations that joints want, implicit in the velocity that they end with; their limits' torques."""
    who, room, aim = it.who, it.room, it.aim
    soft, slow = 1.0 / (stretch * stretch), 1.0 / stretch
    for d in range(who.root, v.shape[0]):
        kp, kd = soft * aim.kp[d], slow * aim.kd[d]
        r, w = h * (kp * aim.error[d] + kd * aim.rate[d] + soft * aim.push[d]), h * (kd + h * kp)
        back, holds = stopped(room, d, h)
        after = (v[d] + r - back) / (1.0 + w + holds)
        room.ask[d] = (after - v[d]) / h
        room.passive[d] = 0.0
        if d < who.limits.inertia.shape[0]:
            room.passive[d] = -who.limits.inertia[d] * (back + holds * after) / h
