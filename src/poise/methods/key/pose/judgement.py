"""Whether a pose on trial is accepted: only one that lowers the merit, by what was expected of the step."""

from __future__ import annotations

from typing import Any

from poise.compilation import kernel
from poise.methods.key.pose.merit import merit
from poise.methods.key.pose.problem import Setting
from poise.methods.key.pose.robust_pull import given_way
from poise.methods.key.pose.room import Room

COARSE = 3e-4
"""While weights rise, a refused step is damped by this share of them at least."""
TRIES = 12
"""Steps that are refused one after the other before a pose is as low as numbers go: the last is damped 2⁷⁸
times as much as the first."""


@kernel(inline=True, allocates=False)
def judge_trial(setting: Setting, room: Room, s: Any) -> None:
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
