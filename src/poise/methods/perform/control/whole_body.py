"""Whole-body control: a root that nothing holds stands on what its feet can push.

Every step chooses accelerations a and contact forces f = Σ ρ e, ρ ≥ 0, along the edges e of friction cones:

    min  Σ w_t |J_t a − u_t|² + ε |ρ|²    such that    M_r a + c_r = Σ J_rᵀ e ρ

Tasks t are the accelerations that joints want (gains from the time left), the centre of mass, the root's
height and turn, and points that touch, which should stay where they are. The constraint are the root's own
equations: no force but those of contacts moves it. With H and g of the tasks, a₀ = H⁻¹ g, X = H⁻¹ M_rᵀ and
K = M_r X it is a problem in ρ alone, with six rows, and its dual one in six unknowns y,

    min  ½ |E ρ − w₀|²_{K⁻¹} + ½ Σ d ρ²,  ρ ≥ 0;      w₀ = M_r a₀ + c_r,   y = K⁻¹ (E ρ − w₀),
    min  ½ yᵀK y + w₀·y + Σ ½ min(0, e·y)² / d,       ρ = max(0, −e·y / d),   a = a₀ + X y,

which Newton's method ends in a few steps. The root's equations hold to rounding, whatever ρ was found. Joint
torques are the other rows of the equations.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character.tree import LINK_HINGE, LINK_NV, LINK_SLIDE, LINK_TRANSLATION, Tree
from poise.compilation import kernel
from poise.contacts.friction_cone import tangents
from poise.dynamics.crba import crba_step
from poise.dynamics.links import AXIS, BIAS, OMEGA, REACH, TURN, block, move_links
from poise.dynamics.rnea import rnea_step
from poise.methods.perform.control.controller import Room

EDGES = 4
"""Of a friction cone."""
MOST = 64
"""Points of contact that are counted."""
STEPS, SETTLED = 40, 1e-14
"""Of the search for forces: at most, and the part of its value by which a step must lower it."""
SPARING = 1e-5
"""ε, over what an edge's force does to the root: of many ways to stand, the one with small forces."""
SAFE = 0.85
"""Part of the friction that is made use of: bodies do not slip at once where they are pushed."""
STILL = 1e4
"""Weight of points that touch, over the whole mass: they neither slip nor lift."""
FADES = 60.0
"""How fast the velocity of a point that touches fades [1/s]."""
LANDS = 10.0
"""How fast a point just above or below what it should touch comes back to it [1/s]."""


class Stand(NamedTuple):
    """What a free root stands on, and where it should be, during one step."""

    points: Array  # (MOST, 3) [m]
    bodies: Array  # (MOST,)
    normals: Array  # (MOST, 3)
    friction: Array  # (MOST,)
    gap: Array  # (MOST,) [m]
    rises: Array
    """How fast they should rise: feet that roll lift one point after the other, (MOST,) [m/s]."""
    mass: float
    weights: Array
    """Of the joints' tasks, over their inertia, (nv,); the root's: its height and turn."""
    legs: Array
    """Whether what touches hangs on each degree of freedom, (nv,)."""
    inertia: Array
    """That weights count by: a joint's own, or a part of its limb's where that is more, (nv,)."""


class Hold(NamedTuple):
    """Working memory of whole-body control for nv degrees of freedom, r of them the root's."""

    place: Array  # (L, 3) origins of links
    speed: Array  # (L, 3) their velocities
    drift: Array  # (L, 6) accelerations without v̇, angular and linear
    rows: Array  # (3 MOST, nv) Jacobians of points
    full: Array  # (nv, nv) M, both halves
    tasks: Array  # (nv, nv) H, then its factor
    wish: Array  # (nv,) g
    first: Array  # (nv,) a₀
    carry: Array  # (nv, r) X
    metric: Array  # (r, r) K
    curve: Array  # (r, r) of the dual, and room for its factor
    edge: Array  # (EDGES MOST, r) E, an edge a row
    spare: Array  # (EDGES MOST,) d
    push: Array  # (EDGES MOST,) ρ
    need: Array  # (r,) w₀
    lean: Array  # (r,) y
    way: Array  # (r,)
    trial: Array  # (r,)
    chosen: Array  # (nv,) a
    want: Array  # (3,) wanted acceleration of the centre of mass
    centre: Array  # (6,) the centre of mass and its velocity
    force: Array  # (MOST, 3)

    @classmethod
    def of(cls, tree: Tree, nv: int, root: int) -> Hold:
        """Fresh arrays."""
        links = len(tree.parent)
        return cls(
            np.zeros((links, 3)), np.zeros((links, 3)), np.zeros((links, 6)), np.zeros((3 * MOST, nv)),
            np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros(nv), np.zeros(nv), np.zeros((nv, root)),
            np.zeros((root, root)), np.zeros((root, root)), np.zeros((EDGES * MOST, root)),
            np.zeros(EDGES * MOST), np.zeros(EDGES * MOST), np.zeros(root), np.zeros(root), np.zeros(root),
            np.zeros(root), np.zeros(nv), np.zeros(3), np.zeros(6), np.zeros((MOST, 3)),
        )  # fmt: skip


