"""A quantity kept in a range: joint limits, angles between bones, distances."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.character import Character
from poise.constraints.constraint import Constraint, Details, constrain
from poise.constraints.target import Origin
from poise.constraints.when import Always, Time
from poise.handles import Handle, JointValue


def within(
    handle: Handle,
    when: Time,
    *,
    least: ArrayLike = -np.inf,
    most: ArrayLike = np.inf,
    rate: bool = False,
    norm: bool = False,
    **options: Unpack[Details],
) -> Constraint:
    """``least ≤ handle ≤ most``, row by row; one number serves all rows."""
    return constrain(handle, Origin(), when, lower=least, upper=most, rate=rate, norm=norm, **options)


def joint_limits(
    character: Character, when: Time | None = None, **options: Unpack[Details]
) -> list[Constraint]:
    """One range per limited joint, on its exponential coordinates [rad or m]."""
    found = []
    for i, body in enumerate(character.bodies):
        if body.joint.limited:
            span, always = character.dofs(i), Always() if when is None else when
            named: Details = {"name": f"limits of {body.name}", **options}
            least, most = character.lower[span], character.upper[span]
            found.append(within(JointValue(body.name), always, least=least, most=most, **named))
    return found
