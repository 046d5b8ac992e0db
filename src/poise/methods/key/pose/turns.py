"""Whose turn it is: weights that rise together, then levels one after the other where not all can be met.

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
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.methods.key.pose.merit import extent, merit
from poise.methods.key.pose.problem import Setting
from poise.methods.key.pose.robust_pull import given_way
from poise.methods.key.pose.room import Room
from poise.solvers.prioritised import FAINT, HEAVIEST, next_level

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


@kernel(inline=True, allocates=False)
def move_on(setting: Setting, soft: Array, accuracy: float, room: Room, s: Any) -> None:
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
        if s.apart or largest(shift) != 0.0:  # the next one comes into force, or this one has given in
            return True
    # Levels that had settled may have been disturbed by what is below.
    now = next_level(
        s.groups, s.apart, rank, live, e, room.w, accuracy, room.multiplier, shift, heavy, most, missed
    )
    return now < 0


@kernel(inline=True, allocates=False)
def weigh_all(setting: Setting, soft: Array, room: Room, s: Any) -> None:
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
def _apart_weight(groups: int, k: int) -> float:
    return APART * 1e3 ** (groups - 1 - k)


@kernel(inline=True, allocates=False)
def largest(values: Array) -> float:
    """Of all magnitudes."""
    most = 0.0
    for i in range(values.size):
        most = max(most, abs(values[i]))
    return most
