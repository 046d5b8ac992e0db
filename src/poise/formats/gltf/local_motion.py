"""Any joint's motion as what a glTF node can do: a translation and a rotation in the parent's frame."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.joint import as_array
from poise.manifold import so3

TRANSLATES = (JointKind.FREE, JointKind.PLANAR, JointKind.SLIDE)
ROTATES = (JointKind.FREE, JointKind.PLANAR, JointKind.HINGE, JointKind.BALL)


def local_motion(character: Character, q: Array) -> tuple[Array, Array]:
    """Positions (n, F, 3) and quaternions (n, F, 4) of all bodies in their parents' frames."""
    count, frames = len(character.bodies), len(q)
    positions, turns = np.empty((count, frames, 3)), np.empty((count, frames, 4))
    for i, body in enumerate(character.bodies):
        own = q[:, character.coordinates(i)]
        offset, rest, axis = as_array(body.offset), as_array(body.rest), as_array(body.joint.axis)
        positions[i], turns[i] = offset, rest
        match body.joint.kind:
            case JointKind.FREE:
                positions[i], turns[i] = own[:, :3], own[:, 3:]
            case JointKind.PLANAR:
                positions[i, :, 0], positions[i, :, 2] = own[:, 0], own[:, 1]
                turns[i] = so3.exp(own[:, 2:] * np.array([0.0, 1.0, 0.0]))
            case JointKind.BALL:
                turns[i] = so3.multiply(rest, own)
            case JointKind.HINGE:
                turns[i] = so3.multiply(rest, so3.exp(own * axis))
            case JointKind.SLIDE:
                positions[i] = offset + own * so3.rotate(rest, axis)
            case JointKind.FIXED:
                pass
    return positions, turns
