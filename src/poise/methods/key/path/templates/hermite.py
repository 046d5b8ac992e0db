"""Hermite: the cubic with given position and velocity at both ends.

    x(s) = h₀₀ C_s + h₁₀ ΔT V_s + h₀₁ C_e + h₁₁ ΔT V_e,    s = t/ΔT

It obeys no physics: it leads from one template to the next, C¹, and is what a transition on the ground is
made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.methods.key.path.templates.template import Arc, Given, Motion, Template

_POWERS = np.array([[1.0, 0, -3, 2], [0, 1, -2, 1], [0, 0, 3, -2], [0, 0, -1, 1]])


class Cubic(Arc):
    """Both ends as given."""

    def __init__(self, given: Given, start_velocity: Array, end_velocity: Array) -> None:
        self.duration = given.duration
        # Relative to the start, so that a far-away path loses no digits and the start is met to the bit.
        self._start = given.start
        rise = given.end - given.start
        ends = np.stack([0 * rise, start_velocity * self.duration, rise, end_velocity * self.duration])
        self._c = _POWERS.T @ ends  # (4, 3) coefficients of 1, s, s², s³

    def at(self, seconds: Array) -> Motion:
        s, h, c = (np.asarray(seconds) / self.duration)[:, None], self.duration, self._c
        position = self._start + s * (c[1] + s * (c[2] + s * c[3]))
        velocity = (c[1] + s * (2 * c[2] + s * 3 * c[3])) / h
        return Motion(position, velocity, (2 * c[2] + 6 * s * c[3]) / h**2)


@dataclass(frozen=True)
class Hermite(Template):
    """A smooth way between two keys."""

    kind: ClassVar[str] = "hermite"
    label: ClassVar[str] = "the Hermite curve"
    takes_start_velocity: ClassVar[bool] = True
    takes_end_velocity: ClassVar[bool] = True

    def arc(self, given: Given) -> Cubic:
        rest = np.zeros(3)
        start = rest if given.start_velocity is None else given.start_velocity
        end = rest if given.end_velocity is None else given.end_velocity
        return Cubic(given, start, end)
