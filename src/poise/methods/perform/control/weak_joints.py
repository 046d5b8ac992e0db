"""Joints of limited strength: time constants stretched until no torque exceeds what a joint has.

Gains become kp/σ², kd/σ with the least common σ that helps: the character comes late, but nothing explodes.
(Cutting torques off, or accelerations, does explode: gains grow without bound as a key that cannot be met
draws near. So does stretching joint by joint.) Joints too weak even to hold still give what they have.
"""

from __future__ import annotations

import math
from typing import Any

from poise.compilation import kernel
from poise.dynamics.branch_solve import branch_solve
from poise.methods.perform.control.aim import Aim
from poise.methods.perform.control.controller import Controller, Room
from poise.methods.perform.control.implicit_step import (
    equations,
    respond,
    settle_root,
    stop_joints,
)

LONGEST = 1e4
"""No time constant is stretched more than this."""
FASTEST = 30.0
"""A figure too weak to do as told drives no joint faster than this [rad/s]."""


@kernel(inline=True, allocates=False)
def _torque(who: Controller, tau: Any, d: int) -> tuple[float, int]:
    """The torque on the joint that begins at d, a ball's as one vector, and where the next joint begins."""
    square, k = 0.0, d
    while k < tau.shape[0] and who.head[k] == d:
        square += tau[k] * tau[k]
        k += 1
    return math.sqrt(square), k


@kernel(allocates=False)
def excess(who: Controller, tau: Any, weak: Any) -> float:
    """The largest torque over strength of any joint, the weak apart."""
    worst = 0.0
    d = who.root
    while d < tau.shape[0]:
        torque, after = _torque(who, tau, d)
        if weak[d] == 0.0:
            worst = max(worst, torque / who.strength[d])
        d = after
    return worst


@kernel(allocates=False)
def stretched(who: Controller, v: Any, aim: Aim, told: Any, h: float, exact: bool, room: Room) -> float:
    """The least σ with which no joint exceeds its strength, those apart that cannot even hold."""
    respond(who, v, aim, told, h, LONGEST, exact, room)
    d = who.root
    while d < v.shape[0]:
        torque, after = _torque(who, room.tau, d)
        if torque > who.strength[d]:
            room.weak[d] = 1.0
        d = after
    low, high = 1.0, 1.0
    while high < LONGEST:
        high *= 1.6
        respond(who, v, aim, told, h, high, exact, room)
        if excess(who, room.tau, room.weak) <= 1.0:
            break
        low = high
    for _ in range(10):
        middle = math.sqrt(low * high)
        respond(who, v, aim, told, h, middle, exact, room)
        if excess(who, room.tau, room.weak) <= 1.0:
            high = middle
        else:
            low = middle
    respond(who, v, aim, told, h, high, exact, room)
    room.weak[:] = 0.0
    if excess(who, room.tau, room.weak) > 1.0:
        _give_what_there_is(who, v, aim, told, h, room)
    return high


@kernel(allocates=False)
def _give_what_there_is(who: Controller, v: Any, aim: Aim, told: Any, h: float, room: Room) -> None:
    """Torques cut to each joint's strength, and the step that follows from them and passive damping.

    Muscles drive nothing faster than ``FASTEST``: less the speed after a step with that drag, torques are cut
    once more. (A toe with the strength of an ankle would spin.)
    """
    room.weak[:] = 0.0
    cut(who, room.tau, room.weak)
    _step(who, v, aim, told, h, room)
    for i in range(who.root, v.shape[0]):
        room.tau[i] -= room.weak[i] * room.after[i]
        room.weak[i] = 0.0
    cut(who, room.tau, room.weak)
    room.weak[:] = 0.0
    _step(who, v, aim, told, h, room)
    room.tau[: who.root] = 0.0


@kernel(allocates=False)
def cut(who: Controller, tau: Any, drag: Any) -> None:
    """Torques no longer than strengths, and the ``drag`` that leaves nothing of them at ``FASTEST``."""
    d = who.root
    while d < tau.shape[0]:
        torque, after = _torque(who, tau, d)
        left = min(1.0, who.strength[d] / max(torque, 1e-12))
        for i in range(d, after):
            tau[i] *= left
            drag[i] = left * torque / FASTEST
        d = after


@kernel(allocates=False)
def _step(who: Controller, v: Any, aim: Aim, told: Any, h: float, room: Room) -> None:
    """The velocity after a step under given torques, with passive damping and drag (``room.weak``)."""
    nv, a, x = v.shape[0], room.system, room.after
    room.ask[:] = 0.0
    room.yields[:] = 0.0
    equations(who.above, nv, room.mass, v, room.matrix, room.ask, room.yields, a, x)
    for i in range(nv):
        x[i] += h * ((room.tau[i] if i >= who.root else 0.0) - room.bias[i])
        a[i, i] += h * (who.damping[i] + room.weak[i])
    stop_joints(who, h, a, x, room)
    settle_root(who, told, a, x)
    branch_solve(who.above, a, x)
