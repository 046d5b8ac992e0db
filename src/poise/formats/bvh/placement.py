"""Where joints are, level by level: x_i = x_p + R_p t_i, R_i = R_p r_i. For guesses on a few frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.manifold import so3


def place(parents: Sequence[int], translations: Array, rotations: Array) -> tuple[Array, Array]:
    """World positions (S, n, 3) and quaternions (S, n, 4) from local translations and quaternions."""
    positions, turns = np.array(translations), np.array(rotations)
    levels: dict[int, list[int]] = {}
    depth: list[int] = []
    for i, up in enumerate(parents):
        depth.append(depth[up] + 1 if up >= 0 else 0)
        levels.setdefault(depth[-1], []).append(i)
    above = np.asarray(parents)
    for level in range(1, len(levels)):
        here, over = levels[level], above[levels[level]]
        positions[:, here] = positions[:, over] + so3.rotate(turns[:, over], translations[:, here])
        turns[:, here] = so3.multiply(turns[:, over], rotations[:, here])
    return positions, turns


def sample(frames: int, most: int = 24) -> Array:
    """Indices of at most so many frames, evenly spread."""
    return np.unique(np.linspace(0, frames - 1, min(frames, most)).round().astype(np.int64))
