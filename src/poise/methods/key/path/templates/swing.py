"""A swing in a plane, in closed form. θ is the angle from hanging straight down, Ω = √(g/l).

    θ″ = −Ω² sin θ,    a² = (θ′/2)² + Ω² sin²(θ/2)   constant

    to and fro, a < Ω:      sin θ/2 = k sn(Ωt + u₀),   cos θ/2 = dn,   θ′ = 2Ωk cn,    k = a/Ω
    over the top, a > Ω:    sin θ/2 = sn(at + u₀),     cos θ/2 = cn,   θ′ = 2a dn,     k = Ω/a

Between the two lies the separatrix, a = Ω, which reaches the top in infinite time; both forms have the same
limit there. k′² = 1 − k² comes from (Ω cos θ₀/2)² − (θ₀′/2)², factored, so that a start near the top keeps
its digits. sn² + cn² = dn² + k² sn² = 1 hold to rounding, hence the energy does, at any time.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.methods.key.path.templates.elliptic import incomplete, jacobi
from poise.methods.key.path.templates.template import UP, Arc, Motion


class Swing(Arc):
    """A point on a circle about the pivot: r = l (down cos θ + side sin θ)."""

    def __init__(
        self,
        pivot: Array,
        reach: Array,
        velocity: Array,
        *,
        down: Array,
        side: Array,
        duration: float,
        gravity: float,
    ) -> None:
        self.duration = duration
        self._pivot, self._down, self._gravity = pivot, down, gravity
        self._length = length = float(np.linalg.norm(reach))
        angle = math.atan2(float(reach @ side), float(reach @ down))
        along = side * math.cos(angle) - down * math.sin(angle)
        rate = float(velocity @ along) / length
        sign = -1.0 if rate < 0 else 1.0  # always swing towards +side
        self._side = sign * side
        self._omega = omega = math.sqrt(gravity / length)
        half, s0, c0 = abs(rate) / 2, sign * math.sin(angle / 2), math.cos(angle / 2)
        self._pace = pace = math.hypot(half, omega * s0)  # a
        gap = (omega * c0 - half) * (omega * c0 + half)  # Ω² − a²
        self._over = gap < 0 or omega == 0
        if self._over:
            self._m1 = -gap / pace**2 if pace > 0 else 1.0
            self._u0 = incomplete(s0, c0, self._m1)
        else:
            self._m1 = gap / omega**2
            still = pace == 0
            sine, cosine = (0.0, 1.0) if still else (omega * s0 / pace, half / pace)
            self._u0 = incomplete(sine, cosine, self._m1)

    def at(self, seconds: Array) -> Motion:
        t = np.asarray(seconds)
        if self._over:
            sn, cn, dn = jacobi(self._pace * t + self._u0, self._m1)
            half_sine, half_cosine, rate = sn, cn, 2 * self._pace * dn
        else:
            sn, cn, dn = jacobi(self._omega * t + self._u0, self._m1)
            k = self._pace / self._omega
            half_sine, half_cosine, rate = k * sn, dn, 2 * self._pace * cn
        sine, cosine = (2 * half_sine * half_cosine)[:, None], (1 - 2 * half_sine**2)[:, None]
        arm = self._length * (cosine * self._down + sine * self._side)
        velocity = self._length * rate[:, None] * (cosine * self._side - sine * self._down)
        return Motion(self._pivot + arm, velocity, held(arm, velocity, self._length, self._gravity))


def held(arm: Array, velocity: Array, length: float, gravity: float) -> Array:
    """Acceleration of a point held at a distance from its pivot: −g ẑ − λ r, λ = (v² − g z)/l², (T, 3)."""
    pull = (np.sum(velocity**2, axis=1) - gravity * arm[:, 2]) / length**2
    acceleration: Array = -gravity * UP - pull[:, None] * arm
    return acceleration
