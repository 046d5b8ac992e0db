"""A skinned clip as a mesh clip: every vertex where bones and morph weights put it, frame by frame."""

from __future__ import annotations

import numpy as np

from poise.errors import InputError
from poise.kinematics.kinematics import Kinematics
from poise.motion import Clip, MeshClip


def baked_skin(clip: Clip) -> MeshClip:
    """The moving vertices of a clip whose character has a skin.

    Args:
        clip: Its character has a skin.

    Returns:
        MeshClip: Vertices in world axes [m], frame by frame.

    Raises:
        InputError: The character has no skin.

    Examples:
        >>> baked = poise.kinematics.baked_skin(poise.load("hero.glb"))
    """
    skin = clip.character.skin
    if skin is None:
        raise InputError(f"{clip.character.name!r} has no skin: there are no vertices to bake")
    kin = Kinematics(clip.character, clip.q)
    vertices = np.stack(
        [
            skin.deformed(kin.positions[k], kin.rotations[k], None if clip.morphs is None else clip.morphs[k])
            for k in range(clip.frames)
        ]
    )
    return MeshClip(vertices, skin.faces, clip.rate, name=clip.name, loop=clip.loop, extras=skin.extras)
