"""How fast a handle moves at a time: hit with speed, arrive at rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.constraints.constraint import Constraint
from poise.constraints.target import Target
from poise.constraints.when import When
from poise.handles import Handle, PointPosition

Time = When | float | tuple[float, float]


def moving(point: str, velocity: Target | ArrayLike, when: Time, **options: Any) -> Constraint:
    """The point moves with ``velocity`` [m/s], (3,), in world axes."""
    options.setdefault("name", f"velocity of {point}")
    return Constraint(PointPosition(point), velocity, when, rate=True, **options)  # type: ignore[arg-type]


def at_rest(handle: Handle | str, when: Time, **options: Any) -> Constraint:
    """The handle (or the point of that name) does not move."""
    if isinstance(handle, str):
        options.setdefault("name", f"{handle} at rest")
        handle = PointPosition(handle)
    return Constraint(handle, np.zeros(handle.dim), when, rate=True, **options)  # type: ignore[arg-type]
