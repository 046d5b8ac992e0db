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
    """``least ≤ handle ≤ most``, row by row; one number serves all rows.

    Args:
        handle: The quantity that is kept in the range.
        when: A time [s], a pair (start, end) [s], or a `When`.
        least: Least value allowed, in the handle's unit: one number for all rows or one each.
        most: Greatest value allowed, likewise.
        rate: Whether the handle's velocity is kept in the range [the handle's unit/s].
        norm: Whether the length of the value is kept in the range instead of each row.
        **options: ``name``, ``priority``, ``weight`` and ``tolerance``, as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: A lower bound exceeds the upper one.

    Examples:
        >>> knee = poise.constraints.within(poise.handles.JointValue("LeftLeg"), (0, 1), least=0.1, most=2.2)
    """
    return constrain(handle, Origin(), when, lower=least, upper=most, rate=rate, norm=norm, **options)


def joint_limits(
    character: Character, when: Time | None = None, **options: Unpack[Details]
) -> list[Constraint]:
    """One range per limited joint, on its exponential coordinates [rad or m].

    Args:
        character: Whose limits they are.
        when: A time [s], a pair (start, end) [s], or a `When`. Default: always.
        **options: ``name``, ``priority``, ``weight`` and ``tolerance``, as the fields of `Constraint`.

    Returns:
        list[Constraint]: One for each joint that has limits; empty if none has.

    Examples:
        >>> limits = poise.constraints.joint_limits(poise.characters.humanoid())
        >>> print(len(limits))
    """
    found = []
    for i, body in enumerate(character.bodies):
        if body.joint.limited:
            span, always = character.dofs(i), Always() if when is None else when
            named: Details = {"name": f"limits of {body.name}", **options}
            least, most = character.lower[span], character.upper[span]
            found.append(within(JointValue(body.name), always, least=least, most=most, **named))
    return found
