"""A point held at a place, on a path, or at another point."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.constraints.constraint import Constraint, Details, Measures, constrain
from poise.constraints.target import Path, Target
from poise.constraints.when import Time
from poise.handles import On, PointDifference, PointPosition
from poise.handles.place import text
from poise.motion import Clip


def pin(point: str | On, place: Target | ArrayLike, when: Time, **options: Unpack[Measures]) -> Constraint:
    """The point is at ``place`` [m], (3,), or follows a ``Path`` of places."""
    options.setdefault("name", f"{text(point)} at its place")
    return constrain(PointPosition(point), place, when, **options)


def joined(
    a: str, b: str, when: Time, *, offset: ArrayLike = (0.0, 0.0, 0.0), **options: Unpack[Measures]
) -> Constraint:
    """Point b is at point a plus an offset in world axes (clap, hold a stick with both hands)."""
    options.setdefault("name", f"{b} at {a}")
    return constrain(PointDifference(a, b), offset, when, **options)


def path_of(clip: Clip, point: str, *, until: float | None = None) -> Path:
    """The way a point of another clip goes, to be followed or kept at a distance.

    A loop is followed for one cycle and closed, or ``until`` a time [s].
    """
    from poise.kinematics import Kinematics

    end = clip.duration if until is None else until
    times = np.arange(round(end * clip.fps) + 1) / clip.fps if clip.loop else np.asarray(clip.times)
    return Path(times, Kinematics(clip.character, clip.at(times)).point(point))


def keep_distance(
    point: str,
    other: Target | ArrayLike,
    when: Time,
    *,
    least: float = 0.0,
    most: float = np.inf,
    **options: Unpack[Details],
) -> Constraint:
    """The point stays between ``least`` and ``most`` [m] from a place or a moving path.

    With ``other=path_of(clip, …)`` this is the distance to a point of another character.
    """
    options.setdefault("name", f"distance of {point}")
    return constrain(
        PointPosition(point),
        other,
        when,
        lower=least,
        upper=most,
        norm=True,
        **options,
    )
