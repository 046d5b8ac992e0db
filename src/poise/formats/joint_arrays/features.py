"""HumanML3D's feature vectors, 263 numbers a frame (KIT: 251): positions of joints in them.

    0        turn of the root about y, half the angle per frame [rad]
    1, 2     velocity of the root over the ground (x, z) in its own heading [m/frame]
    3        height of the root [m]
    4 …      positions of the other joints about the root's place on the ground, in its heading, 3 (J − 1)
    …        rotations, velocities and contacts, which are not needed

With half angles summed to α, what is in the root's heading is turned by −2α about y into the world.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array


def joints_of_features(features: Array, joints: int) -> Array:
    """Positions (F, J, 3) [m], y up."""
    frames = len(features)
    half = np.zeros(frames)
    half[1:] = np.cumsum(features[:-1, 0])
    turn = _about_y(-2.0 * half)  # (F, 3, 3)
    step = np.zeros((frames, 3))
    step[1:, [0, 2]] = features[:-1, 1:3]
    root = np.cumsum(np.einsum("fij,fj->fi", turn, step), axis=0)
    root[:, 1] = features[:, 3]
    local = features[:, 4 : 4 + 3 * (joints - 1)].reshape(frames, joints - 1, 3)
    rest = np.einsum("fij,fkj->fki", turn, local)
    rest[:, :, [0, 2]] += root[:, None, [0, 2]]
    return np.concatenate([root[:, None], rest], axis=1)


def _about_y(angle: Array) -> Array:
    c, s, o, z = np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)
    return np.stack([c, z, s, z, o, z, -s, z, c], axis=1).reshape(-1, 3, 3)
