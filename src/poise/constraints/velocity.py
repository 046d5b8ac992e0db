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
    """The point moves with ``velocity`` [m/s], (3,), in world axes."""
    options.setdefault("name", f"velocity of {point}")
    return constrain(PointPosition(point), velocity, when, rate=True, **options)


def at_rest(point: str, when: Time, **options: Unpack[Bounds]) -> Constraint:
    """The point does not move."""
    options.setdefault("name", f"{point} at rest")
    return moving(point, np.zeros(3), when, **options)
