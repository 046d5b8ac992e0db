"""One pose: Newton's method on the merit of prioritised tasks, damped, inside joint limits; then multipliers.

    merit(q) = Σ_strict λ (e − r) + ½ W (e − r)²  +  ½ Σ_soft w e²  +  ½ Σ p (pose ⊖ q)²

Each iteration takes a damped step that must lower the merit: nothing can oscillate. The Hessian holds the
tasks' curvature (``curvature``), so that targets out of reach settle as quickly as others. Degrees of freedom
that would pass a limit are put on it and the step is solved again for the others.

Weights start low and rise: heavy ones make a narrow curved valley, slow to walk along from afar. Once steps
are small compared with what strict rows still miss, their multipliers are updated, and where levels cannot
all be met they are taken apart (``poise.solvers.prioritised``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.kinematics.layout import Layout
from poise.manifold.algebra import dot, sym_apply
from poise.methods.keyframing.curvature import curvature_frame
from poise.methods.keyframing.exponential import coordinates_frame, minus_frame, step_frame
from poise.methods.keyframing.rotation_kernels import bend, turned, turning_change
from poise.methods.keyframing.row_plan import RowPlan
from poise.methods.keyframing.rows import new_place, rows_frame
from poise.solvers.prioritised import FAINT, HEAVIEST, add_squares, bounded_step, expected_fall, next_level


class Setting(NamedTuple):
    """What is the same for all frames; read-only."""

    level: IntArray
    """Of each row; −1: soft, (m,)."""
    levels: int
    """Number of strict levels."""
    free: IntArray
    """1 for degrees of freedom that may move, (nv,)."""
    lower: Array
    upper: Array
    """(nv,)"""
    bounded: IntArray
    """1 for links with a limit, (L,)."""
    pose: Array
    """Weight of the pose, equal within a rotation, (nv,)."""


FIRM, APPROACH, RISE = 1e4, 0.3, 10.0
"""Weight of a strict row at last; the cap of all weights at first; how the cap rises."""
LIGHT = 10.0
"""The heaviest soft row where levels are taken apart."""
STANDS = 0.95
"""A miss that falls by less than this factor cannot be mended."""
NEAR = 0.03
"""A step [rad, m] short enough to raise the cap."""
TRIES = 12


@kernel()
def solve_frames(
    first: int,
    last: int,
    tree: Layout,
    plan: RowPlan,
    setting: Setting,
    start: Array,
    pose: Array,
    goals: Array,
    weights: Array,
    previous: Array,
    momentum: Array,
    accuracy: float,
    iterations: int,
    approach: float,
    out: Array,
    errors: Array,
    counts: IntArray,
    settled: IntArray,
    history: Array,
) -> None:
    """Poses ``out`` (F, nq), errors (F, m) in the rows' scale, evaluations (F,), whether settled (F,).

    ``history`` (iterations, 4) takes the merit, the largest strict and soft error and the step after each
    evaluation where it has rows (of the last frame run).
    """
    nv, m, nq = tree.turning.size, plan.which.size, out.shape[1]
    at = new_place(tree, plan)
    q, x, e, gap = np.empty(nq), np.zeros(nv), np.empty(m), np.zeros(nv)
    trial, e2, gap2, j, moved = np.empty(nq), np.empty(m), np.zeros(nv), np.zeros((m, nv)), np.zeros(nv)
    w, y, wide = np.empty(m), np.empty(m), np.empty(m)
    rank, live = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    multiplier, shift, anchor = np.empty(m), np.empty(m), np.empty(nv)
    heavy, missed = np.empty(setting.levels), np.empty(setting.levels)
    h, u, g, d = np.empty((nv, nv)), np.empty((nv, nv)), np.empty(nv), np.zeros(nv)
    locked, told = np.empty(nv, dtype=np.int64), np.empty(nv)
    forces, moments = np.empty((plan.point_body.size, 3)), np.empty((tree.parent.size, 9))
    twist, push, principal_j = np.empty((nv, 3)), np.zeros((nv, 3)), np.empty((6, nv))
    for f in range(first, last):
        soft = weights[f]
        # Levels are first held together; only where they cannot all be met does each take its turn.
        groups, top, firm, ease = min(setting.levels, 1), 0, FIRM, 1.0
        for r in range(m):
            rank[r] = min(setting.level[r], 0) if soft[r] > 0.0 else -1
            live[r] = 1
            multiplier[r] = shift[r] = 0.0
            if rank[r] < 0:
                firm = max(firm, 1e3 * soft[r])
        heavy[:] = firm
        missed[:] = 1e300
        coordinates_frame(tree.kind, tree.q_start, tree.v_start, start[f], x)
        d[:] = 0.0
        step_frame(
            tree.kind,
            tree.q_start,
            tree.v_start,
            setting.bounded,
            setting.lower,
            setting.upper,
            start[f],
            x,
            d,
            trial,
        )
        cap, damping, value, expected, noise = approach, 1e-3, 0.0, 0.0, 0.0
        count, tries, rise, idle = 0, 0, 2.0, 0
        fresh, apart, sorting, done = True, False, False, False
        while True:
            minus_frame(tree.kind, tree.q_start, tree.v_start, pose[f], trial, gap2)
            if previous.shape[0]:
                minus_frame(tree.kind, tree.q_start, tree.v_start, trial, previous[f], moved)
            rows_frame(tree, plan, trial, goals[f], moved, momentum[min(f, momentum.shape[0] - 1)], at, e2, j)
            count += 1
            resting = stuck = False
            accepted = fresh
            if not fresh:
                gain = value - merit(anchor, w, multiplier, shift, e2, gap2)
                accepted = gain >= 1e-3 * expected or (expected < 10.0 * noise and gain >= -10.0 * noise)
                if accepted:
                    # Below rounding the merit says nothing: two more of Newton's steps, then it rests.
                    idle = idle + 1 if expected < noise else 0
                    resting = idle > 2
                    if gain > 0.75 * expected:
                        damping = 0.2 * damping if damping > 5e-9 else 0.0
                    elif gain < 0.25 * expected:
                        damping = max(2.0 * damping, 1e-6)
                elif tries < TRIES:
                    tries += 1
                    rise *= 2.0
                    damping = max(rise * damping, 1e-2)
                else:  # no step lowers the merit: as far down as numbers go
                    resting = stuck = True
                    damping = 1e-3
            if accepted:
                q[:] = trial
                e[:] = e2
                gap[:] = gap2
                coordinates_frame(tree.kind, tree.q_start, tree.v_start, q, x)
                tries, rise = 0, 2.0
            if accepted or stuck:
                size = 1.0 if fresh else np.abs(d).max()
                fresh = False
                if accepted:
                    _find_live(setting.free, j, live)
                if cap < firm if not apart else (top == groups and cap < 1e-3 * firm):
                    if resting or size < NEAR:
                        cap *= RISE
                        if not apart and cap >= firm:
                            cap = np.inf
                else:
                    together = not apart
                    most = 0.0
                    for r in range(m):
                        if 0 <= rank[r] <= top and live[r]:
                            most = max(most, abs(e[r] - shift[r]))
                    enough, tight = max(100.0 * accuracy, min(1e-2, 0.1 * most)), 1e300
                    if apart and top < groups:
                        enough = 1e-7 if sorting else 1e-3  # what is missed is to be known well
                        tight = 1e-6 * heavy[top]
                    if resting or (size < enough and damping <= tight):
                        groups, top, apart, sorting, moving = _turn(
                            groups, top, apart, sorting, firm, accuracy, setting.level, soft, rank, live, e,
                            w, multiplier, shift, heavy, missed,
                        )  # fmt: skip
                        idle = 0
                        if apart and together:
                            cap = LIGHT
                        if not moving and (resting or size < 100.0 * accuracy):
                            done = True
                if apart:  # only ratios count below the strict levels: light, it cannot move them
                    ease = LIGHT / max(min(cap, 1e-3 * firm), LIGHT)
                faint = ease * (FAINT if sorting and top < groups else 1.0)
                _weigh(rank, live, top, soft, heavy, cap, 1e300 if apart else cap, faint, w)
                for i in range(nv):
                    anchor[i] = faint * setting.pose[i]
                value = merit(anchor, w, multiplier, shift, e, gap)
                noise = 1e-14 * _extent(anchor, w, multiplier, shift, e, gap)
                if history.shape[0]:
                    _record(rank, e, value, size, history, count)
            if done or count >= iterations:
                break
            if stuck:
                trial[:] = q
                fresh = True
                continue
            if accepted:
                _gradient(anchor, w, multiplier, shift, e, j, gap, y, wide, g, h)
                curvature_frame(
                    tree, plan, at, goals[f], y, forces, moments, twist, push, principal_j, wide, h
                )
                _pose_curvature(tree.kind, tree.v_start, anchor, gap, h)
                add_squares(j, wide, h)
                for link in range(tree.kind.size):
                    if tree.kind[link] == LINK_BALL and setting.bounded[link]:
                        _by_rotation_vector(tree.v_start[link], x, h, g)
            damping = bounded_step(
                h, g, damping, x, setting.lower, setting.upper, setting.free, locked, told, u, d
            )
            expected = expected_fall(h, g, d)
            step_frame(
                tree.kind,
                tree.q_start,
                tree.v_start,
                setting.bounded,
                setting.lower,
                setting.upper,
                q,
                x,
                d,
                trial,
            )
        out[f] = q
        errors[f] = e
        counts[f] = count
        settled[f] = done


@kernel(inline=True)
def _turn(
    groups: int,
    top: int,
    apart: bool,
    sorting: bool,
    firm: float,
    accuracy: float,
    level: IntArray,
    soft: Array,
    rank: IntArray,
    live: IntArray,
    e: Array,
    w: Array,
    multiplier: Array,
    shift: Array,
    heavy: Array,
    missed: Array,
) -> tuple[int, int, bool, bool, bool]:
    """What comes next at a point of rest: groups, top, apart, sorting, and whether anything moves on.

    First all levels are one group. Where they cannot all be met they become groups of their own, ``apart``:
    with weights that differ much they first find their order, then they are ``sorting``, one by one.
    """
    if apart and not sorting:
        return groups, top, apart, True, True
    most = HEAVIEST * firm
    if apart:
        most = HEAVIEST * _apart_weight(firm, groups, 0)
    while top < groups:
        before = missed[0]
        now = next_level(top, apart, rank, live, e, w, accuracy, multiplier, shift, heavy, most, missed)
        stands = now < 0 and missed[0] > STANDS * before  # a single level may only be slow
        if not apart and heavy[0] > 50.0 * firm and (heavy.size > 1 or stands):
            for r in range(rank.size):
                rank[r] = level[r] if soft[r] > 0.0 else -1
                multiplier[r] = shift[r] = 0.0
            for k in range(heavy.size):
                heavy[k] = _apart_weight(firm, heavy.size, k)
                missed[k] = 1e300
            return heavy.size, 0, True, False, True
        if now < 0:
            return groups, top, apart, sorting, True
        top = now
        if apart or np.any(shift != 0.0):  # the next one comes into force, or this one has given in
            return groups, top, apart, sorting, True
    # Levels that had settled may have been disturbed by what is below.
    now = next_level(groups, apart, rank, live, e, w, accuracy, multiplier, shift, heavy, most, missed)
    return groups, top, apart, sorting, now < 0


@kernel(inline=True)
def _apart_weight(firm: float, groups: int, k: int) -> float:
    return FIRM * 1e3 ** (groups - 1 - k)


@kernel(inline=True)
def _find_live(free: IntArray, j: Array, live: IntArray) -> None:
    """Rows that anything free can move: a planar character's y is not among them."""
    for r in range(live.size):
        live[r] = 0
        for i in range(free.size):
            if free[i] and abs(j[r, i]) > 1e-13:
                live[r] = 1
                break


