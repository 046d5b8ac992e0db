"""Robots that stand on no feet: their base is bolted to the world, and carries them wherever they reach."""

from __future__ import annotations

import numpy as np

from poise.character.character import Character
from poise.character.joint import JointKind


def bolted(character: Character) -> bool:
    """Whether a robot's base is fixed to the world, or turns on it about one axis.

    Only what has motors is a robot: a figure whose file moves no root is a person all the same, who walks in
    place.
    """
    kinds = [body.joint.kind for body in character.bodies]
    walks = JointKind.FREE in kinds or JointKind.PLANAR in kinds
    motors = np.isfinite(character.effort).any() or np.isfinite(character.speed).any()
    return bool(motors and not walks and kinds[0] in (JointKind.FIXED, JointKind.HINGE))
