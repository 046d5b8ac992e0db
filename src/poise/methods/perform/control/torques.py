"""Joint torques of the four controllers, and the step that the character then takes.

    τ = C (kp e + kd (ω̂ − v⁺)) + ff

| control   | C                                                                    | ff                     |
|-----------|----------------------------------------------------------------------|------------------------|
| full      | the mass matrix M, all couplings                                     | gravity, Coriolis      |
| composite | composite inertia of what hangs on each joint, m_i, and m_i times    | hand-over              |
|           | the ancestors' rotation (parent-torque compensation)                 |                        |
| local     | inertia of the joint's own body                                      | –                      |
| manual    | diagonal of M at the start, gains that never change                  | –                      |

All are implicit in the velocity v⁺ that the step ends with:

    (M + C W) v⁺ = M v + h (C (kp e + kd ω̂) + ff − c − g + Jᵀ w),    W = h kd + h² kp

which is stable for any gains; without implicitness ``composite`` diverges at any step (M_ii (M⁻¹)_ii is not
small). M, c and g are the body's own, C and ff what the controller believes. C couples a joint with its own
branch only, so the equations keep the pattern of the tree.

Joint limits are the body's own: passive springs, implicit too (``implicit_step``), that no muscle counts.

Where a torque exceeds a joint's strength, all time constants are stretched: see ``weak_joints``.
"""

from __future__ import annotations

from typing import Any

from poise.character.tree import LINK_BALL, LINK_HINGE, Tree
from poise.compilation import kernel
from poise.dynamics.aba import aba_moved
from poise.dynamics.crba import crba_step
from poise.dynamics.links import AXIS, TURN, block
from poise.dynamics.rnea import rnea_step
from poise.methods.perform.control.aim import Aim
from poise.methods.perform.control.controller import COMPOSITE, FULL, LOCAL, MANUAL, Controller, Room
from poise.methods.perform.control.implicit_step import respond, stopped
from poise.methods.perform.control.weak_joints import excess, stretched


@kernel(allocates=False)
def control_step(
    who: Controller, body: Tree, belief: Tree, q: Any, v: Any, aim: Aim, wrenches: Any, gravity: Any,
    h: float, room: Room,
) -> float:  # fmt: skip
    """Torques ``room.tau`` and velocity ``room.after`` at the end of a step; returns the stretch σ ≥ 1.

    ``room.told`` is the root's velocity then; nobody foresees ``wrenches`` (6 n,) on bodies. Where there are
    any, links are placed at rest in ``room.work``.
    """
    told = room.told
    exact = who.known and wrenches.shape[0] == 0
    at_once = who.kind == FULL and who.known
    if at_once:
        _answer_at_once(who, body, q, v, aim, wrenches, gravity, h, room)
    else:
        _weigh(who, body, belief, q, v, aim, wrenches, gravity, exact, room)
        respond(who, v, aim, told, h, 1.0, exact, room)
    for d in range(v.shape[0]):
        room.demand[d], room.weak[d] = room.tau[d], 0.0
    if excess(who, room.tau, room.weak) <= 1.0:
        return 1.0
    if at_once:
        _weigh(who, body, belief, q, v, aim, wrenches, gravity, exact, room)
    return stretched(who, v, aim, told, h, exact, room)


@kernel(allocates=False)
def _answer_at_once(
    who: Controller, body: Tree, q: Any, v: Any, aim: Aim, wrenches: Any, gravity: Any, h: float, room: Room
) -> None:  # fmt: skip
    """The step of ``full`` that knows its body, in O(n): M drops out of M (1 + W) v⁺ = M (v + r) + h Jᵀ w.

    What nobody foresaw is forward dynamics, M⁻¹ Jᵀ w; torques are inverse dynamics of what is wanted.
    """
    nv, x, u, yields, rate = v.shape[0], room.after, room.ask, room.yields, 1.0 / h
    if wrenches.shape[0] > 0:
        still = room.still
        aba_moved(body, still, body.armature, who.weightless, who.held, still, wrenches, room.work, yields)
    else:
        yields[:] = 0.0
    for j in range(nv):
        kp, kd = aim.kp[j], aim.kd[j]
        r, w = h * (kp * aim.error[j] + kd * aim.rate[j] + aim.push[j]), h * (kd + h * kp)
        push, hold = stopped(room, j, h)
        x[j] = (v[j] + r + h * yields[j] - push) / (1.0 + w + hold)
        u[j] = (r - w * x[j]) * rate
        if j < who.root:
            x[j], u[j] = room.told[j], (room.told[j] - v[j]) * rate
    rnea_step(body, q, v, u, body.armature, gravity, wrenches[:0], room.work, room.tau)
    for j in range(nv):
        room.tau[j] += who.damping[j] * x[j]
        if j < who.root:
            room.tau[j] = 0.0


