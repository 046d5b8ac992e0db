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

Where a torque exceeds a joint's strength, all time constants are stretched by the least common factor that
helps (gains kp/σ², kd/σ): the character comes late, but nothing explodes. (Cutting torques off, or
accelerations, does explode: gains grow without bound as a key that cannot be met draws near. So does
stretching joint by joint.) Joints too weak even to hold still give what they have.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL, LINK_HINGE, Tree
from poise.compilation import kernel
from poise.dynamics.branch_solve import branch_solve
from poise.dynamics.crba import crba_step
from poise.dynamics.links import AXIS, TURN, block, workspace_rows
from poise.dynamics.rnea import rnea_step
from poise.methods.timing.aim import Aim

FULL, COMPOSITE, LOCAL, MANUAL = range(4)
LONGEST = 1e4
"""No time constant is stretched more than this."""


class Controller(NamedTuple):
    """What does not change from step to step."""

    kind: int
    known: bool
    """Whether the controller's model is the body itself."""
    told: bool
    """Whether the root moves as told; else springs hold it."""
    root: int
    """Degrees of freedom of the root."""
    above: IntArray
    """The degree of freedom above each, (nv,)."""
    head: IntArray
    """First degree of freedom of each one's joint, (nv,)."""
    strength: Array
    """What the joint of each can do [N·m or N], inf: anything, (nv,)."""
    damping: Array
    """Passive damping of the body [N·m·s/rad], (nv,)."""
    matrix: Array
    """C of ``local`` and ``manual``, (nv, nv)."""


class Room(NamedTuple):
    """Working memory of one simulation."""

    work: Array
    mass: Array  # (nv²,) of the body
    believed: Array  # (nv²,) of the controller
    matrix: Array  # (nv, nv) C
    system: Array  # (nv, nv)
    bias: Array
    lead: Array  # ff
    axes: Array  # (nv, 3) world axes of rotations
    still: Array
    held: Array
    """Torque carried over from the phase before."""
    since: Array
    """When the phase of each joint began [s]."""
    tau: Array
    demand: Array
    """What would be needed to be on time."""
    after: Array
    """v⁺"""
    weak: Array
    """1 at joints too weak to hold still."""
    ask: Array
    yields: Array

    @classmethod
    def of(cls, tree: Tree, nv: int) -> Room:
        """Fresh arrays."""

        def row() -> Array:
            return np.zeros(nv)

        return cls(
            np.zeros(workspace_rows(len(tree.parent))), np.zeros(nv * nv), np.zeros(nv * nv),
            np.zeros((nv, nv)), np.zeros((nv, nv)), row(), row(), np.zeros((nv, 3)), row(), row(),
            np.full(nv, np.nan), row(), row(), row(), row(), row(), row(),
        )  # fmt: skip


@kernel()
def control_step(
    who: Controller, body: Tree, belief: Tree, q: Any, v: Any, aim: Aim, told: Any, felt: Any, wrenches: Any,
    gravity: Any, h: float, room: Room,
) -> float:  # fmt: skip
    """Torques ``room.tau`` and velocity ``room.after`` at the end of a step; returns the stretch σ ≥ 1.

    ``told`` (root,) is the root's velocity then; ``felt`` (nv,) the ground's expected push, known to the
    controller; ``wrenches`` (6 n,) act on bodies unknown to it.
    """
    nv, none = v.shape[0], wrenches[:0]
    exact = who.known and wrenches.shape[0] == 0
    crba_step(body, q, room.still, body.armature, room.work, room.mass)
    if who.kind == COMPOSITE and who.known:
        _find_axes(body.kind, body.v_start, room.work, room.axes)
    rnea_step(body, q, v, room.still, body.armature, gravity, wrenches, room.work, room.bias)
    if not who.known:
        crba_step(belief, q, room.still, belief.armature, room.work, room.believed)
        if who.kind == COMPOSITE:
            _find_axes(belief.kind, belief.v_start, room.work, room.axes)
    if who.kind == FULL:
        if exact:
            room.lead[:] = room.bias
        else:
            rnea_step(belief, q, v, room.still, belief.armature, gravity, none, room.work, room.lead)
    for d in range(nv):
        if who.kind == COMPOSITE:
            room.lead[d] = (1.0 - aim.part[d]) * room.held[d]
        elif who.kind != FULL:
            room.lead[d] = 0.0
        room.lead[d] -= felt[d]
        room.bias[d] -= felt[d]
    if who.kind == LOCAL or who.kind == MANUAL:
        room.matrix[:] = who.matrix
    else:
        believed = room.mass if who.known else room.believed
        _fill_matrix(who.kind, who.root, who.above, who.head, believed, room.axes, room.matrix)
    _respond(who, v, aim, told, h, 1.0, exact, room)
    room.demand[:] = room.tau
    room.weak[:] = 0.0
    if _excess(who, room.tau, room.weak) <= 1.0:
        return 1.0
    return _stretch(who, v, aim, told, h, exact, room)


@kernel()
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


@kernel()
def _fill_matrix(kind: int, root: int, above: Any, head: Any, believed: Any, axes: Any, c: Any) -> None:
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
            c[i, j] = x * axes[j, 0] + y * axes[j, 1] + z * axes[j, 2]
            j = above[j]


