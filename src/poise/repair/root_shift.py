"""The root as a carrier: moving a whole body through the world."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.repair.proposal import Unmendable


def carried(character: Character, q: Array, way: Array) -> Array:
    """Configurations (F, nq) moved by ``way`` (F, 3) [m]; a planar body moves within its plane."""
    out = np.array(q)
    match character.bodies[0].joint.kind:
        case JointKind.FREE:
            out[:, :3] += way
        case JointKind.PLANAR:
            out[:, :2] += way[:, [0, 2]]
        case kind:
            raise Unmendable(f"{character.name!r} cannot be moved: its root is {kind.name.lower()}")
    return out
