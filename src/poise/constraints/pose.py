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
    """All joints, or those that match the patterns, are as in the configuration ``q`` (nq,).

    Args:
        character: Whose pose it is.
        q: Its configuration (nq,) [m, rad, quaternions].
        when: A time [s], a pair (start, end) [s], or a `When`.
        joints: Names, limbs or patterns ("left arm", "Spine*"). Default: all.
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``rate``, ``priority``, ``weight`` and
            ``tolerance`` [rad, m], as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: ``q`` does not fit the character.
        UnknownNameError: A pattern matches no joint.

    Examples:
        >>> punch = poise.clips.get("punch")
        >>> guard = poise.constraints.pose(punch.character, punch.q[0], 1.2, joints=["right arm"])
    """
    handle = Pose(tuple(joints))
    options.setdefault("name", handle.label)
    return constrain(handle, handle.target(character, checked(q, "q", (character.nq,))), when, **options)


def oriented(body: str, rotation: Target | ArrayLike, when: Time, **options: Unpack[Measures]) -> Constraint:
    """The body is turned as the world quaternion ``rotation`` (4,) says.

    Args:
        body: A body of the character.
        rotation: World from body, a quaternion (w, x, y, z), or a `Path` of them.
        when: A time [s], a pair (start, end) [s], or a `When`.
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``rate``, ``priority``, ``weight`` and
            ``tolerance`` [rad], as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: The rotation is not made of finite numbers, or an option is out of range.

    Examples:
        >>> level = poise.constraints.oriented("Head", (1, 0, 0, 0), 0.85, tolerance=0.02)
    """
    options.setdefault("name", f"orientation of {body}")
    return constrain(BodyOrientation(body), rotation, when, **options)


def balanced(place: Target | ArrayLike, when: Time, **options: Unpack[Measures]) -> Constraint:
    """The centre of mass is at ``place`` [m], (3,).

    Args:
        place: Where [m], (3,), or a `Path` of places.
        when: A time [s], a pair (start, end) [s], or a `When`.
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``rate``, ``priority``, ``weight`` and
            ``tolerance`` [m], as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: The place is not three finite numbers, or an option is out of range.

    Examples:
        >>> over = poise.constraints.balanced((0.0, 0.0, 0.95), 0.5, tolerance=0.01)
    """
    options.setdefault("name", "centre of mass")
    return constrain(CentreOfMass(), place, when, **options)
