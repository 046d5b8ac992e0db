"""Least squares of rows that each reach over a few neighbours: banded normal equations, O(n)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solveh_banded

from poise.arrays import Array


class BandedSquares:
    """Σ_r |a_r · s_{r … r+w} − b_r|² of s (n, …) with rows of at most ``reach`` + 1 entries."""

    def __init__(self, n: int, reach: int) -> None:
        self._band = np.zeros((reach + 1, n))  # (k, i): entry (i + k, i) of the normal matrix
        self._right: Array | None = None

    def add(self, row: Array, target: Array, first: int = 0) -> None:
        """Rows (m, w), or one (w,) for all, that begin at first, first + 1 …, and what each is to be."""
        m, width = len(target), row.shape[-1]
        rows = np.broadcast_to(row, (m, width))
        if self._right is None:
            self._right = np.zeros((self._band.shape[1], *target.shape[1:]))
        for i in range(width):
            at = slice(first + i, first + i + m)
            self._right[at] += (rows[:, i] * target.T).T
            for k in range(width - i):
                self._band[k, at] += rows[:, i] * rows[:, i + k]

    def least(self) -> Array:
        """s (n, …)."""
        assert self._right is not None
        return np.asarray(solveh_banded(self._band, self._right, lower=True))
