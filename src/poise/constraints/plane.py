"""A point on one side of a plane, or on it: floors, walls, tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.constraints.constraint import Constraint
from poise.constraints.when import When
from poise.handles import PlaneDistance


def above(
    point: str,
    when: When | float | tuple[float, float],
    *,
    height: float = 0.0,
    normal: ArrayLike = (0.0, 0.0, 1.0),
    **options: Any,
) -> Constraint:
    """The point is at least ``height`` [m] along ``normal`` from the origin: not through the floor."""
    options.setdefault("name", f"{point} above {height:g} m")
    handle = PlaneDistance(point, normal=normal)
    return Constraint(handle, height, when, lower=0.0, upper=np.inf, **options)  # type: ignore[arg-type]


def on_plane(
    point: str,
    when: When | float | tuple[float, float],
    *,
    height: float = 0.0,
    normal: ArrayLike = (0.0, 0.0, 1.0),
    **options: Any,
) -> Constraint:
    """The point lies exactly at ``height`` along ``normal``; free to slide in the plane."""
    options.setdefault("name", f"{point} on the plane at {height:g} m")
    return Constraint(PlaneDistance(point, normal=normal), height, when, **options)  # type: ignore[arg-type]
