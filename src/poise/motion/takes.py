"""Takes of a clip: the stretches between jumps that no body makes.

A capture often begins with a rest pose, a frame away from the motion; files that were cut together go from
one scene to the next. Cloth or a hat that went along would be torn or thrown about for a second.

With d_k the mean way of all bodies from frame k to k + 1 over the size of the body, frame k + 1 begins a new
take where

    d_k > JUMP   and   d_k > SUDDEN · d_j   for all j ≠ k within AROUND frames.

Over 24 captures of 120 fps what is real stays below 0.06, and rest poses before the motion go 0.12 and more;
a sprint at 12 fps makes steps of 0.3, but as long ones before and after.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from poise.motion.clip import Clip

JUMP = 0.08
"""Mean way of all bodies from frame to frame over the size of the body."""
SUDDEN = 5.0
"""So much longer than any way around it."""
AROUND = 6
"""Frames on either side that are looked at."""


@lru_cache(maxsize=16)
def takes(clip: Clip) -> tuple[range, ...]:
    """Frames of each take, in order; one of all frames where nothing jumps, and of loops."""
    whole = (range(clip.frames),)
    if clip.loop or clip.frames < 3:
        return whole
    at, _ = clip.character.placement(clip.q)
    size = float(np.median(np.linalg.norm(np.ptp(at, axis=1), axis=1)))
    if size <= 0.0:
        return whole
    way = np.linalg.norm(np.diff(at, axis=0), axis=2).mean(axis=1) / size
    first = [0]
    for k in np.flatnonzero(way > JUMP):
        near = np.concatenate([way[max(0, k - AROUND) : k], way[k + 1 : k + 1 + AROUND]])
        if way[k] > SUDDEN * near.max(initial=0.0):
            first.append(int(k) + 1)
    return tuple(range(a, b) for a, b in pairwise([*first, clip.frames]))


def take_at(clip: Clip, frame: float) -> int:
    """The take that a frame, or a time between two [frames], belongs to."""
    first = [take.start for take in takes(clip)]
    return max(int(np.searchsorted(first, frame + 1e-6, side="right")) - 1, 0)


def told_jumps(clip: Clip) -> tuple[str, ...]:
    """In words where a clip jumps, for those that begin anew there; () where it does not."""
    starts = [take.start for take in takes(clip)[1:]]
    if not starts:
        return ()
    where = ", ".join(f"{k - 1} to {k}" for k in starts[:4]) + (" …" if len(starts) > 4 else "")
    return (
        f"the motion jumps (frame{'s' if len(starts) > 1 else ''} {where}): what is worn begins anew there; "
        "trim the clip if frame 0 is a rest pose before the motion",
    )
