"""How strong joints are: torque limits by joint or limb."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError

Limits = float | Mapping[str, float] | None
"""None: as strong as needed; one number [N·m] for all joints (slides: [N]); or by name, limb or pattern,
later entries win."""


def strengths(character: Character, limits: Limits) -> Array:
    """What the joint of each degree of freedom can do, inf where unlimited, (nv,)."""
    out = np.full(character.nv, np.inf)
    if limits is None:
        return out
    entries = limits if isinstance(limits, Mapping) else {"*": limits}
    for pattern, value in entries.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not value > 0:
            raise InputError(f"the torque limit of {pattern!r} must be positive, not {value!r}")
        for i in character.select(pattern):
            out[character.dofs(i)] = float(value)
    return out
