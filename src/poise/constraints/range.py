"""A quantity kept in a range: joint limits, angles between bones, distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.character import Character
from poise.constraints.constraint import Constraint
from poise.constraints.when import Always, When
from poise.handles import Handle, JointValue

Time = When | float | tuple[float, float]


def within(
    handle: Handle, when: Time, *, least: ArrayLike = -np.inf, most: ArrayLike = np.inf, **options: Any
) -> Constraint:
    """``least ≤ handle ≤ most``, component by component."""
    return Constraint(handle, np.zeros(handle.dim), when, lower=least, upper=most, **options)  # type: ignore[arg-type]


def joint_limits(character: Character, when: Time | None = None, **options: Any) -> list[Constraint]:
    """One range per limited joint, on its exponential coordinates [rad or m]."""
    found = []
    for i, body in enumerate(character.bodies):
        if body.joint.limited:
            span = character.dofs(i)
            handle = JointValue(body.name)
            limits = {"least": character.lower[span], "most": character.upper[span]}
            named = {"name": f"limits of {body.name}", **options}
            found.append(within(handle, Always() if when is None else when, **limits, **named))
    return found
