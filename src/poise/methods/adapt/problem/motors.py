"""Motors: joints that turn no faster than theirs can.

A joint that has a limit of speed, and comes near it in the motion as it begins, is asked to stay below it in
every frame. So is one that the change itself has driven beyond, when the change goes on. The report tells
which do not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from poise.constraints import Constraint, During, constrain
from poise.handles import JointValue
from poise.motion import Clip

NEAR = 0.6
"""Joints that reach this share of their speed are watched."""
CLOSE = 0.05
"""How far beyond its speed a joint may be, as a share of it: curves bend between keys."""
PULL = 3.0
"""Weight beside a foot that stands, 1; speeds count little by themselves."""


def speed_limits(clip: Clip, free: Sequence[int], *, near: float = NEAR) -> list[Constraint]:
    """Constraints on joints that reach this share of their motors' speed somewhere in the clip."""
    character = clip.character
    if clip.frames < 3 or not np.isfinite(character.speed).any():
        return []
    fastest = np.abs(clip.velocity).max(axis=0)
    whole, found = During(0.0, float(clip.times[-1])), []
    for i in free:
        span = character.dofs(i)
        most = character.speed[span]
        if span.stop - span.start != 1 or not np.isfinite(most[0]) or fastest[span][0] < near * most[0]:
            continue
        name = character.names[i]
        found.append(
            constrain(
                JointValue(name),
                np.zeros(1),
                whole,
                lower=-float(most[0]),
                upper=float(most[0]),
                rate=True,
                name=f"speed of {name}",
                weight=PULL,
                tolerance=CLOSE * float(most[0]),
            )
        )
    return found


def driven_beyond(clip: Clip, free: Sequence[int], asked: Collection[str]) -> list[Constraint]:
    """The same for joints that a change has made too fast, but for those that were ``asked`` already."""
    return [c for c in speed_limits(clip, free, near=1.0) if c.name not in asked]
