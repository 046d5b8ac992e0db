"""The form of a handle: what compiled rows have to know to measure it, in one vocabulary for all solvers.

| kind           | value                                                 | made of          |
|----------------|-------------------------------------------------------|------------------|
| POINT          | x₊ − x₋ + constant, the coordinates ``index``          | a span           |
| PLANE          | normal · (x₊ − x₋ + constant)                          | a span, a normal |
| DISTANCE       | the length of x₊ − x₋ + constant                       | a span           |
| ORIENTATION    | the rotation of a body                                | a body           |
| CENTRE         | the centre of mass, the coordinates ``index``          |                  |
| TENSOR … SHAPE | the measures of rotational inertia                    |                  |
| JOINT          | exponential coordinates of a joint, ``index``: of v    | a body           |
| ANGLE          | between two ways                                      | two ways         |
| LOOK           | the rotation from one way to the direction of another | two ways         |
| MOMENTUM       | rows ``index`` of the centroidal momentum A v          |                  |
| GENERAL        | anything else                                         | the handle       |

This is the registry of kinds: who adds one gives it a line here and rows where it is to be fast. A handle
says its form by ``Handle.form``. One that has none, of another package or rarely used, is GENERAL: solvers
ask its own ``value``, ``error``, ``error_jacobian`` and ``velocity_jacobian``, and it is met like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character, Point
from poise.handles.place import On, Place, point_of

(
    POINT,
    PLANE,
    DISTANCE,
    ORIENTATION,
    CENTRE,
    TENSOR,
    PLANAR,
    GYRATION,
    RADII,
    SHAPE,
    JOINT,
    ANGLE,
    LOOK,
    MOMENTUM,
    GENERAL,
) = range(15)
WORLD_VECTOR, BODY_VECTOR, BETWEEN = range(3)
"""Kinds of ways."""
INERTIA = {"tensor": TENSOR, "planar": PLANAR, "gyration": GYRATION, "radii": RADII, "shape": SHAPE}


def _nothing() -> Array:
    return np.zeros(3)


class Span(NamedTuple):
    """x₊ − x₋ + constant: from place to place, what is fixed in the world gathered in the constant [m]."""

    plus: Point | None
    minus: Point | None
    constant: Array
    """(3,)"""


class Way(NamedTuple):
    """A direction: fixed in the world, fixed in a body, or along a span."""

    kind: int
    """WORLD_VECTOR, BODY_VECTOR or BETWEEN."""
    body: int
    """−1: none."""
    vector: Array
    """(3,)"""
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Form:
    """One handle on one character."""

    kind: int
    span: Span | None = None
    normal: Array = field(default_factory=_nothing)
    """Of a plane, (3,)."""
    ways: tuple[Way, ...] = ()
    body: int = -1
    index: Sequence[int] | None = None
    """Axis, degree of freedom or row of momentum of each row; None where the kind has no choice."""
    scale: float = 1.0
    """Metres or radians that a unit of error counts as."""
    numbers: int | None = None
    """How many numbers a target has as rows compare with it; None: as many as the handle's own."""
    goal: Callable[[Array, str], Array] | None = None
    """From targets (F, size) to those numbers, or a clear error that begins with the name given; None: they
    are the same."""


def span(character: Character, a: Place | None, b: Place) -> Span | None:
    """From a (None: the world's origin) to b; None where a place moves by itself: no constant holds that."""
    points: list[Point | None] = []
    constant = np.zeros(3)
    for place, sign in ((b, 1.0), (a, -1.0)):
        if isinstance(place, str | On):
            points.append(point_of(character, place))
            continue
        points.append(None)
        if place is not None:
            fixed = np.asarray(place, dtype=np.float64)
            if fixed.ndim != 1:
                return None
            constant = constant + sign * fixed
    return Span(points[0], points[1], constant)