@kernel(allocates=False)
def look(tree: Tree, q: Any, v: Any, gravity: Any, room: Room, hold: Hold) -> None:
    """Where links are and how they move, M, c + g, and the centre of mass."""
    nv = v.shape[0]
    crba_step(tree, q, room.still, tree.armature, room.work, room.mass)
    for i in range(nv):
        for j in range(i + 1):
            hold.full[i, j] = hold.full[j, i] = room.mass[i * nv + j]
    rnea_step(tree, q, v, room.still, tree.armature, gravity, gravity[:0], room.work, room.bias)
    move_links(tree, q, v, room.work)
    work, total = room.work, 0.0
    hold.centre[:] = 0.0
    for i in range(tree.parent.shape[0]):
        up, own = tree.parent[i], block(i)
        r = own + REACH
        rx, ry, rz = work[r], work[r + 1], work[r + 2]
        o = block(up) + OMEGA
        ox, oy, oz = work[o], work[o + 1], work[o + 2]
        at, go, on = hold.place[i], hold.speed[i], hold.drift[i]
        for k in range(3):
            at[k] = work[r + k] + (hold.place[up, k] if up >= 0 else 0.0)
            go[k] = hold.speed[up, k] if up >= 0 else 0.0
            on[k] = work[own + BIAS + k] + (hold.drift[up, k] if up >= 0 else 0.0)
            on[3 + k] = work[own + BIAS + 3 + k] + (hold.drift[up, 3 + k] if up >= 0 else 0.0)
        go[0] += oy * rz - oz * ry
        go[1] += oz * rx - ox * rz
        go[2] += ox * ry - oy * rx
        if up >= 0:
            ax, ay, az = hold.drift[up, 0], hold.drift[up, 1], hold.drift[up, 2]
            on[3] += ay * rz - az * ry
            on[4] += az * rx - ax * rz
            on[5] += ax * ry - ay * rx
        kind, c = tree.kind[i], tree.v_start[i]
        if kind == LINK_SLIDE:
            for k in range(3):
                go[k] += work[own + AXIS + k] * v[c]
        elif kind == LINK_TRANSLATION:
            turn = block(up) + TURN
            for k in range(3):
                for j in range(3):
                    go[k] += work[turn + 3 * k + j] * v[c + j]
        m = tree.mass[i]
        total += m
        mx, my, mz = _turned(work, own + TURN, tree.centre[i])
        wx, wy, wz = work[own + OMEGA], work[own + OMEGA + 1], work[own + OMEGA + 2]
        for k, part in enumerate((mx, my, mz)):
            hold.centre[k] += m * (at[k] + part)
        spin = (wy * mz - wz * my, wz * mx - wx * mz, wx * my - wy * mx)
        for k, part in enumerate(spin):
            hold.centre[3 + k] += m * (go[k] + part)
    for k in range(6):
        hold.centre[k] /= max(total, 1e-12)


@kernel(inline=True, allocates=False)
def _turned(work: Any, turn: int, x: Any) -> tuple[float, float, float]:
    return (
        work[turn] * x[0] + work[turn + 1] * x[1] + work[turn + 2] * x[2],
        work[turn + 3] * x[0] + work[turn + 4] * x[1] + work[turn + 5] * x[2],
        work[turn + 6] * x[0] + work[turn + 7] * x[1] + work[turn + 8] * x[2],
    )


