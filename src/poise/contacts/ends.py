"""Where a motion begins and ends in its clip: rest poses put in front, and torn ends, do not belong to it."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.motion import Clip

LOOK = 8
"""Frames at either end that are looked at; converters blend out of a rest pose in up to five."""
UNLIKE = 4.0
"""A joint jumps where it goes so many times as far as it hardly ever does (its 98 % quantile) …"""
FAR = 0.02
"""… and this much farther, of a body of 1.75 m [m]."""
FEWEST = 60
"""Of fewer frames a quantile says nothing."""
FEW = 4
"""Clips of up to this many frames are poses, not motions; nor can so few joints tell a rest pose."""
GLANCE = 12
"""Frames of a short clip that are looked at for a pose put before the motion."""


def ends(clip: Clip, positions: Array, scale: float) -> tuple[int, int]:
    """First frame of the motion, and the one after its last; ``positions`` of the bodies (F, n, 3)."""
    if clip.loop:
        return 0, clip.frames
    first = 1 if begins_late(clip) else 0
    if clip.frames < FEWEST:
        return first, clip.frames
    way = np.linalg.norm(np.diff(positions, axis=0), axis=2)  # (F − 1, n)
    usual = np.quantile(way[LOOK:-LOOK], 0.98, axis=0)
    jump = (way > UNLIKE * usual + FAR * scale).any(axis=1)
    head, tail = np.flatnonzero(jump[:LOOK]), np.flatnonzero(jump[-LOOK:])
    last = clip.frames - LOOK + int(tail[0]) if len(tail) else clip.frames
    return max(first, int(head[-1]) + 1 if len(head) else 0), last


def begins_late(clip: Clip) -> bool:
    """Whether the first frame is a rest pose put before the motion, as some converters do.

    Most of its joints are unturned, and the step to the next frame is unlike any that follows.
    """
    manifold, slots = clip.character.manifold, clip.character.manifold.rotation_slots[0]
    if clip.loop or clip.frames < FEW or len(slots) < FEW:
        return False
    look = clip.q[:GLANCE]
    unturned = np.abs(look[:, slots[:, 0]]) > np.cos(np.radians(0.5))  # (GLANCE, rotations)
    moving = ~unturned.all(axis=0)
    if moving.sum() < FEW or not unturned[0, moving].mean() > 0.5 > unturned[1, moving].mean():
        return False
    steps = np.abs(manifold.minus(look[1:], look[:-1])).sum(axis=1)
    return bool(steps[0] > 5 * steps[1:].max())
