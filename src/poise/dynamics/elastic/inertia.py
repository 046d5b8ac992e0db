"""What a moving bone does to what is fixed to it: inertial forces in the bone's own frame.

With r = x + u in a frame that turns with ω and whose origin accelerates with a, a mass dm feels

    −dm (ü + 2 ω×u̇ + α×r + S r + s),     s = Rᵀ(a − g),   S = ω ωᵀ − |ω|² 1

The last three are linear in twelve numbers, the *drive* (s, α, S), which is all that a soft body knows of the
skeleton; the second is Coriolis's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array

CHANNELS = 12
"""s, α and the six entries of S."""
SYMMETRIC = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""The entries of S in the order of the drive."""


class Drive(NamedTuple):
    """A bone's motion between neighbouring times, in its own axes: means over each step."""

    channels: Array
    """s [m/s²], α [rad/s²], S (xx, yy, zz, xy, xz, yz) [rad²/s²], (K, 12)."""
    spin: Array
    """ω [rad/s], (K, 3)."""


def drive_of(rotations: Array, velocities: Array, spins: Array, h: float, gravity: Array) -> Drive:
    """The drive between rows h [s] apart of a bone's rotations (K + 1, 3, 3), velocities, spins (K + 1, 3).

    Accelerations are means over a step, changes of velocity divided by its length: what a body feels over a
    step depends on the change alone, however abrupt it is in between.
    """
    pull = np.diff(velocities, axis=0) / h - gravity
    turned = np.einsum("kji,kj->ki", rotations, spins)  # ω in the bone's axes
    s = 0.5 * (np.einsum("kji,kj->ki", rotations[:-1], pull) + np.einsum("kji,kj->ki", rotations[1:], pull))
    spin = 0.5 * (turned[1:] + turned[:-1])
    squares = np.stack([spin[:, i] * spin[:, j] for i, j in SYMMETRIC], axis=1)
    squares[:, :3] -= (spin * spin).sum(axis=1, keepdims=True)
    return Drive(np.concatenate([s, np.diff(turned, axis=0) / h, squares], axis=1), spin)


def fields(places: Array) -> Array:
    """Accelerations of masses at places (n, 3) for a unit of each channel, (12, n, 3)."""
    out = np.zeros((CHANNELS, len(places), 3))
    for k in range(3):
        axis = np.eye(3)[k]
        out[k] = axis
        out[3 + k] = np.cross(axis, places)
    for c, (i, j) in enumerate(SYMMETRIC):
        out[6 + c, :, i] += places[:, j]
        if i != j:
            out[6 + c, :, j] += places[:, i]
    return out
