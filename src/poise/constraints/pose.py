"""A whole pose or part of one, an orientation, a centre of mass at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.constraints.constraint import Constraint
from poise.constraints.target import Target
from poise.constraints.when import When
from poise.handles import BodyOrientation, CentreOfMass, Pose

Time = When | float | tuple[float, float]


def pose(q: ArrayLike, when: Time, *, joints: Sequence[str] | None = None, **options: Any) -> Constraint:
    """All joints, or the named ones, are as in the configuration ``q`` (nq,)."""
    handle = Pose(q, joints=None if joints is None else tuple(joints))
    options.setdefault("name", "pose" if joints is None else f"pose of {', '.join(joints)}")
    return Constraint(handle, np.zeros(handle.dim), when, **options)  # type: ignore[arg-type]


def oriented(body: str, rotation: Target | ArrayLike, when: Time, **options: Any) -> Constraint:
    """The body is turned as the world quaternion ``rotation`` (4,) says."""
    options.setdefault("name", f"orientation of {body}")
    return Constraint(BodyOrientation(body), rotation, when, **options)  # type: ignore[arg-type]


def balanced(place: Target | ArrayLike, when: Time, **options: Any) -> Constraint:
    """The centre of mass is at ``place`` [m], (3,)."""
    options.setdefault("name", "centre of mass")
    return Constraint(CentreOfMass(), place, when, **options)  # type: ignore[arg-type]
