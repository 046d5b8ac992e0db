"""How strong joints are: torque limits by joint or limb."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.arrays import Array
from poise.character import Character


def strengths(character: Character, strength: float | Mapping[str, float] | None) -> Array:
    """What the joint of each degree of freedom can do, inf where unlimited, (nv,).

    One number [N·m] for all joints (slides: [N]), or by name, limb or pattern, later entries winning.
    """
    out = np.full(character.nv, np.inf)
    if strength is None:
        return out
    entries = strength if isinstance(strength, Mapping) else {"*": strength}
    for pattern, value in entries.items():
        for i in character.select(pattern):
            out[character.dofs(i)] = float(value)
    return out
