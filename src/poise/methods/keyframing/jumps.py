"""Frames between which a document's poses jump, in words.

Frames know nothing of each other. Where tracks disagree two poses may serve them as well, and one frame takes
one, the next the other. A joint that turns far from one frame to the next is suspected if its keys do not ask
for it and its turning just before and after is not like it. Fast is not broken: a motion that is continuous
turns half as far in half the time. So the document is asked for what lies between the two frames, and a jump
is what happens there within a small part of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind

if TYPE_CHECKING:
    from poise.methods.keyframing.tracks import Tracks

LEAST = 0.25
"""The least turn [rad] from one frame to the next that may be a jump."""
UNLIKE = 2.5
"""How many times farther than usual it is."""
AROUND = 4
"""Frames on either side that say what is usual."""
PARTS, SHARE = 16, 0.4
"""Between the frames the document is looked at in so many parts; one of them holds this share of a jump."""
ASKED = 24
"""The most suspicions that are looked into, the farthest turns first."""
SAID = 5


def jumps(tracks: Tracks, times: Array, q: Array) -> list[str]:
    """A warning for each pair of successive frames (times (F,), poses (F, nq)) with a jump; the first few."""
    if len(times) < 3:
        return []
    character = tracks.character
    steps = _turns(character, q)  # (F − 1, joints)
    beyond = steps - _turns(character, tracks.pose_track.at(times))
    count = len(steps)
    usual = np.array([np.median(steps[max(k - AROUND, 0) : k + AROUND + 1], axis=0) for k in range(count)])
    suspected = np.where(steps > UNLIKE * usual, beyond, 0.0)
    most = suspected.max(axis=1, initial=0.0)
    order = np.argsort(-most, kind="stable")[:ASKED]
    found = []
    for k in np.sort(order[most[order] > LEAST]):
        joint = int(suspected[k].argmax())
        between = np.linspace(times[k], times[k + 1], PARTS + 1)
        parts = _turns(character, tracks.at(between).q)[:, joint]
        if parts.max() > SHARE * steps[k, joint]:
            body, far = character.bodies[joint + 1], float(steps[k, joint])
            size = f"{far:.2g} m" if body.joint.kind is JointKind.SLIDE else f"{np.degrees(far):.0f}°"
            found.append(
                f"{body.name} jumps by {size} between frames {k} and {k + 1}, {times[k]:.3f} and "
                f"{times[k + 1]:.3f} s: there the document's tracks disagree, and two poses serve path, "
                "pins and keys as well"
            )
    return found[:SAID] + ([f"and {len(found) - SAID} more jumps"] if len(found) > SAID else [])


def _turns(character: Character, q: Array) -> Array:
    """How far each joint but the root turns from frame to frame [rad; m of slides], (F − 1, joints)."""
    squares = character.manifold.minus(q[1:], q[:-1]) ** 2
    out = np.zeros((len(squares), len(character.bodies)))
    for body in range(1, len(character.bodies)):
        out[:, body] = np.sqrt(squares[:, character.dofs(body)].sum(axis=1))
    return out[:, 1:]