@kernel(allocates=False)
def point_rows(tree: Tree, stand: Stand, p: int, room: Room, hold: Hold) -> None:
    """The Jacobian of one point, rows 3p … 3p + 2."""
    work, rows, at = room.work, hold.rows, 3 * p
    for k in range(3):
        for d in range(rows.shape[1]):
            rows[at + k, d] = 0.0
    i = int(tree.link[int(stand.bodies[p])])
    while i >= 0:
        kind, c, own, up = tree.kind[i], tree.v_start[i], block(i), tree.parent[i]
        x = stand.points[p, 0] - hold.place[i, 0]
        y = stand.points[p, 1] - hold.place[i, 1]
        z = stand.points[p, 2] - hold.place[i, 2]
        for k in range(LINK_NV[kind]):
            if kind == LINK_SLIDE:
                for j in range(3):
                    rows[at + j, c] = work[own + AXIS + j]
            elif kind == LINK_TRANSLATION:
                for j in range(3):
                    rows[at + j, c + k] = work[block(up) + TURN + 3 * j + k]
            else:
                if kind == LINK_HINGE:
                    a, b, g = work[own + AXIS], work[own + AXIS + 1], work[own + AXIS + 2]
                else:
                    a, b, g = work[own + TURN + k], work[own + TURN + 3 + k], work[own + TURN + 6 + k]
                rows[at, c + k] = b * z - g * y
                rows[at + 1, c + k] = g * x - a * z
                rows[at + 2, c + k] = a * y - b * x
        i = up


@kernel(allocates=False)
def _contact_tasks(tree: Tree, stand: Stand, count: int, room: Room, hold: Hold) -> None:
    """Points that touch should stay: their rows in the tasks, and the edges of their cones."""
    nv, root, work = hold.wish.shape[0], hold.need.shape[0], room.work
    heavy = STILL * stand.mass / max(count, 1)
    for p in range(count):
        point_rows(tree, stand, p, room, hold)
        i = int(tree.link[int(stand.bodies[p])])
        x = stand.points[p, 0] - hold.place[i, 0]
        y = stand.points[p, 1] - hold.place[i, 1]
        z = stand.points[p, 2] - hold.place[i, 2]
        w = block(i) + OMEGA
        wx, wy, wz = work[w], work[w + 1], work[w + 2]
        rx, ry, rz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x  # ω × r
        ax, ay, az = hold.drift[i, 0], hold.drift[i, 1], hold.drift[i, 2]
        drift = (
            hold.drift[i, 3] + ay * z - az * y + wy * rz - wz * ry,
            hold.drift[i, 4] + az * x - ax * z + wz * rx - wx * rz,
            hold.drift[i, 5] + ax * y - ay * x + wx * ry - wy * rx,
        )
        speed = (hold.speed[i, 0] + rx, hold.speed[i, 1] + ry, hold.speed[i, 2] + rz)
        back = LANDS * stand.gap[p] - stand.rises[p]
        for k in range(3):
            row = hold.rows[3 * p + k]
            goal = -FADES * (speed[k] + back * stand.normals[p, k]) - drift[k]
            for a in range(nv):
                if row[a] != 0.0:
                    hold.wish[a] += heavy * row[a] * goal
                    for b in range(a + 1):
                        hold.tasks[a, b] += heavy * row[a] * row[b]
        nx, ny, nz = stand.normals[p, 0], stand.normals[p, 1], stand.normals[p, 2]
        ux, uy, uz, tx, ty, tz = tangents(nx, ny, nz)
        grip = SAFE * stand.friction[p]
        for e in range(EDGES):
            side = grip if e % 2 == 0 else -grip
            along, across = (side, 0.0) if e < 2 else (0.0, side)
            fx = nx + along * ux + across * tx
            fy = ny + along * uy + across * ty
            fz = nz + along * uz + across * tz
            for r in range(root):
                hold.edge[EDGES * p + e, r] = (
                    hold.rows[3 * p, r] * fx + hold.rows[3 * p + 1, r] * fy + hold.rows[3 * p + 2, r] * fz
                )


@kernel(allocates=False)
def _centre_tasks(stand: Stand, sway: float, gravity: Any, moves: int, room: Room, hold: Hold) -> None:
    """The centre of mass: the root's own rows of M are its Jacobian times the mass."""
    nv = hold.wish.shape[0]
    over = sway / stand.mass
    for k in range(moves - 1):  # height is the root's
        axis = 0 if k == 0 else 1
        goal = stand.mass * (hold.want[axis] - gravity[axis]) - room.bias[k]
        for a in range(nv):
            if hold.full[k, a] != 0.0:
                hold.wish[a] += over * hold.full[k, a] * goal
                for b in range(a + 1):
                    hold.tasks[a, b] += over * hold.full[k, a] * hold.full[k, b]


