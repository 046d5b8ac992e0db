"""A quantity kept in a range: joint limits, angles between bones, distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.character import Character
from poise.constraints.constraint import Constraint, constrain
from poise.constraints.target import Origin
from poise.constraints.when import Always, Time
from poise.handles import Handle, JointValue


def within(
    handle: Handle, when: Time, *, least: ArrayLike = -np.inf, most: ArrayLike = np.inf, **options: Any
) -> Constraint:
    """``least ≤ handle ≤ most``, row by row; one number serves all rows."""
    return constrain(handle, Origin(), when, lower=least, upper=most, **options)


def joint_limits(character: Character, when: Time | None = None, **options: Any) -> list[Constraint]:
    """One range per limited joint, on its exponential coordinates [rad or m]."""
    found = []
    for i, body in enumerate(character.bodies):
        if body.joint.limited:
            span = character.dofs(i)
            found.append(
                within(
                    JointValue(body.name),
                    Always() if when is None else when,
                    least=character.lower[span],
                    most=character.upper[span],
                    **{"name": f"limits of {body.name}", **options},
                )
            )
    return found
