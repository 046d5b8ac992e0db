"""A look as a constraint."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import checked
from poise.character import Character
from poise.character.labels import point_named
from poise.constraints import At, Constraint, constrain
from poise.constraints.when import as_when
from poise.handles import LookAt
from poise.operations.values.look import Look

LOOKS = 0.02
"""How far beside the mark a look over an interval still meets it [rad]."""


def looking(character: Character, asked: Look) -> Constraint:
    """The constraint that a character looks at a place."""
    point, axis = point_named(character, asked.eyes), asked.axis
    if axis is None:
        forward = character.rest_placement()[1][character.point(point).body].T @ [1.0, 0.0, 0.0]
        axis = (float(forward[0]), float(forward[1]), float(forward[2]))
    x, y, z = (float(v) for v in checked(asked.place, "place to look at", (3,)))
    at = as_when(asked.time)
    options: dict[str, Any] = {"name": f"look at ({x:g}, {y:g}, {z:g}) {at}"}
    if not isinstance(at, At):
        options["tolerance"] = LOOKS
    return constrain(LookAt(point, axis, (x, y, z)), np.zeros(3), at, **options)