@kernel(allocates=False)
def prepare(
    tree: Tree,
    v: Any,
    stand: Stand,
    count: int,
    moves: int,
    sway: float,
    gravity: Any,
    room: Room,
    hold: Hold,
) -> None:
    """H but for what joints want, factored; X and S. ``wish`` then holds what others than joints want.

    ``moves`` counts the root's translations, 3, or 2 in a plane; ``sway`` is the weight of the centre of
    mass, over the whole mass.
    """
    nv, root = v.shape[0], hold.need.shape[0]
    hold.tasks[:] = 0.0
    hold.wish[:] = 0.0
    _contact_tasks(tree, stand, count, room, hold)
    _centre_tasks(stand, sway, gravity, moves, room, hold)
    for d in range(nv):
        hold.tasks[d, d] += stand.weights[d] * stand.inertia[d]
    factor(hold.tasks, nv)
    for r in range(root):
        for d in range(nv):
            hold.carry[d, r] = hold.full[r, d]
        solve(hold.tasks, hold.carry[:, r], nv)
    for a in range(root):
        for b in range(root):
            total = 0.0
            for d in range(nv):
                total += hold.full[a, d] * hold.carry[d, b]
            hold.metric[a, b] = total
    for e in range(EDGES * count):
        size = 0.0
        for a in range(root):
            size += hold.edge[e, a] * hold.edge[e, a] / hold.metric[a, a]
        hold.spare[e] = SPARING * size + 1e-300


@kernel(allocates=False)
def choose(stand: Stand, count: int, ask: Any, room: Room, hold: Hold) -> None:
    """Accelerations ``chosen`` and forces ``force`` for joints that want ``ask`` (nv,); torques in the room.

    ``room.tau`` is all that acts on the joints, limits included; none on the root.
    """
    nv, root, edges = ask.shape[0], hold.need.shape[0], EDGES * count
    for d in range(nv):
        hold.first[d] = hold.wish[d] + stand.weights[d] * stand.inertia[d] * ask[d]
    solve(hold.tasks, hold.first, nv)
    for r in range(root):
        hold.need[r] = room.bias[r]
        for d in range(nv):
            hold.need[r] += hold.full[r, d] * hold.first[d]
    _press(hold, edges)
    for d in range(nv):
        hold.chosen[d] = hold.first[d]
        for r in range(root):
            hold.chosen[d] += hold.carry[d, r] * hold.lean[r]
    _forces(stand, count, hold)
    for d in range(nv):
        total = room.bias[d]
        for k in range(nv):
            total += hold.full[d, k] * hold.chosen[k]
        for p in range(count):
            for k in range(3):
                total -= hold.rows[3 * p + k, d] * hold.force[p, k]
        room.tau[d] = total if d >= root else 0.0


@kernel(allocates=False)
def kicked(tone: Any, push: Any, h: float, v: Any, hold: Hold) -> None:
    """Velocities after a generalised force ``push`` (nv,) that nobody foresaw acts for h seconds."""
    nv = v.shape[0]
    for d in range(nv):
        hold.first[d] = h * push[d]
        for k in range(d + 1):
            hold.tasks[d, k] = hold.full[d, k]
        hold.tasks[d, d] += tone[d]
    factor(hold.tasks, nv)
    solve(hold.tasks, hold.first, nv)
    for d in range(nv):
        v[d] += hold.first[d]


@kernel(allocates=False)
def place_balls(tree: Tree, body: Any, place: Any, room: Room, hold: Hold, out: Any) -> None:
    """Centres of balls about places of bodies, and how fast these go, (C, 6)."""
    for c in range(body.shape[0]):
        i = tree.link[body[c]]
        arm = _turned(room.work, block(i) + TURN, place[c])
        w = block(i) + OMEGA
        wx, wy, wz = room.work[w], room.work[w + 1], room.work[w + 2]
        x, y, z = arm[0], arm[1], arm[2]
        out[c, 0], out[c, 1], out[c, 2] = hold.place[i, 0] + x, hold.place[i, 1] + y, hold.place[i, 2] + z
        out[c, 3] = hold.speed[i, 0] + wy * z - wz * y
        out[c, 4] = hold.speed[i, 1] + wz * x - wx * z
        out[c, 5] = hold.speed[i, 2] + wx * y - wy * x


