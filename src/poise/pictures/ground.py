"""How high the floor of a motion lies: where its lowest point rests.

The lowest point of the figure is looked at in every frame; where that point hardly moves, it stands on
something. The floor is the median height of those frames near their lower end: a flight does not raise
it, a step on a box does not, and a foot that dips into the ground for a moment does not lower it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.arrays import Array, IntArray

SLOW = 0.12
"""Speed of a point that stands, in figure sizes per second."""
BAND = 0.03
"""Heights of one floor differ by no more than this part of the figure's size."""
EXACT = 0.006
"""A floor this near to z = 0, as a part of the figure's size, is z = 0."""
_FRAMES = 120
"""Looked at, at the most, to find the floor."""


def floor_height(cloud: Callable[[IntArray], Array], frames: int, rate: float) -> tuple[float, float]:
    """Height of the floor [m] and size of the figure [m].

    ``cloud(frames)`` gives points (K, P, 3) that bound the figure, the same ones in every frame.
    """
    chosen = np.linspace(0, frames - 1, min(_FRAMES, frames)).round().astype(np.int64)
    points = cloud(chosen)
    size = float(np.median(np.ptp(points, axis=1).max(axis=1)))
    below = points[..., 2].argmin(axis=1)  # (K,) the lowest point of each frame
    lowest = points[np.arange(len(chosen)), below]  # (K, 3)
    heights = lowest[:, 2]
    # Over about a thirtieth of a second: noise between frames is no motion.
    step = min(max(1, round(rate / 30)), frames - 1)
    if step < 1:
        return float(heights.min()), size
    later = np.where(chosen + step < frames, chosen + step, chosen - step)
    moved = cloud(later)[np.arange(len(chosen)), below] - lowest
    speed = np.linalg.norm(moved, axis=1) * rate / step
    standing = heights[speed < SLOW * size]
    if len(standing) < max(2, 0.02 * len(chosen)):
        return float(heights.min()), size
    low = float(np.quantile(standing, 0.05))
    if low > float(np.quantile(heights, 0.1)) + BAND * size:
        return float(heights.min()), size  # slow only at the top of a flight
    return float(np.median(standing[standing < low + BAND * size])), size
