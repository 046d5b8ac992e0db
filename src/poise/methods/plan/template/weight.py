"""Where the centre of mass must go so that the ground can carry it.

Moments about the centre of pressure p, at height h, of a body whose centre of mass is c at height z:

    (z̈ + g) (c − p) − (z − h) c̈ = ℓ / m        in x and y alike,

ℓ being what limbs add by turning (the rate of angular momentum about c). Given p, z and ℓ it is a linear
equation for c over the whole motion, at rest in the beginning and in the end: tridiagonal in frames, with no
step that could run away. In flight z̈ = −g, and it says that c goes straight on.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from poise.arrays import Array
from poise.gravity import EARTH


def carried_path(pressure: Array, height: Array, ground: Array, turning: Array, dt: float) -> Array:
    """Horizontal places of the centre of mass (F, 2) [m].

    ``pressure`` (F, 2) [m], ``height`` of the centre of mass and of the ground (F,) [m], ``turning`` ℓ/m
    (F, 2) [m²/s²], frames dt apart.
    """
    frames = len(pressure)
    push = np.empty(frames)
    push[1:-1] = np.diff(height, 2) / dt**2
    push[0], push[-1] = push[1], push[-2]
    push = np.maximum(push + EARTH, 0.0)
    lever = np.maximum(height - ground, 1e-3) / dt**2
    band = np.zeros((3, frames))
    band[1] = push + 2 * lever
    band[0, 1:] = -lever[:-1]
    band[2, :-1] = -lever[1:]
    for k in (0, -1):  # at rest: as if it had stood there before, and went on standing
        band[1, k] -= lever[k]
    return np.asarray(solve_banded((1, 1), band, push[:, None] * pressure + turning))