@kernel(allocates=False)
def _dual(hold: Hold, edges: int, y: Any) -> float:
    """½ yᵀK y + w₀·y + Σ ½ min(0, e·y)² / d, whose least value gives the forces."""
    root, value = y.shape[0], 0.0
    for a in range(root):
        value += hold.need[a] * y[a]
        for b in range(root):
            value += 0.5 * y[a] * hold.metric[a, b] * y[b]
    for e in range(edges):
        along = 0.0
        for a in range(root):
            along += hold.edge[e, a] * y[a]
        if along < 0.0:
            value += 0.5 * along * along / hold.spare[e]
    return value


@kernel(allocates=False)
def _press(hold: Hold, edges: int) -> None:
    """ρ and y = S (E ρ − w₀) by Newton's method on the dual: convex, six unknowns, ρ = max(0, −e·y / d)."""
    y, way, trial, curve = hold.lean, hold.way, hold.trial, hold.curve
    root = y.shape[0]
    y[:] = 0.0
    value = _dual(hold, edges, y)
    for _ in range(STEPS):
        for a in range(root):
            way[a] = -hold.need[a]
            for b in range(root):
                curve[a, b] = hold.metric[a, b]
                way[a] -= hold.metric[a, b] * y[b]
        for e in range(edges):
            along = 0.0
            for a in range(root):
                along += hold.edge[e, a] * y[a]
            if along < 0.0:
                over = 1.0 / hold.spare[e]
                for a in range(root):
                    way[a] -= hold.edge[e, a] * along * over
                    for b in range(root):
                        curve[a, b] += hold.edge[e, a] * hold.edge[e, b] * over
        down = 0.0
        for a in range(root):
            trial[a] = way[a]
        factor(curve, root)
        solve(curve, way, root)
        for a in range(root):
            down += trial[a] * way[a]
        if not down > SETTLED * (1.0 + abs(value)):
            break
        step, new = 1.0, value
        for _ in range(40):
            for a in range(root):
                trial[a] = y[a] + step * way[a]
            new = _dual(hold, edges, trial)
            if new <= value - 1e-4 * step * down:
                break
            step *= 0.5
        if not new < value:
            break
        value = new
        for a in range(root):
            y[a] = trial[a]
    for e in range(edges):
        along = 0.0
        for a in range(root):
            along += hold.edge[e, a] * y[a]
        hold.push[e] = max(0.0, -along / hold.spare[e])
    for a in range(root):  # y once more from ρ: the root's equations hold to rounding
        way[a] = -hold.need[a]
        for e in range(edges):
            way[a] += hold.edge[e, a] * hold.push[e]
        for b in range(root):
            curve[a, b] = hold.metric[a, b]
    factor(curve, root)
    solve(curve, way, root)
    for a in range(root):
        y[a] = way[a]


@kernel(allocates=False)
def _forces(stand: Stand, count: int, hold: Hold) -> None:
    """Forces of points from those along edges."""
    for p in range(count):
        n, s = stand.normals[p], hold.push[EDGES * p : EDGES * p + EDGES]
        ux, uy, uz, tx, ty, tz = tangents(n[0], n[1], n[2])
        grip = SAFE * stand.friction[p]
        up, a, b = s[0] + s[1] + s[2] + s[3], grip * (s[0] - s[1]), grip * (s[2] - s[3])
        hold.force[p, 0] = up * n[0] + a * ux + b * tx
        hold.force[p, 1] = up * n[1] + a * uy + b * ty
        hold.force[p, 2] = up * n[2] + a * uz + b * tz


@kernel(allocates=False)
def factor(a: Any, n: int) -> None:
    """Lower Cholesky factor in place."""
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] * a[j, k]
        a[j, j] = math.sqrt(max(a[j, j], 1e-30))
        over = 1.0 / a[j, j]
        for i in range(j + 1, n):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            a[i, j] = total * over


@kernel(allocates=False)
def solve(a: Any, x: Any, n: int) -> None:
    """Solve with a factor, in place."""
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= a[i, k] * x[k]
        x[i] = total / a[i, i]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= a[k, i] * x[k]
        x[i] = total / a[i, i]
