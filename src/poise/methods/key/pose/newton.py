"""One pose: Newton's method on the merit of prioritised tasks (``merit``), damped, inside joint limits.

Each iteration takes a damped step that must lower the merit: nothing can oscillate. The Hessian holds the
tasks' curvature (``curvature``), so that targets out of reach settle as quickly as others. Degrees of freedom
that would pass a limit are put on it and the step is solved again for the others.

Weights start low and rise together, and whenever they do the multipliers of strict rows follow. While weights
are low there is one answer, the desired pose bent a little, and it is followed to the full weights: targets
that are near one another lead to poses that are. A warm start has full weights at once and stays with the
answer it is near.

Once steps are small compared with what strict rows still miss, their multipliers are updated, and where
levels cannot be met they are taken apart (``poise.solvers.prioritised``). From then on the soft level, where
only ratios count, is kept light beside them, and its weights rise once more.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.kinematics.layout import Layout
from poise.methods.key.pose.coordinates import coordinates_frame, minus_frame, step_frame
from poise.methods.key.pose.hessian import curvature_frame
from poise.methods.key.pose.limb_direction import limb_curvature, limb_gap
from poise.methods.key.pose.merit import by_rotation_vector, extent, gradient, merit, pose_curvature
from poise.methods.key.pose.posture import Limbs
from poise.methods.key.pose.robust_pull import give_way, given_way
from poise.methods.key.pose.rows.plan import RowPlan
from poise.methods.key.pose.rows.rows import new_place, rows_frame
from poise.methods.key.pose.task import Grips
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
    limbs: Limbs
    grips: Grips


FIRM, APPROACH, RISE = 3e3, 0.3, 10.0
"""Weight of a strict row at last; the cap of all weights of a cold start at first; how the cap rises."""
APART = 1e4
"""Weight of the last strict level where levels are taken apart."""
LIGHT = 10.0
"""The heaviest soft row where levels are taken apart."""
STANDS = 0.95
"""A miss that falls by less than this factor cannot be mended."""
NEAR = 0.03
"""A step [rad, m] short enough to raise the cap."""
CLEAR = 1e-4
"""What a strict level that can be met is off by at most [m, rad] once it is brought to its target."""
QUIET = 1e-11
"""A step expected to lower the merit by less than this share leaves what a level misses as it is."""
COARSE = 3e-4
"""While weights rise, a refused step is damped by this share of them at least."""
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

    ``approach`` is the cap of weights at first. ``history`` (iterations, 4) takes the merit, the largest
    strict and soft error and the step after each evaluation where it has rows (of the last frame run).
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
        groups, top, heaviest, ease, faint = min(setting.levels, 1), 0, LIGHT, 1.0, 1.0
        for r in range(m):
            rank[r] = min(setting.level[r], 0) if soft[r] > 0.0 else -1
            live[r] = 1
            multiplier[r] = shift[r] = 0.0
            if rank[r] < 0:
                heaviest = max(heaviest, soft[r])
        firm = FIRM / LIGHT * heaviest
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
        fresh, held_back, apart, sorting, done = True, False, False, False, False
        for _ in range(iterations):
            minus_frame(tree.kind, tree.q_start, tree.v_start, pose[f], trial, gap2)
            limb_gap(setting.limbs, pose[f], trial, gap2)
            if previous.shape[0]:
                minus_frame(tree.kind, tree.q_start, tree.v_start, trial, previous[f], moved)
            rows_frame(tree, plan, trial, goals[f], moved, momentum[min(f, momentum.shape[0] - 1)], at, e2, j)
            count += 1
            resting = stuck = False
            accepted = fresh
            if not fresh:
                fall = value - merit(anchor, w, multiplier, shift, e2, gap2)
                gain = fall - given_way(setting.grips, faint, w, e2)
                accepted = gain >= (1e-3 * expected if expected > 10.0 * noise else -10.0 * noise)
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
                    damping = max(rise * damping, 1e-2 * min(faint, 1.0), COARSE * cap if cap < firm else 0.0)
                else:  # no step lowers the merit: as far down as numbers go
                    resting = stuck = True
                    damping = 1e-3
            if accepted:
                q[:] = trial
                e[:] = e2
                gap[:] = gap2
                coordinates_frame(tree.kind, tree.q_start, tree.v_start, q, x)
                held_back, tries, rise = tries > 0, 0, 2.0
            if accepted or stuck:
                size = 0.0 if nv == 0 else 1.0 if fresh else np.abs(d).max()
                fresh = False
                if accepted:
                    _find_live(setting.free, j, live)
                if cap < firm if not apart else (top == groups and cap < heaviest):
                    # A step may also be short because longer ones were refused: then there is more to go.
                    if resting or (size < NEAR and not held_back):
                        for r in range(m):
                            if not apart and rank[r] >= 0 and live[r]:
                                multiplier[r] += w[r] * e[r]
                        cap *= RISE
                        if not apart and cap >= firm:
                            cap = np.inf
                else:
                    together = not apart
                    most = 0.0
                    for r in range(m):
                        if 0 <= rank[r] <= top and live[r]:
                            most = max(most, abs(e[r] - shift[r]))
                    # What Newton's method has left after a step is of the order of the step squared.
                    near = max(min(1e-2, 0.1 * most), 0.0 if apart else min(1e-4, math.sqrt(0.1 * most)))
                    enough, tight = max(100.0 * accuracy, near), 1e300
                    if apart and top < groups:
                        enough = 1e-7 if sorting else 1e-3  # what is missed is to be known well
                        tight = 1e-6 * heavy[top]
                    # Along what a level misses as much, the faint soft level would lead on for long.
                    quiet = tight < 1e300 and sorting and 0.0 < expected < QUIET * value
                    if resting or ((quiet or size < enough) and damping <= tight):
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
                    ease = LIGHT / min(cap, heaviest)
                faint = ease * (FAINT if sorting and top < groups else 1.0)
                _weigh(rank, live, top, soft, heavy, cap, 1e300 if apart else cap, faint, w)
                for i in range(nv):
                    anchor[i] = faint * setting.pose[i]
                value = merit(anchor, w, multiplier, shift, e, gap)
                value += given_way(setting.grips, faint, w, e)
                noise = 1e-14 * extent(anchor, w, multiplier, shift, e, gap)
                if history.shape[0]:
                    _record(rank, e, value, size, history, count)
            # Numbers that leave all bounds lead nowhere: the last pose that was accepted stays.
            if done or count >= iterations or not math.isfinite(value):
                break
            if stuck:
                trial[:] = q
                fresh = True
                continue
            if accepted:
                gradient(anchor, w, multiplier, shift, e, j, gap, y, wide, g, h)
                give_way(setting.grips, faint, w, e, j, y, wide, principal_j[:1], g, h)
                limb_curvature(anchor, setting.limbs, q, gap, g, h)
                curvature_frame(
                    tree, plan, at, goals[f], y, forces, moments, twist, push, principal_j, wide, h
                )
                pose_curvature(tree.kind, tree.v_start, anchor, gap, h)
                add_squares(j, wide, h)
                for link in range(tree.kind.size):
                    if tree.kind[link] == LINK_BALL and setting.bounded[link]:
                        by_rotation_vector(tree.v_start[link], x, h, g)
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
        most = HEAVIEST * _apart_weight(groups, 0)
    while top < groups:
        if apart:  # all below is faint: what is clearly off no multiplier will mend
            for r in range(rank.size):
                if rank[r] == top and live[r] and abs(e[r]) > CLEAR:
                    missed[top] = 0.0
        before = missed[0]
        now = next_level(top, apart, rank, live, e, w, accuracy, multiplier, shift, heavy, most, missed)
        stands = now < 0 and missed[0] > STANDS * before  # a single level may only be slow
        if not apart and heavy[0] > 50.0 * firm and (heavy.size > 1 or stands):
            for r in range(rank.size):
                rank[r] = level[r] if soft[r] > 0.0 else -1
                multiplier[r] = shift[r] = 0.0
            for k in range(heavy.size):
                heavy[k] = _apart_weight(heavy.size, k)
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
def _apart_weight(groups: int, k: int) -> float:
    return APART * 1e3 ** (groups - 1 - k)


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
def _record(rank: IntArray, e: Array, value: float, size: float, history: Array, count: int) -> None:
    k = min(count, history.shape[0]) - 1
    history[k] = 0.0
    history[k, 0], history[k, 3] = value, size
    for r in range(rank.size):
        kind = 2 if rank[r] < 0 else 1
        history[k, kind] = max(history[k, kind], abs(e[r]))
