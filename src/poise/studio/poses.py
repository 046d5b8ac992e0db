"""Poses for the browser: where every body is in every frame, so that scrubbing asks nobody.

Per frame and body seven 32-bit floats: position [m] and quaternion, **x y z w** as graphics programs have it.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.manifold import so3

STRIDE = 7
"""Numbers of a place."""


def placed(positions: Array, rotations: Array) -> Array:
    """Places (F, n, 7) of bodies from positions (F, n, 3) and rotation matrices (F, n, 3, 3)."""
    turns = so3.from_matrix(rotations)  # (F, n, 4) wxyz
    return np.concatenate([positions, turns[..., 1:], turns[..., :1]], axis=-1)
