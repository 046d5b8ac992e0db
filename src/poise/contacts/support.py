"""What carries a motion, as data: contacts, flights, supports that nobody sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.ballistics import Parabola
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.needed import Needed
from poise.gravity import EARTH
from poise.world import World

BRIEF, GAP = 0.08, 0.06
"""Contacts, and gaps in them, that are shorter are noise [s]."""
CUT = 0.021
"""Contacts that begin or end this near the clip's own ends are cut off by them [s]."""

Manner = Literal["stands", "rolls", "pivots", "slides", "grips", "lies", "pushes"]


@dataclass(frozen=True)
class Touch:
    """One patch of a contact while it touches.

    Examples:
        >>> walk = poise.contacts.find.find(poise.clips.get("walk"))
        >>> print(walk.contacts[0].touches[0].patch)
    """

    patch: str
    """Name of the patch."""
    start: int
    """First frame."""
    end: int
    """Last frame."""


@dataclass(frozen=True)
class Contact:
    """A part of a body on a surface. Frames are those of the clip; those of a loop may go beyond its ends.

    Examples:
        >>> walk = poise.contacts.find.find(poise.clips.get("walk"))
        >>> print([contact.part for contact in walk.contacts])
    """

    part: str
    """"left foot", "seat", "right hand" …"""
    surface: str
    """Name of the surface; empty: something unseen."""
    start: int
    """First frame."""
    end: int
    """Last frame."""
    manner: Manner
    """How it touches."""
    touches: tuple[Touch, ...]
    """Heel first down, toe last up."""
    place: tuple[float, float, float]
    """Where it carries, in the middle of its time [m]."""
    turn: float
    """Of a foot about the vertical there, its heading [rad]."""
    load: float
    """Mean share of the weight that it carries."""
    way: float
    """Way of the stillest point of its sole while it carries [m]."""
    gap: float
    """Above its surface, where it carries though it hovers [m]; 0: touches."""
    sunk: float
    """Below its surface, in the middle of its time [m]; negative: above."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for files."""
        own = {
            k: getattr(self, k) for k in ("part", "surface", "start", "end", "manner", "turn", "load", "way")
        }
        touches = [{"patch": t.patch, "start": t.start, "end": t.end} for t in self.touches]
        return own | {"gap": self.gap, "sunk": self.sunk, "place": list(self.place), "touches": touches}


@dataclass(frozen=True)
class Flight:
    """A stretch that nothing carries. Frames of the clip.

    Examples:
        >>> jump = poise.contacts.find.find(poise.clips.get("jump"))
        >>> print([(flight.start, flight.end) for flight in jump.flights])
    """

    start: int
    """First frame."""
    end: int
    """Last frame."""
    parabola: Parabola
    """Fitted to the centre of mass."""
    turning: float
    """Change of angular momentum meanwhile, over that of a body of its size at 1 rad/s; there should be
    none."""


@dataclass(frozen=True)
class Unseen:
    """A stretch in which contacts do not explain the motion. Frames of the clip.

    Examples:
        >>> reach = poise.contacts.find.find(poise.clips.get("reach"))
        >>> print([each.nearest for each in reach.unseen])
    """

    start: int
    """First frame."""
    end: int
    """Last frame."""
    missing: float
    """Mean of what is left [weights]."""
    force: tuple[float, float, float]
    """Mean force that is missing [weights]."""
    nearest: str
    """The part nearest to the line along which it would have to act."""


@dataclass(frozen=True, eq=False)
class Support:
    """What carries a motion.

    Examples:
        >>> jump = poise.contacts.find.find(poise.clips.get("jump"))
        >>> print(len(jump.contacts), len(jump.flights), jump.pace)
    """

    need: Needed
    """The wrench that the motion needs, frame by frame."""
    world: World
    """What it was found in, with surfaces that were found."""
    contacts: tuple[Contact, ...]
    """In order of time."""
    flights: tuple[Flight, ...]
    """In order of time."""
    unseen: tuple[Unseen, ...]
    """In order of time."""
    near: Mask
    """Patches that are where they could carry (N, K)."""
    gap: Array
    """Of every patch's flesh above what lies below it [m] (N, K)."""
    normal: Array
    """Away from it (N, K, 3)."""
    surface: IntArray
    """Which surface that is; −1: none (N, K)."""
    force: Array
    """Of every patch [weights] (T, K, 3), in frames ``need.rows``."""
    left: Array
    """What no contact explains [weights, moments over the arm] (T, 6)."""
    rest: Mask
    """Patches that are at rest on it, or on the ground's belt (N, K)."""
    pace: float
    """How many times too fast the clip plays, as far as it was found out; 1: right."""

    @cached_property
    def unexplained(self) -> Array:
        """What is left, one number a frame [weights] (T,); moments are as unsure as the inertia of what
        spins."""
        need = self.need
        rows = need.rows
        doubt = 0.3 * need.spin[rows] ** 2 * (0.2 * need.patches.stature) ** 2 / (EARTH * need.arm)
        moment = np.maximum(np.linalg.norm(self.left[:, 3:], axis=1) - doubt, 0.0)
        return np.hypot(np.linalg.norm(self.left[:, :3], axis=1), moment)

    def rests(self, patch: int) -> list[tuple[int, int]]:
        """First and last frame of each time that a patch stands in one place: at rest within a contact on
        something that stays where it is, from where it has come to rest to where it begins to leave.

        Frames are the clip's; those of a loop begin in its own cycle and may go beyond its end.
        """
        need, found = self.need, []
        still = np.linalg.norm(need.velocities[:, patch], axis=1) < need.slow
        for contact in self.contacts:
            if contact.part != need.patches.part[patch] or not contact.surface:
                continue
            surface = self.world[contact.surface]
            if any(surface.velocity) or surface.moves:
                continue
            first, last = contact.start + need.lead, contact.end + need.lead
            down = self.near[first : last + 1, patch] & (self.rest[:, patch] | still)[first : last + 1]
            for a, b in lasting(down, need.dt):
                sure = np.flatnonzero(still[first + a : first + b + 1])
                if len(sure) and (sure[-1] - sure[0]) * need.dt >= BRIEF:
                    found.append((contact.start + a + int(sure[0]), contact.start + a + int(sure[-1])))
        return found

    @cached_property
    def load(self) -> Array:
        """Share of the weight that every patch pushes with (N, K)."""
        size = np.linalg.norm(self.force, axis=2)
        frames = np.arange(self.need.frames)
        return np.stack([np.interp(frames, self.need.rows, c) for c in size.T], axis=1)


def lasting(on: Mask, dt: float) -> list[tuple[int, int]]:
    """First and last index of each stretch of a mask (n,), without gaps and stretches that are noise."""
    joined = np.array(on)
    for a, b in runs(~joined):
        if a > 0 and b < len(joined) - 1 and (b - a) * dt < GAP:
            joined[a : b + 1] = True
    # What the clip's ends cut off may have lasted: half as long is enough there.
    early, late = CUT / dt, len(joined) - 1 - CUT / dt
    least = {False: BRIEF, True: BRIEF / 2}
    return [(a, b) for a, b in runs(joined) if (b - a) * dt >= least[a <= early or b >= late]]
