"""One pose: Newton's method on the merit of prioritised tasks (``merit``), damped, inside joint limits.

Each iteration takes a damped step that must lower the merit: nothing can oscillate. The Hessian holds the
tasks' curvature (``curvature``), so that targets out of reach settle as quickly as others. Degrees of freedom
that would pass a limit are put on it and the step is solved again for the others.

A pose on trial is judged (``judgement``); at points of rest weights rise and levels take turns (``turns``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.kinematics.layout import Layout
from poise.methods.key.pose.coordinates import coordinates_frame, minus_frame, step_frame
from poise.methods.key.pose.hessian import curvature_frame
from poise.methods.key.pose.judgement import judge_trial
from poise.methods.key.pose.limb_direction import limb_curvature, limb_gap
from poise.methods.key.pose.merit import by_rotation_vector, gradient, pose_curvature
from poise.methods.key.pose.problem import Answer, Effort, Setting, Wanted
from poise.methods.key.pose.robust_pull import give_way
from poise.methods.key.pose.room import STATE, Room, new_room
from poise.methods.key.pose.rows.plan import RowPlan
from poise.methods.key.pose.rows.rows import rows_frame
from poise.methods.key.pose.turns import FIRM, LIGHT, largest, move_on, weigh_all
from poise.solvers.prioritised import add_squares, bounded_step, expected_fall


@kernel()
def solve_frames(
    first: int,
    last: int,
    tree: Layout,
    plan: RowPlan,
    setting: Setting,
    wanted: Wanted,
    effort: Effort,
    answer: Answer,
) -> None:
    """Frames first … last − 1 of rows that are all compiled, each by itself."""
    room = new_room(tree, plan, setting.levels, answer.q.shape[1], False)
    state = np.zeros(1, dtype=STATE)
    _run_frames(first, last, tree, plan, setting, wanted, effort, room, state, answer)


@kernel(inline=True, allocates=False)
def _run_frames(
    first: int,
    last: int,
    tree: Layout,
    plan: RowPlan,
    setting: Setting,
    wanted: Wanted,
    effort: Effort,
    room: Room,
    state: Any,
    answer: Answer,
) -> None:
    """All of it but making the arrays: around calls with a whole room their references would be counted."""
    s = state[0]
    for f in range(first, last):
        begin_frame(tree, setting, wanted, f, effort.approach, room, s)
        for _ in range(effort.iterations):
            if judge_frame(tree, plan, setting, wanted, f, effort, room, s, answer):
                break
            advance_frame(tree, plan, setting, wanted.goals[f], room, s)


@kernel(allocates=False)
def begin_frame(
    tree: Layout, setting: Setting, wanted: Wanted, f: int, approach: float, room: Room, s: Any
) -> None:
    """Put the first pose of frame f on trial, with all levels held together and nothing known of them."""
    soft = wanted.weights[f]
    # Levels are first held together; only where they cannot all be met does each take its turn.
    s.groups, s.top, s.heaviest, s.ease, s.faint = min(setting.levels, 1), 0, LIGHT, 1.0, 1.0
    for r in range(soft.size):
        room.rank[r] = min(setting.level[r], 0) if soft[r] > 0.0 else -1
        room.live[r] = 1
        room.multiplier[r] = room.shift[r] = 0.0
        if room.rank[r] < 0:
            s.heaviest = max(s.heaviest, soft[r])
    s.firm = FIRM / LIGHT * s.heaviest
    room.heavy[:] = s.firm
    room.missed[:] = 1e300
    s.cap, s.damping, s.value, s.expected, s.noise, s.size = approach, 1e-3, 0.0, 0.0, 0.0, 0.0
    s.count, s.tries, s.rise, s.idle = 0, 0, 2.0, 0
    s.fresh, s.held_back, s.apart, s.sorting, s.done = True, False, False, False, False
    coordinates_frame(tree.kind, tree.q_start, tree.v_start, wanted.start[f], room.x)
    room.d[:] = 0.0
    _try_step(tree, setting, wanted.start[f], room)


@kernel(allocates=False)
def judge_frame(
    tree: Layout,
    plan: RowPlan,
    setting: Setting,
    wanted: Wanted,
    f: int,
    effort: Effort,
    room: Room,
    s: Any,
    answer: Answer,
) -> bool:
    """Evaluate the pose on trial and judge it; True where the frame is done, and its answer written.

    General rows have been put into ``e_trial`` and ``j`` before. Of a pose that is accepted the forces y of
    the rows are known afterwards.
    """
    pose, trial = wanted.pose[f], room.trial
    minus_frame(tree.kind, tree.q_start, tree.v_start, pose, trial, room.gap_trial)
    limb_gap(setting.limbs, pose, trial, room.gap_trial)
    if wanted.previous.shape[0]:
        minus_frame(tree.kind, tree.q_start, tree.v_start, trial, wanted.previous[f], room.moved)
    momentum = wanted.momentum[min(f, wanted.momentum.shape[0] - 1)]
    rows_frame(tree, plan, trial, wanted.goals[f], room.moved, momentum, room.at, room.e_trial, room.j)
    s.count += 1
    judge_trial(setting, room, s)
    if s.accepted:
        _copy(trial, room.q)
        _copy(room.e_trial, room.e)
        _copy(room.gap_trial, room.gap)
        coordinates_frame(tree.kind, tree.q_start, tree.v_start, room.q, room.x)
        s.held_back, s.tries, s.rise = s.tries > 0, 0, 2.0
    if s.accepted or s.stuck:
        s.size = 0.0 if room.d.size == 0 else 1.0 if s.fresh else largest(room.d)
        s.fresh = False
        if s.accepted:
            _find_live(setting.free, room.j, room.live)
        move_on(setting, wanted.weights[f], effort.accuracy, room, s)
        weigh_all(setting, wanted.weights[f], room, s)
        if answer.history.shape[0]:
            _record(room.rank, room.e, s.value, s.size, answer.history, s.count)
    # Numbers that leave all bounds lead nowhere: the last pose that was accepted stays.
    if s.done or s.count >= effort.iterations or not math.isfinite(s.value):
        _copy(room.q, answer.q[f])
        _copy(room.e, answer.errors[f])
        answer.counts[f] = s.count
        answer.settled[f] = s.done
        return True
    if s.accepted and not s.stuck:
        gradient(
            room.anchor, room.w, room.multiplier, room.shift, room.e, room.j, room.gap, room.y, room.wide,
            room.g, room.h,
        )  # fmt: skip
        line = room.curvature.rows[0]
        give_way(setting.grips, s.faint, room.w, room.e, room.j, room.y, room.wide, line, room.g, room.h)
    return False


@kernel(allocates=False)
def advance_frame(tree: Layout, plan: RowPlan, setting: Setting, goal: Array, room: Room, s: Any) -> None:
    """Put the next pose on trial: Newton's, with the model of the pose last accepted."""
    if s.stuck:
        _copy(room.q, room.trial)
        s.fresh = True
        return
    if s.accepted:
        _model(tree, plan, setting, goal, room)
    s.damping = bounded_step(
        room.h, room.g, s.damping, room.x, setting.lower, setting.upper, setting.free, room.locked, room.told,
        room.u, room.d,
    )  # fmt: skip
    s.expected = expected_fall(room.h, room.g, room.d)
    _try_step(tree, setting, room.q, room)