@kernel()
def _respond(
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
    if exact and who.kind == FULL and who.told:
        # What the controller believes is so: C = M and ff = c + g, and M drops out of the equations.
        for j in range(v.shape[0]):
            x[j] = told[j] if j < who.root else (v[j] + r[j]) / (1.0 + w[j])
    else:
        _equations(who.above, who.root, room.mass, v, room.matrix, r, w, a, x)
        for i in range(v.shape[0]):
            x[i] += h * ((room.lead[i] if i >= who.root else 0.0) - room.bias[i])
            if who.kind != FULL:
                a[i, i] += h * who.damping[i]
        _settle_root(who, aim, told, h, a, x)
        branch_solve(who.above, a, x)
    for j in range(v.shape[0]):
        r[j] = (r[j] - w[j] * x[j]) / h
        room.tau[j] = room.lead[j] + (who.damping[j] * x[j] if who.kind == FULL else 0.0)
    _spread(who.above, who.root, room.matrix, r, room.tau)
    _lend_a_hand(who, aim, h, x, room.tau)


@kernel()
def _lend_a_hand(who: Controller, aim: Aim, h: float, x: Any, tau: Any) -> None:
    """What springs give a root that is not told, at the velocity x."""
    for d in range(who.root):
        pull = aim.kp[d] * (aim.error[d] - h * x[d]) + aim.kd[d] * (aim.rate[d] - x[d])
        tau[d] = 0.0 if who.told else pull


@kernel()
def _equations(above: Any, root: int, mass: Any, v: Any, c: Any, r: Any, w: Any, a: Any, x: Any) -> None:
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


@kernel()
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


@kernel()
def _settle_root(who: Controller, aim: Aim, told: Any, h: float, a: Any, x: Any) -> None:
    """The root's own equations: as told, or on its springs."""
    for r in range(who.root):
        if who.told:
            a[r, :] = 0.0
            a[r, r], x[r] = 1.0, told[r]
        else:
            a[r, r] += h * (aim.kd[r] + h * aim.kp[r])
            x[r] += h * (aim.kp[r] * aim.error[r] + aim.kd[r] * aim.rate[r])


@kernel(inline=True)
def _torque(who: Controller, tau: Any, d: int) -> tuple[float, int]:
    """The torque on the joint that begins at d, a ball's as one vector, and where the next joint begins."""
    square, k = 0.0, d
    while k < tau.shape[0] and who.head[k] == d:
        square += tau[k] * tau[k]
        k += 1
    return math.sqrt(square), k


@kernel()
def _excess(who: Controller, tau: Any, weak: Any) -> float:
    """The largest torque over strength of any joint, the weak apart."""
    worst = 0.0
    d = who.root
    while d < tau.shape[0]:
        torque, after = _torque(who, tau, d)
        if weak[d] == 0.0:
            worst = max(worst, torque / who.strength[d])
        d = after
    return worst


@kernel()
def _stretch(who: Controller, v: Any, aim: Aim, told: Any, h: float, exact: bool, room: Room) -> float:
    """The least σ with which no joint exceeds its strength, those apart that cannot even hold."""
    _respond(who, v, aim, told, h, LONGEST, exact, room)
    d = who.root
    while d < v.shape[0]:
        torque, after = _torque(who, room.tau, d)
        if torque > who.strength[d]:
            room.weak[d] = 1.0
        d = after
    low, high = 1.0, 1.0
    while high < LONGEST:
        high *= 1.6
        _respond(who, v, aim, told, h, high, exact, room)
        if _excess(who, room.tau, room.weak) <= 1.0:
            break
        low = high
    for _ in range(10):
        middle = math.sqrt(low * high)
        _respond(who, v, aim, told, h, middle, exact, room)
        if _excess(who, room.tau, room.weak) <= 1.0:
            high = middle
        else:
            low = middle
    _respond(who, v, aim, told, h, high, exact, room)
    room.weak[:] = 0.0
    if _excess(who, room.tau, room.weak) > 1.0:
        _give_what_there_is(who, v, aim, told, h, room)
    return high


@kernel()
def _give_what_there_is(who: Controller, v: Any, aim: Aim, told: Any, h: float, room: Room) -> None:
    """Torques cut to each joint's strength, and the step that follows from them and passive damping."""
    nv, a, x, tau = v.shape[0], room.system, room.after, room.tau
    d = who.root
    while d < nv:
        torque, after = _torque(who, tau, d)
        if torque > who.strength[d]:
            for i in range(d, after):
                tau[i] *= who.strength[d] / torque
        d = after
    room.ask[:] = 0.0
    room.yields[:] = 0.0
    _equations(who.above, nv, room.mass, v, room.matrix, room.ask, room.yields, a, x)
    for i in range(nv):
        x[i] += h * ((tau[i] if i >= who.root else 0.0) - room.bias[i])
        a[i, i] += h * who.damping[i]
    _settle_root(who, aim, told, h, a, x)
    branch_solve(who.above, a, x)
    _lend_a_hand(who, aim, h, x, tau)
