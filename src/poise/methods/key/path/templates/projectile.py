"""Projectile: only gravity acts, so x(t) = C_s + V_s t − ½ g t² ẑ.

* **I** takes both places and the time of flight: V_s = (C_e − C_s)/ΔT + ½ g ΔT ẑ. A longer interval is a
  higher arc.
* **II** takes the take-off velocity, and puts the landing where the arc is at the end of the interval.
  Without a velocity it starts as I would, so that changing from I to II changes nothing until the velocity is
  touched.
* **III** takes both places and the height H of the apex. Such an arc lasts

      t_e′ − t_s = √(2 (H − z_s)/g) + √(2 (H − z_e)/g)

  and no other time. Keys that leave another time are a hint, not an error: until they are moved
  (``Path.fixed`` does it) the arc is that of I, which meets both keys at their times but has its apex at
  another height.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.methods.key.path.templates.template import UP, Arc, Given, Motion, Template


class Ballistic(Arc):
    """Free flight from the start with velocity V_s."""

    def __init__(self, start: Array, velocity: Array, duration: float, gravity: float) -> None:
        self.duration = duration
        self._start, self._velocity = start, velocity
        self._acceleration = np.array([0.0, 0.0, -gravity])

    def at(self, seconds: Array) -> Motion:
        t, a = np.asarray(seconds)[:, None], self._acceleration
        position = self._start + t * (self._velocity + 0.5 * t * a)
        return Motion(position, self._velocity + t * a, np.broadcast_to(a, position.shape).copy())


def _between(given: Given) -> Array:
    """The take-off velocity that is at both places in time, (3,)."""
    return (given.end - given.start) / given.duration + 0.5 * given.gravity * given.duration * UP


@dataclass(frozen=True)
class ProjectileI(Template):
    """Free flight between two places in the time the keys leave."""

    kind: ClassVar[str] = "projectile_1"
    label: ClassVar[str] = "the projectile"

    def arc(self, given: Given) -> Ballistic:
        return Ballistic(given.start, _between(given), given.duration, given.gravity)


@dataclass(frozen=True)
class ProjectileII(Template):
    """Free flight with a given take-off; it lands where it lands."""

    kind: ClassVar[str] = "projectile_2"
    label: ClassVar[str] = "the projectile"
    takes_start_velocity: ClassVar[bool] = True
    moves_end: ClassVar[bool] = True

    def arc(self, given: Given) -> Ballistic:
        velocity = self.own_velocity(given) if given.start_velocity is None else given.start_velocity
        return Ballistic(given.start, velocity, given.duration, given.gravity)

    def own_velocity(self, given: Given) -> Array:
        return _between(given)


@dataclass(frozen=True)
class ProjectileIII(Template):
    """Free flight between two places with its apex at a height."""

    kind: ClassVar[str] = "projectile_3"
    label: ClassVar[str] = "the projectile"
    height: float
    """z of the apex [m]."""

    def __post_init__(self) -> None:
        number = isinstance(self.height, int | float | np.number) and not isinstance(self.height, bool)
        if not (number and math.isfinite(self.height)):
            raise InputError(f"height of a projectile must be a finite number of metres, not {self.height!r}")
        object.__setattr__(self, "height", float(self.height))

    def arc(self, given: Given) -> Ballistic:
        self.wanted_duration(given)  # says what is impossible
        return Ballistic(given.start, _between(given), given.duration, given.gravity)

    def wanted_duration(self, given: Given) -> float:
        if given.gravity == 0:
            raise InputError("without gravity a projectile has no apex: use Projectile I or II")
        up, down = self.height - given.start[2], self.height - given.end[2]
        if up < 0 or down < 0:
            which, z = ("start", given.start[2]) if up <= down else ("end", given.end[2])
            raise InputError(
                f"the apex at {self.height:g} m lies below the {which} of the arc at {z:g} m: raise it"
            )
        if up == 0 and down == 0:
            raise InputError(
                f"an apex at the height of both ends, {self.height:g} m, leaves no time of flight: raise it"
            )
        rising, falling = math.sqrt(2 * up / given.gravity), math.sqrt(2 * down / given.gravity)
        if math.isclose(given.duration, abs(rising - falling), abs_tol=1e-9):
            return given.duration  # a part of the arc, before its apex or after it
        return rising + falling