@kernel(inline=True)
def _weigh(
    rank: IntArray,
    live: IntArray,
    top: int,
    soft: Array,
    heavy: Array,
    soft_cap: float,
    strict_cap: float,
    faint: float,
    w: Array,
) -> None:
    for r in range(w.size):
        k = rank[r]
        w[r] = min(soft[r], soft_cap) if k < 0 else min(heavy[k] * soft[r], strict_cap)
        if k < 0 or k > top:
            w[r] *= faint
        if not live[r]:
            w[r] = 0.0


@kernel(inline=True)
def merit(pose: Array, w: Array, multiplier: Array, shift: Array, e: Array, gap: Array) -> float:
    """What every accepted step lowers."""
    total = 0.0
    for r in range(w.size):
        off = e[r] - shift[r]
        total += (multiplier[r] + 0.5 * w[r] * off) * off
    for i in range(gap.size):
        total += 0.5 * pose[i] * gap[i] * gap[i]
    return total


@kernel(inline=True)
def _extent(pose: Array, w: Array, multiplier: Array, shift: Array, e: Array, gap: Array) -> float:
    """What the merit is made of, without cancellation: rounding is relative to this."""
    total = 0.0
    for r in range(w.size):
        off = abs(e[r] - shift[r])
        total += abs(multiplier[r]) * (off + 1e-2) + w[r] * off * (off + 1e-2)
    for i in range(gap.size):
        total += 0.5 * pose[i] * gap[i] * gap[i]
    return total


