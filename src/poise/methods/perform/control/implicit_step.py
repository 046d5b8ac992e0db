"""The step a body takes under the torques of a controller, solved for the velocity it ends with.

(M + C W) v⁺ = M v + h (C (kp e + kd ω̂) + ff − c − g + Jᵀ w),    W = h kd + h² kp
"""

from __future__ import annotations

import math
from typing import Any

from poise.character.tree import Tree
from poise.compilation import kernel
from poise.dynamics.branch_solve import branch_solve
from poise.dynamics.crba import crba_step
from poise.dynamics.stops import press_stops
from poise.methods.perform.control.aim import Aim
from poise.methods.perform.control.controller import FULL, Controller, Room

OMEGA, RATIO = 2 * math.pi * 60.0, 0.5
"""Of a limit's spring [rad/s] and its damping ratio: firmer than in loose motions, for blows."""


@kernel(allocates=False)
def respond(
    who: Controller, v: Any, aim: Aim, told: Any, h: float, stretch: float, exact: bool, room: Room
) -> None:
    """Torques and v⁺ with time constants ``stretch`` times as long.

    With r = h (kp e + kd ω̂ + …) and w = h kd + h² kp the wanted accelerations are u = (r − w v⁺) / h. The
    root's is what it has anyway: r = −v and w = −1.
    """
    a, x, r, w = room.system, room.after, room.ask, room.yields
    soft, slow = 1.0 / (stretch * stretch), 1.0 / stretch
    for j in range(v.shape[0]):
        kp, kd = soft * aim.kp[j], slow * aim.kd[j]
        r[j], w[j] = h * (kp * aim.error[j] + kd * aim.rate[j] + soft * aim.push[j]), h * (kd + h * kp)
        if j < who.root:
            r[j], w[j] = -v[j], -1.0
    if exact and who.kind == FULL:
        # What the controller believes is so: C = M and ff = c + g, and M drops out of the equations.
        for j in range(v.shape[0]):
            push, hold = stopped(room, j, h)
            x[j] = told[j] if j < who.root else (v[j] + r[j] - push) / (1.0 + w[j] + hold)
    else:
        equations(who.above, who.root, room.mass, v, room.matrix, r, w, a, x)
        for i in range(v.shape[0]):
            x[i] += h * ((room.lead[i] if i >= who.root else 0.0) - room.bias[i])
            if who.kind != FULL:
                a[i, i] += h * who.damping[i]
        stop_joints(who, h, a, x, room)
        settle_root(who, told, a, x)
        branch_solve(who.above, a, x)
    for j in range(v.shape[0]):
        r[j] = (r[j] - w[j] * x[j]) / h
        room.tau[j] = room.lead[j] + (who.damping[j] * x[j] if who.kind == FULL else 0.0)
    _spread(who.above, who.root, room.matrix, r, room.tau)
    room.tau[: who.root] = 0.0


@kernel(inline=True, allocates=False)
def stopped(room: Room, d: int, h: float) -> Any:
    """What a joint's limit takes off its velocity in a step, and adds to its inertia, both over its inertia.

    −K way − D s v⁺ with K = I ω², D = 2 ζ I ω, where v⁺ has carried it on: way + h s v⁺.
    """
    soon = room.stop[d]
    return h * OMEGA * OMEGA * room.over[d], h * soon * OMEGA * (2.0 * RATIO + h * OMEGA)


@kernel(allocates=False)
def stop_joints(who: Controller, h: float, a: Any, x: Any, room: Room) -> None:
    """The limits' springs in the equations of a step."""
    for d in range(who.root, who.limits.inertia.shape[0]):
        push, hold = stopped(room, d, h)
        x[d] -= who.limits.inertia[d] * push
        a[d, d] += who.limits.inertia[d] * hold


@kernel(allocates=False)
def feel_stops(who: Controller, body: Tree, q: Any, v: Any, h: float, room: Room) -> None:
    """How joints press into their limits as a step begins."""
    own = who.limits
    if own.lower.shape[0] > 0:
        press_stops(
            body, own.lower, own.upper, own.limited, q, v, own.neutral, h, room.over, room.touch, room.stop
        )


@kernel(allocates=False)
def press_back(who: Controller, body: Tree, q: Any, h: float, room: Room) -> None:
    """Torques of the limits during the step that was solved (``room.passive``), for others who take it.

    Of ``full`` that knows its body, in whose step M drops out: M times what they take off the acceleration.
    """
    nv, pressed = room.passive.shape[0], False
    for d in range(nv):
        room.passive[d] = 0.0
        if d >= who.root and d < who.limits.inertia.shape[0]:
            push, hold = stopped(room, d, h)
            room.passive[d] = -(push + hold * room.after[d]) / h
            pressed = pressed or room.passive[d] != 0.0
    if not pressed:
        return
    if who.kind == FULL and who.known:
        crba_step(body, q, room.still, body.armature, room.work, room.mass)
        for i in range(nv):
            room.yields[i] = 0.0
            for j in range(nv):
                m = room.mass[i * nv + j] if j <= i else room.mass[j * nv + i]
                room.yields[i] += m * room.passive[j]
        for i in range(nv):
            room.passive[i] = room.yields[i]
    else:
        for d in range(who.root, nv):
            room.passive[d] *= who.limits.inertia[d]


@kernel(allocates=False)
def equations(above: Any, root: int, mass: Any, v: Any, c: Any, r: Any, w: Any, a: Any, x: Any) -> None:
    """A = M + C W and x = M v + C r; the root's rows have no C."""
    nv = v.shape[0]
    x[:] = 0.0
    for i in range(nv):
        total, ri, wi, vi = 0.0, r[i], w[i], v[i]
        j = i
        while j >= root:
            m, low = mass[i * nv + j], c[i, j]
            total += m * v[j] + low * r[j]
            a[i, j] = m + low * w[j]
            if i != j:
                high = c[j, i]
                a[j, i] = m + high * wi
                x[j] += m * vi + high * ri
            j = above[j]
        low_root = i >= root
        while j >= 0:
            m = mass[i * nv + j]
            low = c[i, j] if low_root else 0.0
            total += m * v[j] + low * r[j]
            a[i, j] = m + low * w[j]
            if i != j:
                a[j, i] = m
                x[j] += m * vi
            j = above[j]
        x[i] += total


@kernel(allocates=False)
def _spread(above: Any, root: int, c: Any, u: Any, tau: Any) -> None:
    """τ += C u."""
    for i in range(root, u.shape[0]):
        total = 0.0
        j = i
        while j >= 0:
            total += c[i, j] * u[j]
            if i != j and j >= root:
                tau[j] += c[j, i] * u[i]
            j = above[j]
        tau[i] += total


@kernel(allocates=False)
def settle_root(who: Controller, told: Any, a: Any, x: Any) -> None:
    """The root's own equations: it moves as told."""
    for r in range(who.root):
        a[r, :] = 0.0
        a[r, r], x[r] = 1.0, told[r]
