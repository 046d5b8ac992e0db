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
    """The point is at ``place`` [m], (3,), or follows a ``Path`` of places.

    Args:
        point: A point or body of the character, or `On` with an offset in its body's frame.
        place: Where [m], (3,), or a `Path` of places.
        when: A time [s], a pair (start, end) [s], or a `When`.
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``rate``, ``priority``, ``weight`` and
            ``tolerance`` [m], as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data; the point's name is checked against a character when it is used.

    Raises:
        InputError: The place is not three finite numbers, or an option is out of range.

    Examples:
        >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
        >>> print(poise.constraints.report_on([mark], poise.clips.get("punch")))
    """
    options.setdefault("name", f"{text(point)} at its place")
    return constrain(PointPosition(point), place, when, **options)


def joined(
    a: str, b: str, when: Time, *, offset: ArrayLike = (0.0, 0.0, 0.0), **options: Unpack[Measures]
) -> Constraint:
    """Point b is at point a plus an offset in world axes (clap, hold a stick with both hands).

    Args:
        a: A point or body of the character.
        b: The one that is to be at ``a``.
        when: A time [s], a pair (start, end) [s], or a `When`.
        offset: From ``a`` to ``b`` along the world's axes [m], (3,).
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``rate``, ``priority``, ``weight`` and
            ``tolerance`` [m], as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: The offset is not three finite numbers, or an option is out of range.

    Examples:
        >>> clap = poise.constraints.joined("LeftHandCentre", "RightHandCentre", 0.5, tolerance=0.005)
    """
    options.setdefault("name", f"{b} at {a}")
    return constrain(PointDifference(a, b), offset, when, **options)


def path_of(clip: Clip, point: str, *, until: float | None = None) -> Path:
    """The way a point of another clip goes, to be followed or kept at a distance.

    A loop is followed for one cycle and closed, or ``until`` a time [s].

    Args:
        clip: The clip whose point is followed.
        point: One of its points or bodies.
        until: The time at which the path ends [s]. Default: the clip's duration; loops go on beyond it.

    Returns:
        Path: One place [m] for each frame.

    Raises:
        UnknownNameError: The character has no such point.

    Examples:
        >>> way = poise.constraints.path_of(poise.clips.get("wave"), "RightHandCentre")
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

    Args:
        point: A point or body of the character.
        other: The place [m], (3,), or a `Path` of places.
        when: A time [s], a pair (start, end) [s], or a `When`.
        least: Shortest distance allowed [m, ≥ 0].
        most: Longest distance allowed [m, at least ``least``].
        **options: ``name``, ``priority``, ``weight`` and ``tolerance`` [m], as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: ``least`` exceeds ``most``, or the place is not made of finite numbers.

    Examples:
        >>> clear = poise.constraints.keep_distance("RightHandCentre", (0.9, 0.0, 1.36), (0, 1), least=0.1)
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
