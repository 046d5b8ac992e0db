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
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.kinematics.layout import Layout
from poise.methods.key.pose.coordinates import coordinates_frame, minus_frame, step_frame
from poise.methods.key.pose.hessian import CurvatureRoom, curvature_frame
from poise.methods.key.pose.limb_direction import limb_curvature, limb_gap
from poise.methods.key.pose.merit import by_rotation_vector, extent, gradient, merit, pose_curvature
from poise.methods.key.pose.posture import Limbs
from poise.methods.key.pose.robust_pull import give_way, given_way
from poise.methods.key.pose.rows.place import Place, new_place
from poise.methods.key.pose.rows.plan import RowPlan
from poise.methods.key.pose.rows.rows import rows_frame
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


class Wanted(NamedTuple):
    """What is asked of F frames; read-only."""

    start: Array
    """Where iteration begins, (F, nq)."""
    pose: Array
    """The desired pose, (F, nq)."""
    goals: Array
    """Numbers of all targets, (F, ·)."""
    weights: Array
    """Of all rows; of strict ones relative to the largest of their level, 0: absent, (F, m)."""
    previous: Array
    """The pose before, (F, nq) or (0, nq)."""
    momentum: Array
    """A(previous) / dt, (F or 1, 6, nv)."""


class Effort(NamedTuple):
    """How hard to try."""

    accuracy: float
    """Of strict rows [m, rad]."""
    iterations: int
    """Most evaluations."""
    approach: float
    """The cap of weights at first."""


class Answer(NamedTuple):
    """What is found for F frames; written."""

    q: Array
    """(F, nq)"""
    errors: Array
    """In the rows' scale, (F, m)."""
    counts: IntArray
    """Evaluations, (F,)."""
    settled: IntArray
    """(F,)"""
    history: Array
    """(iterations, 4) or (0, 4): merit, largest strict and soft error and step after each evaluation that was
    accepted (of the last frame run)."""


class Room(NamedTuple):
    """Arrays that one frame is worked out in: m rows, nv degrees of freedom."""

    at: Place
    q: Array
    x: Array
    e: Array
    gap: Array
    """The pose last accepted, its coordinates, errors and gaps from the desired pose."""
    trial: Array
    e_trial: Array
    gap_trial: Array
    """The pose that is tried."""
    j: Array
    """At the pose that is tried, (m, nv)."""
    moved: Array
    """From the pose before, (nv,)."""
    w: Array
    y: Array
    wide: Array
    """Weights, forces, and weights less what rows curve against their own gradient, (m,)."""
    rank: IntArray
    live: IntArray
    """Level of each row as it is held now, and whether anything moves it, (m,)."""
    multiplier: Array
    shift: Array
    """λ and r of strict rows, (m,)."""
    anchor: Array
    """Weight of the desired pose, (nv,)."""
    heavy: Array
    missed: Array
    """Weight of each level, and by how much it was last missed, (levels,)."""
    h: Array
    u: Array
    g: Array
    d: Array
    """Hessian, its factor, gradient, step."""
    locked: IntArray
    told: Array
    curvature: CurvatureRoom
    bent: Array
    """Σ y ∂²e of general rows, lower triangle, (nv, nv), or (0, 0) where there are none."""


STATE = np.dtype(
    [(name, np.int64) for name in ("groups", "top", "count", "tries", "idle")]
    + [
        (name, np.float64)
        for name in ("heaviest", "firm", "ease", "faint", "cap", "damping", "rise")
        + ("value", "expected", "noise", "size")
    ]
    + [
        (name, np.bool_)
        for name in ("fresh", "held_back", "apart", "sorting", "accepted", "resting", "stuck", "done")
    ]
)
"""Where the iteration of one frame stands. Levels: into how many ``groups`` they are taken, the one that is
being brought to its target (``top``), whether they are taken ``apart`` and ``sorting``. Weights: the
``heaviest`` soft row, that of a ``firm`` row at last, how much the soft level is to ``ease``, and the share
(``faint``) that it weighs now, the ``cap`` of all. Steps: ``damping``, how it is to ``rise``, the ``value``
of the merit and the fall ``expected`` of it, rounding ``noise`` in it, the ``size`` of the last step;
evaluations (``count``), refusals since the last step that was taken (``tries``), steps below rounding
(``idle``), whether the pose on trial is the first of its merit (``fresh``), whether the step was
``held_back`` by refusals. What came of the last trial: it was ``accepted``, the iteration is ``resting``,
``stuck``, or all is ``done``."""


