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
    """The point is at least ``height`` [m] along ``normal`` from the origin: not through the floor.

    Args:
        point: A point or body of the character.
        when: A time [s], a pair (start, end) [s], or a `When`.
        height: Distance of the plane from the world's origin, along the normal [m].
        normal: Of the plane, (3,); need not be of unit length. Default: up.
        **options: ``name``, ``priority``, ``weight`` and ``tolerance`` [m], as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: The normal is zero, or an option is out of range.

    Examples:
        >>> clear = poise.constraints.above("LeftToe", (0.2, 0.6), height=0.02)
    """
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
    """The point lies exactly at ``height`` along ``normal``; free to slide in the plane.

    Args:
        point: A point or body of the character.
        when: A time [s], a pair (start, end) [s], or a `When`.
        height: Distance of the plane from the world's origin, along the normal [m].
        normal: Of the plane, (3,); need not be of unit length. Default: up.
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``rate``, ``priority``, ``weight`` and
            ``tolerance`` [m], as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: The normal is zero, or an option is out of range.

    Examples:
        >>> wipe = poise.constraints.on_plane("RightHandCentre", (0.2, 0.6), height=0.9)
    """
    options.setdefault("name", f"{point} on the plane at {height:g} m")
    return constrain(PlaneDistance(point, normal=normal), height, when, **options)
