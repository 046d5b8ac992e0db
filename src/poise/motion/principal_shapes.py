"""A motion of many vertices as a mixture of few shapes, with the error of leaving the others out.

The displacements from the first frame, D (F, 3N), have the principal shapes D = Σ_k w_k ⊗ u_k. The first r
are kept, r the least number for which no vertex of any frame is off by more than the tolerance. Where that
takes as many shapes as there are frames, the frames themselves are the shapes, and nothing is lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.errors import InputError

TOLERANCE = 1e-4
"""What may be lost unless told otherwise, as a part of the mesh's size: a hair's breadth on a face."""


class Shapes(NamedTuple):
    """Frames ≈ rest + weights · deltas."""

    rest: Array
    """The first frame, (N, 3)."""
    deltas: Array
    """(r, N, 3) [m]"""
    weights: Array
    """(F, r), each between −1 and 1."""
    error: float
    """The largest distance of a vertex from its place, over all frames [m]."""


def principal_shapes(vertices: Array, tolerance: float) -> Shapes:
    """The shapes of frames (F, N, 3), exact to ``tolerance`` [m]."""
    if not (np.isfinite(tolerance) and tolerance >= 0):
        raise InputError(f"a tolerance must be finite and not negative, not {tolerance} m")
    frames, count = vertices.shape[:2]
    rest = np.array(vertices[0])
    d = (vertices - rest).reshape(frames, -1)  # (F, 3N)
    moving = np.flatnonzero(np.any(d != 0, axis=1))
    if tolerance > 0 and len(moving):
        size, u = np.linalg.eigh(
            d @ d.T
        )  # of the small Gram matrix; rounding is far below any tolerance here
        u = u[:, ::-1][:, : int(np.count_nonzero(size > 1e-14 * size[-1]))]
        basis = u.T @ d  # (R, 3N)

        def error(r: int) -> float:
            left = (d - u[:, :r] @ basis[:r]).reshape(frames, count, 3)
            return float(np.sqrt(np.einsum("fvi,fvi->fv", left, left).max()))

        low, high = 0, len(basis)
        if error(high) <= tolerance:
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if error(middle) <= tolerance else (middle + 1, high)
            if high < len(moving):
                scale = np.abs(u[:, :high]).max(axis=0, initial=0.0)
                deltas = (basis[:high] * scale[:, None]).reshape(high, count, 3)
                return Shapes(rest, deltas, u[:, :high] / scale, error(high))
    weights = np.zeros((frames, len(moving)))
    weights[moving, np.arange(len(moving))] = 1.0
    return Shapes(rest, d[moving].reshape(len(moving), count, 3), weights, 0.0)