@kernel(inline=True)
def _gradient(
    pose: Array,
    w: Array,
    multiplier: Array,
    shift: Array,
    e: Array,
    j: Array,
    gap: Array,
    y: Array,
    wide: Array,
    g: Array,
    h: Array,
) -> None:
    """Gradient g, forces y of the rows, and in h the pose's weights alone."""
    h[:] = 0.0
    for i in range(g.size):
        g[i] = -pose[i] * gap[i]
        h[i, i] = pose[i]
    for r in range(y.size):
        y[r] = multiplier[r] + w[r] * (e[r] - shift[r])
        wide[r] = w[r]
        row, a = j[r], y[r]
        for i in range(g.size):
            g[i] += a * row[i]


@kernel(inline=True)
def _pose_curvature(kinds: IntArray, v_start: IntArray, pose: Array, gap: Array, h: Array) -> None:
    """Second derivative of ½ |log|² over that of a flat space: c (v vᵀ − |v|² 1)."""
    for link in range(kinds.size):
        if kinds[link] == LINK_BALL:
            c = v_start[link]
            v = (gap[c], gap[c + 1], gap[c + 2])
            k = pose[c] * bend(v)
            square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
            for a in range(3):
                for b in range(a + 1):
                    h[c + a, c + b] += k * (v[a] * v[b] - (square if a == b else 0.0))


