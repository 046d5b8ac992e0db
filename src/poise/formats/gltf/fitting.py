"""Whether a clip's character is still the one of its file, so that the file can be edited in place."""

from __future__ import annotations

import numpy as np

from poise.character import Character, JointKind, Skin
from poise.formats.gltf.interpretation import Interpretation
from poise.motion.source import listed

SAME = 1e-6
"""How far an offset (beside the figure's size) or a rest rotation may lie off and be the same."""


def misfit(character: Character, read: Interpretation) -> str:
    """Why a file read as ``read`` does not describe the character's skeleton; empty if it does.

    Joints are known by name and parent; numbers may differ by rounding, as guessing masses makes them.
    """
    theirs = {body.name: body for body in read.bodies}
    ours = {body.name: body for body in character.bodies}
    if ours.keys() != theirs.keys():
        odd = listed(sorted(ours.keys() ^ theirs.keys()), 4)
        return f"the skeleton is no longer the file's ({odd})"
    for name, body in ours.items():
        other = theirs[name]
        if body.parent != other.parent:
            return f"the skeleton is no longer the file's ({name} hangs from another joint)"
        if body.joint.kind in (JointKind.FREE, JointKind.PLANAR):
            continue  # these count from their parent: where they stand at rest does not matter
        moved = np.abs(np.asarray(body.offset) - other.offset).max()
        turned = min(np.abs(np.asarray(body.rest) - s * np.asarray(other.rest)).max() for s in (1, -1))
        if moved > SAME * (1 + read.rig.size) or turned > SAME:
            return f"the skeleton is no longer the file's ({name} rests elsewhere)"
    return ""


def same_skin(ours: Skin, theirs: Skin | None) -> bool:
    """Whether a character still wears what the file has for it."""
    if theirs is None or len(ours.morphs) != len(theirs.morphs):
        return False
    pairs = [(getattr(ours, part), getattr(theirs, part)) for part in ("vertices", "faces")]
    pairs += [(ours.bodies, theirs.bodies), (ours.weights, theirs.weights)]
    pairs += [(a.indices, b.indices) for a, b in zip(ours.morphs, theirs.morphs)]
    pairs += [(a.deltas, b.deltas) for a, b in zip(ours.morphs, theirs.morphs)]
    return all(np.array_equal(a, b) for a, b in pairs)
