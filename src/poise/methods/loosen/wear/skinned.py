"""The skin of a bone."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character


def skin_of_bone(character: Character, body: int) -> Array:
    """Vertices that follow a bone more than any other, in its frame [m], (P, 3)."""
    skin = character.skin
    if skin is None:
        return np.zeros((0, 3))
    foremost = np.take_along_axis(skin.bodies, skin.weights.argmax(axis=1)[:, None], axis=1)[:, 0]
    bind = skin.inverse_bind[body]
    return np.asarray(skin.vertices[foremost == body] @ bind[:3, :3].T + bind[:3, 3])
