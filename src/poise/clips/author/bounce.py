"""The centre of mass of a gait that flies: parabolas, and between them a push along the line to it.

The ground pushes from a point p that goes from heel to toes. A force that points at the centre of mass c has
no moment about it, so in stance

    c̈ = f (c − p) / c_z,        f = c̈_z + g the push upwards,

and in flight c̈ = −g ẑ. The height is written down; what is left is linear in c, and has one periodic
solution: where the body is over its feet, how it brakes and is driven on, how far it sways.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.clips.author.channels import quintic
from poise.gravity import EARTH


@dataclass(frozen=True)
class Bounce:
    """One step on N instants: stance, then flight."""

    time: Array
    """Since touch-down [s] (N,)."""
    height: Array
    """Of the centre of mass over its height at touch-down [m] (N,)."""
    push: Array
    """Of the ground upwards, over the mass [m/s²] (N,)."""

    def driven(self, level: Array, pressure: Array, speed: float) -> Array:
        """The way along (N,) [m] of a centre of mass at heights ``level`` over a ``pressure`` point that
        stands in stance (N,); it goes on with a mean ``speed`` from step to step."""
        pull = self.push / level
        return speed * self.time + self._solved(pull, pull * (speed * self.time - pressure), 1.0)

    def swayed(self, level: Array, pressure: Array) -> Array:
        """The way aside (N,) [m]: with the next step it is the other way round."""
        pull = self.push / level
        return self._solved(pull, -pull * pressure, -1.0)

    def _solved(self, pull: Array, given: Array, sign: float) -> Array:
        """u with ü = pull u + given, and u(T) = sign u(0)."""
        n, dt = len(pull), float(self.time[1] - self.time[0])
        second = np.zeros((n, n))
        at = np.arange(n)
        second[at, at] = -2.0
        second[at[:-1], at[1:]] = second[at[1:], at[:-1]] = 1.0
        second[0, -1] = second[-1, 0] = sign
        return np.asarray(np.linalg.solve(second / dt**2 - np.diag(pull), given), dtype=np.float64)


def bounced(count: int, duration: float, carried: float) -> Bounce:
    """A step of ``duration`` [s] that is carried for its first ``carried`` seconds, on ``count`` instants."""
    t = np.arange(count) / count * duration
    leave = 0.5 * EARTH * (duration - carried)
    inside = np.minimum(t, carried)
    stance = quintic(inside, carried, (0.0, -leave, -EARTH), (0.0, leave, -EARTH))
    since = t - carried
    flight = leave * since - 0.5 * EARTH * since**2
    height = np.where(t < carried, stance, flight)
    bend = np.gradient(np.gradient(np.concatenate([height] * 3), t[1]), t[1])[count : 2 * count]
    return Bounce(t, height, np.where(t < carried, np.maximum(bend + EARTH, 0.0), 0.0))