@kernel()
def new_room(tree: Layout, plan: RowPlan, levels: int, nq: int, general: bool) -> Room:
    """Arrays for one frame."""
    nv, m = tree.turning.size, plan.which.size
    others = nv if general else 0
    return Room(
        new_place(tree, plan), np.empty(nq), np.zeros(nv), np.empty(m), np.zeros(nv), np.empty(nq),
        np.empty(m), np.zeros(nv), np.zeros((m, nv)), np.zeros(nv), np.empty(m), np.empty(m), np.empty(m),
        np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64), np.empty(m), np.empty(m), np.empty(nv),
        np.empty(levels), np.empty(levels), np.empty((nv, nv)), np.empty((nv, nv)), np.empty(nv),
        np.zeros(nv), np.empty(nv, dtype=np.int64), np.empty(nv),
        CurvatureRoom(
            np.empty((plan.point_body.size, 3)), np.empty((nv, 3)), np.zeros((nv, 3)), np.empty((6, nv)),
            np.empty(3),
        ),
        np.zeros((others, others)),
    )  # fmt: skip


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
    _judge(setting, room, s)
    if s.accepted:
        _copy(trial, room.q)
        _copy(room.e_trial, room.e)
        _copy(room.gap_trial, room.gap)
        coordinates_frame(tree.kind, tree.q_start, tree.v_start, room.q, room.x)
        s.held_back, s.tries, s.rise = s.tries > 0, 0, 2.0
    if s.accepted or s.stuck:
        s.size = 0.0 if room.d.size == 0 else 1.0 if s.fresh else _largest(room.d)
        s.fresh = False
        if s.accepted:
            _find_live(setting.free, room.j, room.live)
        _move_on(setting, wanted.weights[f], effort.accuracy, room, s)
        _weigh_all(setting, wanted.weights[f], room, s)
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
def _judge(setting: Setting, room: Room, s: Any) -> None:
    """Whether the pose on trial is accepted, what damping follows, and whether the iteration rests."""
    s.resting = s.stuck = False
    s.accepted = s.fresh
    if s.fresh:
        return
    fall = s.value - merit(room.anchor, room.w, room.multiplier, room.shift, room.e_trial, room.gap_trial)
    gain = fall - given_way(setting.grips, s.faint, room.w, room.e_trial)
    s.accepted = gain >= (1e-3 * s.expected if s.expected > 10.0 * s.noise else -10.0 * s.noise)
    if s.accepted:
        # Below rounding the merit says nothing: two more of Newton's steps, then it rests.
        s.idle = s.idle + 1 if s.expected < s.noise else 0
        s.resting = s.idle > 2
        if gain > 0.75 * s.expected:
            s.damping = 0.2 * s.damping if s.damping > 5e-9 else 0.0
        elif gain < 0.25 * s.expected:
            s.damping = max(2.0 * s.damping, 1e-6)
    elif s.tries < TRIES:
        s.tries += 1
        s.rise *= 2.0
        coarse = COARSE * s.cap if s.cap < s.firm else 0.0
        s.damping = max(s.rise * s.damping, 1e-2 * min(s.faint, 1.0), coarse)
    else:  # no step lowers the merit: as far down as numbers go
        s.resting = s.stuck = True
        s.damping = 1e-3


@kernel(inline=True, allocates=False)
def _move_on(setting: Setting, soft: Array, accuracy: float, room: Room, s: Any) -> None:
    """Where steps are short enough: raise the cap of weights, or go on to what comes next (``_turn``)."""
    rank, live, e = room.rank, room.live, room.e
    if s.cap < s.firm if not s.apart else (s.top == s.groups and s.cap < s.heaviest):
        # A step may also be short because longer ones were refused: then there is more to go.
        if s.resting or (s.size < NEAR and not s.held_back):
            for r in range(e.size):
                if not s.apart and rank[r] >= 0 and live[r]:
                    room.multiplier[r] += room.w[r] * e[r]
            s.cap *= RISE
            if not s.apart and s.cap >= s.firm:
                s.cap = np.inf
        return
    together = not s.apart
    most = 0.0
    for r in range(e.size):
        if 0 <= rank[r] <= s.top and live[r]:
            most = max(most, abs(e[r] - room.shift[r]))
    # What Newton's method has left after a step is of the order of the step squared.
    near = max(min(1e-2, 0.1 * most), 0.0 if s.apart else min(1e-4, math.sqrt(0.1 * most)))
    enough, tight = max(100.0 * accuracy, near), 1e300
    if s.apart and s.top < s.groups:
        enough = 1e-7 if s.sorting else 1e-3  # what is missed is to be known well
        tight = 1e-6 * room.heavy[s.top]
    # Along what a level misses as much, the faint soft level would lead on for long.
    quiet = tight < 1e300 and s.sorting and 0.0 < s.expected < QUIET * s.value
    if s.resting or ((quiet or s.size < enough) and s.damping <= tight):
        moving = _turn(setting.level, soft, accuracy, room, s)
        s.idle = 0
        if s.apart and together:
            s.cap = LIGHT
        if not moving and (s.resting or s.size < 100.0 * accuracy):
            s.done = True