@kernel(inline=True)
def _by_rotation_vector(c: int, x: Array, h: Array, g: Array) -> None:
    """A ball's part of h and g by its rotation vector, v = J_r(w) dw."""
    v = (x[c], x[c + 1], x[c + 2])
    t0, t1, t2 = turned(v, (1.0, 0.0, 0.0)), turned(v, (0.0, 1.0, 0.0)), turned(v, (0.0, 0.0, 1.0))
    a = (g[c], g[c + 1], g[c + 2])
    bent = turning_change(v, a)
    g[c], g[c + 1], g[c + 2] = dot(t0, a), dot(t1, a), dot(t2, a)
    for i in range(c):
        a = (h[c, i], h[c + 1, i], h[c + 2, i])
        h[c, i], h[c + 1, i], h[c + 2, i] = dot(t0, a), dot(t1, a), dot(t2, a)
    for i in range(c + 3, g.size):
        a = (h[i, c], h[i, c + 1], h[i, c + 2])
        h[i, c], h[i, c + 1], h[i, c + 2] = dot(t0, a), dot(t1, a), dot(t2, a)
    own = (h[c, c], h[c + 1, c], h[c + 2, c], h[c + 1, c + 1], h[c + 2, c + 1], h[c + 2, c + 2])
    a, b = sym_apply(own, t0), sym_apply(own, t1)
    h[c, c], h[c + 1, c], h[c + 2, c] = dot(t0, a), dot(t1, a), dot(t2, a)
    h[c + 1, c + 1], h[c + 2, c + 1] = dot(t1, b), dot(t2, b)
    h[c + 2, c + 2] = dot(t2, sym_apply(own, t2))
    h[c, c] += bent[0]
    h[c + 1, c] += bent[1]
    h[c + 2, c] += bent[2]
    h[c + 1, c + 1] += bent[3]
    h[c + 2, c + 1] += bent[4]
    h[c + 2, c + 2] += bent[5]


@kernel(inline=True)
def _record(rank: IntArray, e: Array, value: float, size: float, history: Array, count: int) -> None:
    k = min(count, history.shape[0]) - 1
    history[k] = 0.0
    history[k, 0], history[k, 3] = value, size
    for r in range(rank.size):
        kind = 2 if rank[r] < 0 else 1
        history[k, kind] = max(history[k, kind], abs(e[r]))
