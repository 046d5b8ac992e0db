"""Motors: joints that turn no faster than theirs can.

A joint that has a limit of speed, and comes near it in the motion as it begins, is asked to stay below it in
every frame. So is one that the change itself has driven beyond, when the change goes on. The report tells
which do not, those too that the change may not touch. A rest pose in front of the motion, from which it jumps
in one frame, and torn ends are nobody's speed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from poise.constraints import Constraint, During, constrain
from poise.contacts.ends import ends
from poise.handles import JointValue
from poise.kinematics import Kinematics
from poise.motion import Clip

NEAR = 0.6
"""Joints that reach this share of their speed are watched."""
CLOSE = 0.05
"""How far beyond its speed a joint may be, as a share of it: curves bend between keys."""
GROWN = 1.75
"""Height of a grown-up [m], by which jumps are judged."""
PULL = 3.0
"""Weight beside a foot that stands, 1; speeds count little by themselves."""


def speed_limits(clip: Clip, bodies: Iterable[int] | None = None, *, near: float = NEAR) -> list[Constraint]:
    """Constraints on joints (of all ``bodies``, if None) that reach this share of their motors' speed."""
    character = clip.character
    if clip.frames < 3 or not np.isfinite(character.speed).any():
        return []
    first, last = _belonging(clip)
    if last - first < 2:
        return []
    fastest = np.abs(clip.velocity[first : last + 1]).max(axis=0)
    whole, found = During(float(clip.times[first]), float(clip.times[last])), []
    for i in range(len(character.bodies)) if bodies is None else bodies:
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


def _belonging(clip: Clip) -> tuple[int, int]:
    """First and last frame whose central differences reach into nothing that is not the motion's own."""
    placed = Kinematics(clip.character, clip.q).positions
    rest = clip.character.rest_placement().positions
    size = max(float(np.ptp(rest, axis=0).max()), 1e-3)
    first, end = ends(clip, placed, size / GROWN)
    return first + (first > 0), end - 1 - (end < clip.frames)


def driven_beyond(clip: Clip, free: Iterable[int], asked: Collection[str]) -> list[Constraint]:
    """The same for joints that a change has made too fast, but for those that were ``asked`` already."""
    return [c for c in speed_limits(clip, free, near=1.0) if c.name not in asked]
