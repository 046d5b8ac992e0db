"""A whole pose or part of one, an orientation, a centre of mass at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from numpy.typing import ArrayLike

from poise.arrays import checked
from poise.character import Character
from poise.constraints.constraint import Constraint, Measures, constrain
from poise.constraints.target import Target
from poise.constraints.when import Time
from poise.handles import BodyOrientation, CentreOfMass, Pose


def pose(
    character: Character,
    q: ArrayLike,
    when: Time,
    *,
    joints: Sequence[str] = ("*",),
    **options: Unpack[Measures],
) -> Constraint:
    """All joints, or those that match the patterns, are as in the configuration ``q`` (nq,)."""
    handle = Pose(tuple(joints))
    options.setdefault("name", handle.label)
    return constrain(handle, handle.target(character, checked(q, "q", (character.nq,))), when, **options)


def oriented(body: str, rotation: Target | ArrayLike, when: Time, **options: Unpack[Measures]) -> Constraint:
    """The body is turned as the world quaternion ``rotation`` (4,) says."""
    options.setdefault("name", f"orientation of {body}")
    return constrain(BodyOrientation(body), rotation, when, **options)


def balanced(place: Target | ArrayLike, when: Time, **options: Unpack[Measures]) -> Constraint:
    """The centre of mass is at ``place`` [m], (3,)."""
    options.setdefault("name", "centre of mass")
    return constrain(CentreOfMass(), place, when, **options)
