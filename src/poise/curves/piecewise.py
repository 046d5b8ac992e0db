"""Bases made of cubic pieces between breaks, with few functions alive on each piece.

On piece i, with s = (t − b_i)/h_i ∈ [0, 1]:   φ_k(t) = Σ_p pieces[i, a, p] s^p   for k = columns[i, a]
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.curves.basis import Basis, checked_query, sparse

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# A time that misses the end of the span by less than this part of it counts as the end: frame times and key
# times that mean the same instant may differ in their last bits, and the curve may jump to zero there.
ROUND_OFF = 1e-9


@dataclass(frozen=True, eq=False)
class Pieces:
    """The polynomials of a piecewise cubic basis."""

    breaks: Array  # (n + 1,) [s] strictly increasing
    columns: IntArray  # (n, active) which function; −1: none
    powers: Array  # (n, active, 4) coefficients of s^0 … s^3


class PiecewiseCubics(Basis):
    """A basis that is told by its pieces."""

    @property
    @abstractmethod
    def pieces(self) -> Pieces:
        """The polynomials between breaks; for periodic bases, of one period."""

    @property
    def span(self) -> tuple[float, float]:
        """From the first break to the last."""
        return float(self.pieces.breaks[0]), float(self.pieces.breaks[-1])

    def matrix(self, times: ArrayLike, derivative: int = 0) -> csr_matrix:
        """(T, K): each function, or its derivative, at each time; only functions alive there are computed."""
        t = checked_query(times, derivative)
        pieces = self.pieces
        rows, local = lived(t, *self.span, self.period)
        index = np.searchsorted(pieces.breaks, local, side="right") - 1
        index = np.clip(index, 0, len(pieces.columns) - 1)
        length = np.diff(pieces.breaks)[index]
        s = (local - pieces.breaks[index]) / length
        values = _horner(pieces.powers[index], s, derivative) / length[:, None] ** derivative
        columns = pieces.columns[index]  # (T', active)
        alive = columns >= 0
        row_of_entry = np.broadcast_to(rows[:, None], columns.shape)
        return sparse(row_of_entry[alive], columns[alive], values[alive], (len(t), self.size))


def lived(t: Array, start: float, end: float, period: float | None) -> tuple[IntArray, Array]:
    """Which of the times t (T,) a curve lives at, (T',), and where within it they are: its ends hold what is
    beyond them by rounding, a period wraps."""
    if period is not None:
        return np.arange(len(t)), start + np.mod(t - start, period)
    slack = ROUND_OFF * (end - start)
    rows = np.flatnonzero((t >= start - slack) & (t <= end + slack))
    return rows, np.clip(t[rows], start, end)


def _horner(powers: Array, s: Array, derivative: int) -> Array:
    """(T, active): derivatives in s of polynomials (T, active, 4)."""
    value = np.zeros(powers.shape[:2])
    for p in range(3, derivative - 1, -1):
        factor = np.prod(np.arange(p - derivative + 1, p + 1))
        value = value * s[:, None] + factor * powers[:, :, p]
    return value
