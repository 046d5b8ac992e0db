"""Rounds of a loop: it is repaired in the middle of three, and what was changed is folded back into it."""

from __future__ import annotations

import numpy as np

from poise.motion import Clip, operators

ROUNDS = 3
"""Cycles that a loop is repaired over: what is changed in the middle one has neighbours on both sides."""


def unrolled(clip: Clip) -> Clip:
    """Three rounds of a loop as a plain clip; the second is the loop itself."""
    long = operators.unroll(clip, ROUNDS)
    return long.with_q(clip.travel.apply(clip.character, long.q, -1))


def folded(clip: Clip, long: Clip) -> Clip:
    """The loop with what was changed in its three rounds; itself where nothing was."""
    manifold, frames = clip.character.manifold, clip.frames
    added = manifold.minus(long.q, unrolled(clip).q)  # (3 F …, nv)
    if np.abs(added).max() < 1e-12:
        return clip
    total = np.zeros((frames, manifold.nv))
    # What goes on at both ends was added to every round alike.
    endless = np.abs(added[[0, -1]]).max(axis=1).min() > 1e-9
    for k in (1,) if endless else range(ROUNDS):
        own = added[k * frames : (k + 1) * frames]
        total[: len(own)] += clip.travel.turn(clip.character, own, np.full(len(own), 1.0 - k))
    changed = np.abs(total).max(axis=1) > 1e-12
    return clip.with_q(np.where(changed[:, None], manifold.plus(clip.q, total), clip.q))
