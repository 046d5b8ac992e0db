"""Frames in groups of eight: from rows of a batch to lane arrays and back.

The last group is filled up with copies of the last frame, so every state runs through the same
instructions wherever it stands in whatever batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.compilation import kernel
from poise.dynamics.lanes import NARROW, WIDTH


@kernel(inline=True)
def lane_rows(rows: int) -> Any:
    """An uninitialised lane array (rows, 8) whose rows each fill one cache line."""
    raw = np.empty((rows + 1) * WIDTH)
    shift = (-raw.ctypes.data % 64) // 8
    return raw[shift : shift + rows * WIDTH].reshape(rows, WIDTH)


@kernel(inline=True)
def rows_like(lanes: Any, rows: int) -> Any:
    """The same, or a narrow one (rows, 1, 4) where ``lanes`` is such an array."""
    if lanes.ndim == 2:
        return lane_rows(rows)
    raw = np.empty((rows + 2) * NARROW)
    shift = (-raw.ctypes.data % 64) // 8
    return raw[shift : shift + rows * NARROW].reshape(rows, 1, NARROW)


@kernel(inline=True)
def gather(frames: Any, group: int) -> Any:
    """A group of the frames (F, n) as lanes (n, 8); no frames at all give no rows."""
    count, n = frames.shape
    first = group * WIDTH
    lanes = lane_rows(n if count > 0 else 0)
    for lane in range(WIDTH if count > 0 else 0):
        frame = min(first + lane, count - 1)
        for k in range(n):
            lanes[k, lane] = frames[frame, k]
    return lanes


@kernel(inline=True)
def scatter(lanes: Any, group: int, frames: Any) -> None:
    """Lanes (n, 8) back into their group of the frames (F, n), copies dropped."""
    count, n = frames.shape
    first = group * WIDTH
    for lane in range(min(WIDTH, count - first)):
        for k in range(n):
            frames[first + lane, k] = lanes[k, lane]
