"""A point on one side of a plane, or on it: floors, walls, tables."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from poise.constraints.constraint import Constraint, Details, Measures, constrain
from poise.constraints.when import Time
from poise.handles import PlaneDistance
from poise.handles.place import Triple


def above(
    point: str,
    when: Time,
    *,
    height: float = 0.0,
    normal: Triple = (0.0, 0.0, 1.0),
    **options: Unpack[Details],
) -> Constraint:
    """The point is at least ``height`` [m] along ``normal`` from the origin: not through the floor."""
    options.setdefault("name", f"{point} above {height:g} m")
    handle = PlaneDistance(point, normal=normal)
    return constrain(handle, height, when, lower=0.0, upper=np.inf, **options)


def on_plane(
    point: str,
    when: Time,
    *,
    height: float = 0.0,
    normal: Triple = (0.0, 0.0, 1.0),
    **options: Unpack[Measures],
) -> Constraint:
    """The point lies exactly at ``height`` along ``normal``; free to slide in the plane."""
    options.setdefault("name", f"{point} on the plane at {height:g} m")
    return constrain(PlaneDistance(point, normal=normal), height, when, **options)
