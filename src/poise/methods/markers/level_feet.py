"""Feet stand flat: how the few markers of a foot are turned against it.

Two or three markers near one another hardly tell how a foot is pitched and rolled: turned by 20° it explains
them as well, with each two or three centimetres from where it usually sits. What tells it is the ground. With
n the vertical as the foot sees it while it stands and turns least, u its own vertical at rest, and C the
least rotation with C u = n, the foot should have been turned by R_foot C, and so its markers sit at

    o_m ← Cᵀ o_m.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.labels import roles
from poise.contacts.find import find
from poise.manifold import so3
from poise.motion import Clip

CALM = 0.25
"""The calmest share of the frames in which a foot stands: it is flat then, or as flat as it gets …"""
TURNS = 1.5
"""… if it turns no faster [rad/s]."""
FEWEST = 5
"""Fewer such frames say nothing."""
STEEPEST = np.radians(35.0)
"""Feet that are turned by more do not stand flat: who walks on tiptoe does not all the time."""


def level_feet(clip: Clip, body: IntArray, place: Array) -> Array:
    """Places of markers (M, 3) on bodies (M,) by which feet are flat where they stand in a fitted clip."""
    known, place = roles(clip.character), np.array(place)
    contacts = find(clip, pace=1.0).contacts
    for side in ("left", "right"):
        foot = known.get(f"{side} foot")
        if foot is None or not (body == foot).any():
            continue
        spans = [(c.start, c.end) for c in contacts if c.part == f"{side} foot"]
        turn = _turn(clip, foot, spans)
        if turn is not None:
            own = body == foot
            place[own] = so3.rotate(so3.conjugate(turn), place[own])
    return place


def _turn(clip: Clip, foot: int, spans: list[tuple[int, int]]) -> Array | None:
    """C as a quaternion (4,), told by all frames in which the foot stands and is calm."""
    turns = clip.character.placement(clip.q).rotations[:, foot]
    after = np.einsum("fji,fjk->fik", turns[:-1], turns[1:])
    angle = np.arccos(np.clip(0.5 * (np.trace(after, axis1=1, axis2=2) - 1.0), -1.0, 1.0))
    stands = np.zeros(clip.frames, dtype=bool)
    for start, end in spans:
        stands[max(start, 0) : end] = True
    pace = np.where(stands[:-1], angle / clip.dt, np.inf)
    calm = np.argsort(pace, kind="stable")[: int(CALM * stands.sum())]
    calm = calm[pace[calm] < TURNS]
    if len(calm) < FEWEST:
        return None
    seen = turns[calm][:, 2]  # the vertical in the foot's frame: the last row of R
    up = clip.character.rest_placement()[1][foot][2]
    turn = so3.between(up, np.median(seen, axis=0))
    return None if np.linalg.norm(so3.log(turn)) > STEEPEST else np.asarray(turn)
