"""Springs that follow a sampled signal, as weights of its samples: exact, and without history.

What trails a signal u(t) on a spring and a damper has the displacement d from it with

    d̈ + 2ζω ḋ + ω² d = −ü ,   d = ḋ = 0 at t − δ .

Between frames u is the C¹ cubic through its samples, so ü is linear in time and every segment is one matrix
exponential. As all this is linear in the samples, the displacement at t is a weighted sum of them,

    d(t) = Σ_k c_k u_k ,

with one set of weights for all signals and all frames: the same numbers whatever else is computed, nothing
before t − δ but the slope there, and no step of a simulation that would damp what it should not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, frozen


class Taps(NamedTuple):
    """Weights of samples: the first belongs to frame n + first, n the frame at or before the time."""

    first: int
    value: Array
    """Weights that give d, (K,)."""
    rate: Array
    """Weights that give ḋ [1/s], (K,)."""


@lru_cache(maxsize=512)
def taps(omega: float, damping: float, frames: float, dt: float, part: float = 0.0) -> Taps:
    """Weights for a spring of ω [rad/s] and damping ratio ζ.

    The window is ``frames`` long, counted in frames of ``dt`` [s]; the time lies ``part`` of a frame after
    frame n.
    """
    begin = part - frames
    low = int(np.floor(begin)) - 1
    high = int(np.ceil(part)) + 1
    state = np.zeros((2, high - low + 1))  # (d, ḋ) as weights of samples
    at = begin
    while at < part - 1e-12:
        k = int(np.floor(at + 1e-9))
        after = min(k + 1.0, part)
        step = (after - at) * dt
        here, there = (_bend(x - k) / dt**2 for x in (at, after))
        hold, enter, leave = _segment(omega, damping, step)
        state = hold @ state
        span = slice(k - 1 - low, k + 3 - low)
        state[:, span] -= np.outer(enter, here) + np.outer(leave, there)
        at = after
    return Taps(low, frozen(state[0]), frozen(state[1]))


def _bend(s: float) -> Array:
    """u'' of the cubic at s ∈ [0, 1] between frames k and k + 1, as weights of u_{k−1} … u_{k+2}, (4,)."""
    leave, arrive, chord = 6 * s - 4, 6 * s - 2, 12 * s - 6
    return np.array([-leave / 2, chord - arrive / 2, leave / 2 - chord, arrive / 2])


@lru_cache(maxsize=512)
def _segment(omega: float, damping: float, step: float) -> tuple[Array, Array, Array]:
    """Transition over a segment (2, 2); what pushes add that fall from 1 to 0, or grow from 0 to 1, (2,)."""
    from scipy.linalg import expm

    m = np.zeros((4, 4))  # d, ḋ, the push and its growth per segment
    m[0, 1], m[1, 0], m[1, 1], m[1, 2] = 1.0, -(omega**2), -2 * damping * omega, 1.0
    m[2, 3] = 1.0 / step
    e = expm(m * step)
    return e[:2, :2], e[:2, 2] - e[:2, 3], e[:2, 3]