@kernel(inline=True, allocates=False)
def _weigh_all(setting: Setting, soft: Array, room: Room, s: Any) -> None:
    """Weights of all rows and of the desired pose as things stand, and the merit by them."""
    if s.apart:  # only ratios count below the strict levels: light, it cannot move them
        s.ease = LIGHT / min(s.cap, s.heaviest)
    s.faint = s.ease * (FAINT if s.sorting and s.top < s.groups else 1.0)
    strict_cap = 1e300 if s.apart else s.cap
    _weigh(room.rank, room.live, s.top, soft, room.heavy, s.cap, strict_cap, s.faint, room.w)
    for i in range(room.anchor.size):
        room.anchor[i] = s.faint * setting.pose[i]
    s.value = merit(room.anchor, room.w, room.multiplier, room.shift, room.e, room.gap)
    s.value += given_way(setting.grips, s.faint, room.w, room.e)
    s.noise = 1e-14 * extent(room.anchor, room.w, room.multiplier, room.shift, room.e, room.gap)


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
def _turn(level: IntArray, soft: Array, accuracy: float, room: Room, s: Any) -> bool:
    """What comes next at a point of rest: groups, top, apart, sorting; and whether anything moves on.

    First all levels are one group. Where they cannot all be met they become groups of their own, ``apart``:
    with weights that differ much they first find their order, then they are ``sorting``, one by one.
    """
    rank, live, e, shift, heavy, missed = room.rank, room.live, room.e, room.shift, room.heavy, room.missed
    if s.apart and not s.sorting:
        s.sorting = True
        return True
    most = HEAVIEST * s.firm
    if s.apart:
        most = HEAVIEST * _apart_weight(s.groups, 0)
    for _ in range(s.top, s.groups):
        if s.apart:  # all below is faint: what is clearly off no multiplier will mend
            for r in range(rank.size):
                if rank[r] == s.top and live[r] and abs(e[r]) > CLEAR:
                    missed[s.top] = 0.0
        before = missed[0]
        now = next_level(
            s.top, s.apart, rank, live, e, room.w, accuracy, room.multiplier, shift, heavy, most, missed
        )
        stands = now < 0 and missed[0] > STANDS * before  # a single level may only be slow
        if not s.apart and heavy[0] > 50.0 * s.firm and (heavy.size > 1 or stands):
            for r in range(rank.size):
                rank[r] = level[r] if soft[r] > 0.0 else -1
                room.multiplier[r] = shift[r] = 0.0
            for k in range(heavy.size):
                heavy[k] = _apart_weight(heavy.size, k)
                missed[k] = 1e300
            s.groups, s.top, s.apart, s.sorting = heavy.size, 0, True, False
            return True
        if now < 0:
            return True
        s.top = now
        if s.apart or _largest(shift) != 0.0:  # the next one comes into force, or this one has given in
            return True
    # Levels that had settled may have been disturbed by what is below.
    now = next_level(
        s.groups, s.apart, rank, live, e, room.w, accuracy, room.multiplier, shift, heavy, most, missed
    )
    return now < 0


@kernel(inline=True, allocates=False)
def _largest(values: Array) -> float:
    most = 0.0
    for i in range(values.size):
        most = max(most, abs(values[i]))
    return most


@kernel(inline=True, allocates=False)
def _copy(values: Array, out: Array) -> None:
    """Number by number: numba copies whole arrays by way of a third one, in case they overlap."""
    for i in range(values.size):
        out[i] = values[i]


@kernel(inline=True)
def _apart_weight(groups: int, k: int) -> float:
    return APART * 1e3 ** (groups - 1 - k)


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


@kernel(inline=True, allocates=False)
def _record(rank: IntArray, e: Array, value: float, size: float, history: Array, count: int) -> None:
    k = min(count, history.shape[0]) - 1
    history[k] = 0.0
    history[k, 0], history[k, 3] = value, size
    for r in range(rank.size):
        kind = 2 if rank[r] < 0 else 1
        history[k, kind] = max(history[k, kind], abs(e[r]))
