"""The same motion elsewhere: a rigid motion of the whole clip on the ground."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import checked
from poise.character import JointKind
from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.operators.ground import root_kind, seen_from, taken_by
from poise.motion.travel import Travel


def place(clip: Clip, translation: ArrayLike = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Clip:
    """The clip turned about the world's vertical axis, then moved.

    A loop's travel is placed along with it. Planar characters move in x and z only.

    Args:
        clip: The motion.
        translation: In world axes [m], (3,).
        yaw: To the left [rad].

    Returns:
        Clip: The placed motion.

    Raises:
        InputError: The character's root stays in place, or cannot move that way.

    Examples:
        >>> there = poise.motion.operators.place(poise.clips.get("walk"), (2.0, 0.0, 0.0), yaw=1.57)
    """
    shift = checked(translation, "translation", (3,))
    if not math.isfinite(yaw):
        raise InputError(f"yaw must be finite, not {yaw!r}")
    if yaw == 0.0 and not np.any(shift):
        return clip
    root = clip.character.bodies[0]
    kind = root_kind(clip.character)
    if kind not in (JointKind.FREE, JointKind.PLANAR):
        raise InputError(
            f"{clip.character.name!r} cannot be placed: its root {root.name!r} is {kind.name.lower()}, "
            "only free and planar roots move about"
        )
    if kind is JointKind.PLANAR and (yaw != 0.0 or shift[1] != 0.0):
        raise InputError(
            f"{clip.character.name!r} is planar: it moves in x and z, and cannot turn or move in y"
        )
    placement = Travel(shift, yaw)
    travel = clip.travel if clip.travel.still else seen_from(placement, taken_by(clip.character, clip.travel))
    return clip.with_q(placement.apply(clip.character, clip.q, 1), travel=travel)
