"""Vertices of a soft body in their places: moved by modes, bent by derivatives, carried by the bone."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.compilation import kernel

BLOCK = 128
"""Points that are moved together: their fields stay in the nearest cache from frame to frame."""


@kernel()
def place_points(
    first: int,
    last: int,
    q: Any,
    bending: Any,
    rest: Any,
    modes: Any,
    bends: Any,
    rotations: Any,
    positions: Any,
    out: Any,
) -> None:
    """out (F, P, 3): points in the world. q (F, m); rest (3, P), modes (m, 3, P), bends (r, 3, P)."""
    m, b, r, points = q.shape[1], bending.shape[1], bends.shape[0], rest.shape[1]
    share = np.zeros((last - first, m + r))
    for f in range(first, last):
        share[f - first, :m] = q[f]
        for k in range(r):
            for i in range(b):
                for j in range(b):
                    share[f - first, m + k] += 0.5 * bending[k, i, j] * q[f, i] * q[f, j]
    local, fields = np.empty((3, BLOCK)), np.zeros((m + r, 3, BLOCK))
    for start in range(0, points, BLOCK):
        count = min(BLOCK, points - start)
        for i in range(3):
            for k in range(m):
                fields[k, i, :count] = modes[k, i, start : start + count]
            for k in range(r):
                fields[m + k, i, :count] = bends[k, i, start : start + count]
        for f in range(first, last):
            for i in range(3):
                local[i, :count] = rest[i, start : start + count]
            for k in range(m + r):
                w = share[f - first, k]
                for i in range(3):
                    for p in range(BLOCK):
                        local[i, p] += w * fields[k, i, p]
            R, at = rotations[f], positions[f]
            for p in range(count):
                x, y, z = local[0, p], local[1, p], local[2, p]
                for i in range(3):
                    out[f, start + p, i] = at[i] + R[i, 0] * x + R[i, 1] * y + R[i, 2] * z
