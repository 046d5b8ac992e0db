"""How fast a handle moves at a time: hit with speed, arrive at rest."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.constraints.constraint import Bounds, Constraint, constrain
from poise.constraints.target import Target
from poise.constraints.when import Time
from poise.handles import PointPosition


def moving(point: str, velocity: Target | ArrayLike, when: Time, **options: Unpack[Bounds]) -> Constraint:
    """The point moves with ``velocity`` [m/s], (3,), in world axes.

    Args:
        point: A point or body of the character.
        velocity: In world axes [m/s], (3,), or a `Path` of velocities.
        when: A time [s], a pair (start, end) [s], or a `When`.
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``priority``, ``weight`` and ``tolerance`` [m/s],
            as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: The velocity is not three finite numbers, or an option is out of range.

    Examples:
        >>> fast = poise.constraints.moving("RightHandCentre", (6, 0, 0), 0.85, tolerance=0.1)
    """
    options.setdefault("name", f"velocity of {point}")
    return constrain(PointPosition(point), velocity, when, rate=True, **options)


def at_rest(point: str, when: Time, **options: Unpack[Bounds]) -> Constraint:
    """The point does not move.

    Args:
        point: A point or body of the character.
        when: A time [s], a pair (start, end) [s], or a `When`.
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``priority``, ``weight`` and ``tolerance`` [m/s],
            as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: An option is out of range.

    Examples:
        >>> still = poise.constraints.at_rest("LeftHeel", (0.2, 0.5))
    """
    options.setdefault("name", f"{point} at rest")
    return moving(point, np.zeros(3), when, **options)
