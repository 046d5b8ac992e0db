"""Pendulum: the centre of mass hangs from a pivot, without friction.

The length is the distance from the pivot to the start; the velocity at the start must be along the sphere
about the pivot, and whatever points along the arm is dropped. A start above the pivot, or a velocity that
carries over the top, makes it an inverted pendulum. The end key goes where the pendulum is at its time.

If the start and its velocity lie in one vertical plane through the pivot, the swing stays in it and is a
closed form (``swing``); otherwise it is a spherical pendulum (``spherical``). Without gravity it goes evenly
round a great circle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.errors import InputError
from poise.methods.key.path.templates.spherical import SphericalSwing
from poise.methods.key.path.templates.swing import Swing
from poise.methods.key.path.templates.template import UP, Arc, Given, Template

PLANAR = 1e-12
"""Turning about the vertical, over length × speed, below which a swing counts as planar."""
SHORTEST = 1e-9
"""Shortest pendulum [m]: below it lies rounding."""


@dataclass(frozen=True)
class Pendulum(Template):
    """A swing about a pivot; it ends where it ends."""

    kind: ClassVar[str] = "pendulum"
    label: ClassVar[str] = "the pendulum"
    takes_start_velocity: ClassVar[bool] = True
    moves_end: ClassVar[bool] = True
    pivot: ArrayLike
    """World place [m], (3,)."""

    def __post_init__(self) -> None:
        pivot = checked(self.pivot, "pivot of a pendulum", (3,))
        object.__setattr__(self, "pivot", tuple(float(x) for x in pivot))

    def arc(self, given: Given) -> Arc:
        reach, pivot = self._reach(given), np.asarray(self.pivot)
        velocity = np.zeros(3) if given.start_velocity is None else self.admitted(given.start_velocity, given)
        length, speed = float(np.linalg.norm(reach)), float(np.linalg.norm(velocity))
        if given.gravity == 0:
            side = velocity / speed if speed > 0 else np.zeros(3)
            return Swing(
                pivot, reach, velocity, down=reach / length, side=side, duration=given.duration, gravity=0.0
            )
        turning = reach[0] * velocity[1] - reach[1] * velocity[0]
        if abs(turning) > PLANAR * length * speed:
            return SphericalSwing(pivot, reach, velocity, given.duration, given.gravity)
        # The plane's horizontal direction, from whichever of arm and velocity tells it better.
        arm, pace = reach / length, velocity / speed if speed > 0 else np.zeros(3)
        side = max(
            (arm - arm[2] * UP, pace - pace[2] * UP, 1e-15 * np.array([1.0, 0, 0])), key=np.linalg.norm
        )
        side = side / np.linalg.norm(side)
        return Swing(
            pivot, reach, velocity, down=-UP, side=side, duration=given.duration, gravity=given.gravity
        )

    def admitted(self, velocity: Array, given: Given) -> Array:
        """The velocity without its part along the arm."""
        reach = self._reach(given)
        arm = reach / np.linalg.norm(reach)
        return velocity - arm * float(arm @ velocity)

    def _reach(self, given: Given) -> Array:
        reach = given.start - np.asarray(self.pivot)
        if np.linalg.norm(reach) < SHORTEST:
            raise InputError(f"a pendulum of no length: its pivot {_place(self.pivot)} is where it starts")
        return reach


def _place(x: ArrayLike) -> str:
    return "(" + ", ".join(f"{v:g}" for v in np.asarray(x)) + ") m"