@kernel(inline=True, allocates=False)
def _try_step(tree: Layout, setting: Setting, q: Array, room: Room) -> None:
    """The pose a step from q, on trial."""
    step_frame(
        tree.kind, tree.q_start, tree.v_start, setting.bounded, setting.lower, setting.upper, q, room.x,
        room.d, room.trial,
    )  # fmt: skip


@kernel(inline=True, allocates=False)
def _model(tree: Layout, plan: RowPlan, setting: Setting, goal: Array, room: Room) -> None:
    """Complete the Hessian of the merit at the pose last accepted, in the coordinates that a step moves."""
    anchor, gap, g, h = room.anchor, room.gap, room.g, room.h
    limb_curvature(anchor, setting.limbs, room.q, gap, g, h)
    curvature_frame(tree, plan, room.at, goal, room.y, room.curvature, room.wide, h)
    for i in range(room.bent.shape[0]):
        for k in range(i + 1):
            h[i, k] += room.bent[i, k]
    pose_curvature(tree.kind, tree.v_start, anchor, gap, h)
    add_squares(room.j, room.wide, h)
    for link in range(tree.kind.size):
        if tree.kind[link] == LINK_BALL and setting.bounded[link]:
            by_rotation_vector(tree.v_start[link], room.x, h, g)


@kernel(inline=True, allocates=False)
def _copy(values: Array, out: Array) -> None:
    """Number by number: numba copies whole arrays by way of a third one, in case they overlap."""
    for i in range(values.size):
        out[i] = values[i]


@kernel(inline=True, allocates=False)
def _find_live(free: IntArray, j: Array, live: IntArray) -> None:
    """Rows that anything free can move: a planar character's y is not among them."""
    for r in range(live.size):
        live[r] = 0
        for i in range(free.size):
            if free[i] and abs(j[r, i]) > 1e-13:
                live[r] = 1
                break


@kernel(inline=True, allocates=False)
def _record(rank: IntArray, e: Array, value: float, size: float, history: Array, count: int) -> None:
    k = min(count, history.shape[0]) - 1
    history[k] = 0.0
    history[k, 0], history[k, 3] = value, size
    for r in range(rank.size):
        kind = 2 if rank[r] < 0 else 1
        history[k, kind] = max(history[k, kind], abs(e[r]))