@kernel(allocates=False)
def _weigh(
    who: Controller, body: Tree, belief: Tree, q: Any, v: Any, aim: Aim, wrenches: Any, gravity: Any,
    exact: bool, room: Room,
) -> None:  # fmt: skip
    """The terms of the equations: M and c + g of the body, C and ff of the controller."""
    nv, none = v.shape[0], wrenches[:0]
    crba_step(body, q, room.still, body.armature, room.work, room.mass)
    if who.kind == COMPOSITE and who.known:
        _find_axes(body.kind, body.v_start, room.work, room.axes)
    rnea_step(body, q, v, room.still, body.armature, gravity, wrenches, room.work, room.bias)
    if not who.known:
        crba_step(belief, q, room.still, belief.armature, room.work, room.believed)
        if who.kind == COMPOSITE:
            _find_axes(belief.kind, belief.v_start, room.work, room.axes)
    if who.kind == FULL and not exact:
        rnea_step(belief, q, v, room.still, belief.armature, gravity, none, room.work, room.lead)
    for d in range(nv):
        if who.kind == COMPOSITE:
            room.lead[d] = (1.0 - aim.part[d]) * room.held[d]
        elif who.kind != FULL:
            room.lead[d] = 0.0
        elif exact:
            room.lead[d] = room.bias[d]
    if who.kind == LOCAL or who.kind == MANUAL:
        for i in range(nv):
            for j in range(nv):
                room.matrix[i, j] = who.matrix[i, j]
    else:
        believed = room.mass if who.known else room.believed
        _fill_matrix(who.kind, who.root, who.above, who.head, believed, room.axes, aim.part, room.matrix)


@kernel(allocates=False)
def _find_axes(kind: Any, first: Any, work: Any, axes: Any) -> None:
    """World axes of rotations, once links are placed; translations have none."""
    axes[:] = 0.0
    for i in range(kind.shape[0]):
        own, d = block(i), first[i]
        for x in range(3):
            if kind[i] == LINK_HINGE:
                axes[d, x] = work[own + AXIS + x]
            elif kind[i] == LINK_BALL:
                for k in range(3):
                    axes[d + k, x] = work[own + TURN + 3 * x + k]


@kernel(allocates=False)
def _fill_matrix(
    kind: int, root: int, above: Any, head: Any, believed: Any, axes: Any, part: Any, c: Any
) -> None:
    """C of ``full`` and ``composite`` on the branches, both triangles."""
    nv = head.shape[0]
    for i in range(nv):
        j = i
        while j >= 0:
            m = believed[i * nv + j] if kind == FULL or head[i] == head[j] else 0.0
            c[i, j], c[j, i] = m, m
            j = above[j]
    if kind == FULL:
        return
    for i in range(root, nv):
        # What the ancestors' accelerations do to this joint: m_i times their part about its own axes.
        x, y, z, k = 0.0, 0.0, 0.0, head[i]
        while k < nv and head[k] == head[i]:
            x, y, z = x + c[i, k] * axes[k, 0], y + c[i, k] * axes[k, 1], z + c[i, k] * axes[k, 2]
            k += 1
        j = above[head[i]]
        while j >= 0:
            # The root has no gain that would rise: what its acceleration asks for rises alike.
            rises = part[i] if j < root else 1.0
            c[i, j] = rises * (x * axes[j, 0] + y * axes[j, 1] + z * axes[j, 2])
            j = above[j]
