"""What carries a motion, as data: contacts, flights, supports that nobody sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.ballistics import Parabola
from poise.contacts.differentiated_clip import Mask
from poise.contacts.needed import Needed
from poise.world import World

Manner = Literal["stands", "rolls", "pivots", "slides", "grips", "lies", "pushes"]


@dataclass(frozen=True)
class Touch:
    """One patch of a contact while it touches."""

    patch: str
    start: int
    end: int


@dataclass(frozen=True)
class Contact:
    """A part of a body on a surface. Frames are those of the clip; those of a loop may go beyond its ends."""

    part: str
    """"left foot", "seat", "right hand" …"""
    surface: str
    """Name of the surface; empty: something unseen."""
    start: int
    end: int
    """First and last frame."""
    manner: Manner
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
        own = {k: getattr(self, k) for k in ("part", "surface", "start", "end", "manner", "turn", "load", "way")}
        touches = [{"patch": t.patch, "start": t.start, "end": t.end} for t in self.touches]
        return own | {"gap": self.gap, "sunk": self.sunk, "place": list(self.place), "touches": touches}


@dataclass(frozen=True)
class Flight:
    """A stretch that nothing carries. Frames of the clip."""

    start: int
    end: int
    parabola: Parabola
    """Fitted to the centre of mass."""
    turning: float
    """Change of angular momentum meanwhile, over that of a body of its size at 1 rad/s; there should be none."""


@dataclass(frozen=True)
class Unseen:
    """A stretch in which contacts do not explain the motion. Frames of the clip."""

    start: int
    end: int
    missing: float
    """Mean of what is left [weights]."""
    force: tuple[float, float, float]
    """Mean force that is missing [weights]."""
    nearest: str
    """The part nearest to the line along which it would have to act."""


@dataclass(frozen=True, eq=False)
class Support:
    """What carries a motion."""

    need: Needed
    world: World
    contacts: tuple[Contact, ...]
    flights: tuple[Flight, ...]
    unseen: tuple[Unseen, ...]
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
    pace: float
    """How many times too fast the clip plays, as far as it was found out; 1: right."""

    @cached_property
    def unexplained(self) -> Array:
        """What is left, one number a frame [weights] (T,); moments are as unsure as the inertia of what spins."""
        need = self.need
        rows = need.rows
        doubt = 0.3 * need.spin[rows] ** 2 * (0.2 * need.patches.stature) ** 2 / (9.81 * need.arm)
        moment = np.maximum(np.linalg.norm(self.left[:, 3:], axis=1) - doubt, 0.0)
        return np.hypot(np.linalg.norm(self.left[:, :3], axis=1), moment)

    @cached_property
    def load(self) -> Array:
        """Share of the weight that every patch pushes with (N, K)."""
        size = np.linalg.norm(self.force, axis=2)
        frames = np.arange(self.need.frames)
        return np.stack([np.interp(frames, self.need.rows, c) for c in size.T], axis=1)
