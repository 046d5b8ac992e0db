"""A swing out of the plane: the spherical pendulum, r″ = −g ẑ − λ r with λ = (v² − g z)/l².

The right-hand side is a polynomial, so all Taylor coefficients follow from one recurrence of products,

    (k+1) r_{k+1} = v_k,    l² λ_k = Σ v_i·v_{k−i} − g z_k,    (k+1) v_{k+1} = −g ẑ δ_{k0} − Σ λ_i r_{k−i}

Steps are a fixed share of the series' radius of convergence (told by its last coefficients), at which the
terms left out are below rounding. The series is its own dense output: there is no error to choose, and energy
and angular momentum about the vertical stay to some 1e-15 a step. Unlike in spherical coordinates nothing is
singular at the poles.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.methods.key.path.templates.swing import held
from poise.methods.key.path.templates.template import UP, Arc, Motion

MOST = 100_000
"""Steps of a swing."""
ORDER = 24
"""Of the Taylor series of a step."""
SHARE = 10.0 ** (-16 / ORDER)
"""Of the radius of convergence: the last term is then some 1e-16 of the first."""


class SphericalSwing(Arc):
    """A point on a sphere about the pivot."""

    def __init__(self, pivot: Array, reach: Array, velocity: Array, duration: float, gravity: float) -> None:
        self.duration = duration
        self._pivot, self._gravity = pivot, gravity
        self._length = length = float(np.linalg.norm(reach))
        starts: list[float] = []
        series: list[Array] = []
        time, r, v = 0.0, reach, velocity
        while not starts or time < duration:
            c, unit = _series(r, v, length, gravity)
            step = unit * SHARE * _radius(c, length)
            if len(starts) == MOST:
                raise InputError(
                    f"a swing so fast that {duration:g} s of it take more than {MOST:,} steps: give it a "
                    "slower start, a longer reach or less time"
                )
            starts.append(time)
            series.append(c / (unit ** np.arange(ORDER + 1))[:, None])
            time += step
            r, v = _evaluated(series[-1][None], np.array([step]))
            r, v = r[0] * (length / np.linalg.norm(r[0])), v[0]
            v = v - r * (r @ v) / length**2
        self._starts, self._series = np.array(starts), np.stack(series)  # (S,), (S, ORDER + 1, 3)

    def at(self, seconds: Array) -> Motion:
        t = np.asarray(seconds)
        step = np.clip(np.searchsorted(self._starts, t, side="right") - 1, 0, None)
        arm, velocity = _evaluated(self._series[step], t - self._starts[step])
        return Motion(self._pivot + arm, velocity, held(arm, velocity, self._length, self._gravity))


def _series(r0: Array, v0: Array, length: float, gravity: float) -> tuple[Array, float]:
    """Taylor coefficients of r over time in a natural unit (ORDER + 1, 3), and the unit [s]."""
    unit = length / max(float(np.linalg.norm(v0)), math.sqrt(gravity * length))
    g = gravity * unit**2
    r, v, pull = np.zeros((ORDER + 1, 3)), np.zeros((ORDER + 1, 3)), np.zeros(ORDER + 1)
    r[0], v[0] = r0, v0 * unit
    for k in range(ORDER):
        r[k + 1] = v[k] / (k + 1)
        pull[k] = (np.sum(v[: k + 1] * v[k::-1]) - g * r[k, 2]) / length**2
        v[k + 1] = -(pull[: k + 1] @ r[k::-1]) / (k + 1)
        if k == 0:
            v[1] -= g * UP
    return r, unit


def _radius(series: Array, length: float) -> float:
    """Radius of convergence, by the root test on the last coefficients."""
    sizes = np.linalg.norm(series[-4:], axis=1) / length
    powers = np.arange(ORDER - 3, ORDER + 1)
    return float(1 / np.max(np.maximum(sizes, 1e-300) ** (1 / powers)))


def _evaluated(series: Array, t: Array) -> tuple[Array, Array]:
    """Position and velocity (T, 3) of one series per time (T, ORDER + 1, 3), by Horner."""
    s = t[:, None]
    position, velocity = series[:, ORDER], np.zeros_like(series[:, 0])
    for k in range(ORDER - 1, -1, -1):
        velocity = velocity * s + position
        position = position * s + series[:, k]
    return position, velocity
