"""Displacement curves on a grid of frames: which keys act where, and the band that their unknowns form.

Unknowns stand key by key in the order of time (folded for loops), as in adaptation. Rows of this method feel
up to three neighbouring frames of the grid, so up to five keys; frames between the same two keys form a
*stretch*, whose rows are summed as one dense block before they go into the band.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.contacts.differentiated_clip import Mask
from poise.curves import BSpline, TangentCurve


@dataclass(frozen=True, eq=False)
class Stretch:
    """Frames of the grid between the same two keys."""

    frames: IntArray
    keys: IntArray
    """Keys felt by them and the two frames that follow (B,)."""
    place: IntArray
    """Where these stand among the unknowns, in blocks; −1: they do not move (B,)."""


class GridKeys:
    """Cubic B-splines of some degrees of freedom, seen at frames of a grid; some keys may be kept from
    moving."""

    def __init__(self, basis: BSpline, dofs: IntArray, times: Array, free: Mask | None = None) -> None:
        self.basis, self.dofs, self.loop = basis, dofs, basis.periodic
        self.size, self.count = len(dofs), basis.size
        self.columns, self.weights, self.bends = _stencil(basis, times)
        """Keys alive at each frame, their values and second derivatives (G, 4)."""
        self.free: Mask = np.ones(self.count, bool) if free is None else free
        order = _order(basis)
        order = order[self.free[order]]
        self.place: IntArray = np.full(self.count, -1)
        """Of each key among those that move, −1: it stays (K,)."""
        self.place[order] = np.arange(len(order))

    def stencil(self, times: Array) -> tuple[IntArray, Array]:
        """Keys alive at times, and their values there (T, 4)."""
        return _stencil(self.basis, times)[:2]

    def curve(self, c: Array, nv: int) -> TangentCurve:
        """Coefficients (K, m) as a curve of the character."""
        full, mask = np.zeros((self.count, nv)), np.zeros(nv, bool)
        full[:, self.dofs], mask[self.dofs] = c, True
        return TangentCurve(self.basis, full, mask)

    @property
    def unknowns(self) -> int:
        """n."""
        return int(self.free.sum()) * self.size

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """In the order of time."""
        grid, found = len(self.columns), dict[bytes, list[int]]()
        for g in range(grid):
            found.setdefault(self.columns[g].tobytes(), []).append(g)
        out = []
        for frames in found.values():
            own = np.array(frames)
            felt = np.concatenate([own, own + 1, own + 2])
            felt = np.unique(felt % grid if self.loop else np.minimum(felt, grid - 1))
            keys = np.unique(self.columns[felt])
            if (self.place[keys] >= 0).any():
                out.append(Stretch(own, keys, self.place[keys]))
        return tuple(out)

    @cached_property
    def bandwidth(self) -> int:
        """Of the matrix, in scalars."""
        spans = [np.ptp(s.place[s.place >= 0]) for s in self.stretches]
        return (int(max(spans, default=0)) + 1) * self.size - 1

    def displacement(self, c: Array) -> Array:
        """At frames of the grid (G, m) of coefficients (K, m)."""
        return np.einsum("ga,gai->gi", self.weights, c[self.columns])

    def unfolded(self, x: Array) -> Array:
        """Coefficients (K, m) of unknowns (n,)."""
        c = np.zeros((self.count, self.size))
        moving = self.place >= 0
        c[moving] = x.reshape(-1, self.size)[self.place[moving]]
        return c

    def folded(self, c: Array) -> Array:
        """Unknowns (n,) of coefficients (K, m)."""
        x = np.zeros((int(self.free.sum()), self.size))
        moving = self.place >= 0
        x[self.place[moving]] = c[moving]
        return x.ravel()


def _order(basis: BSpline) -> IntArray:
    """Keys in the order of time; those of a loop folded, first and last together."""
    when = np.asarray(basis.centres)
    if basis.period is not None:
        phase = np.mod(when, basis.period) / basis.period
        when = np.minimum(phase, 1.0 - phase)
    return np.lexsort((np.arange(len(when)), np.round(when, 9)))


def _stencil(basis: BSpline, times: Array) -> tuple[IntArray, Array, Array]:
    """Keys alive at times, their values and second derivatives (T, 4); keys that lack act with weight 0."""
    values, bends = (basis.matrix(times, order).tocsr() for order in (0, 2))
    alive = (abs(values) + abs(bends)).tocsr()
    alive.sort_indices()
    columns = np.zeros((len(times), 4), dtype=np.int64)
    counts = np.diff(alive.indptr)
    row = np.repeat(np.arange(len(times)), counts)
    place = np.arange(len(row)) - np.repeat(alive.indptr[:-1], counts)
    columns[row, place] = alive.indices
    columns = np.where(np.arange(4) >= counts[:, None], columns[:, :1], columns)
    out = []
    for matrix in (values, bends):
        weights = np.zeros((len(times), 4))
        weights[row, place] = np.asarray(matrix[row, alive.indices]).ravel()
        out.append(weights)
    return columns, out[0], out[1]


@kernel()
def scatter(place: IntArray, size: int, block: Array, pull: Array, band: Array, gradient: Array) -> None:
    """Add a dense symmetric block (lower half) over keys to the band: band[i, k] is the entry (i + k, i)."""
    for a in range(place.size):
        pa = place[a]
        if pa < 0:
            continue
        for i in range(size):
            gradient[pa * size + i] += pull[a * size + i]
        for b in range(place.size):
            pb = place[b]
            if pb < 0 or pa < pb:
                continue
            for j in range(size):
                column, cj = pb * size + j, b * size + j
                for i in range(j if pa == pb else 0, size):
                    ri = a * size + i
                    band[column, pa * size + i - column] += block[ri, cj] if ri >= cj else block[cj, ri]


@kernel()
def spread(
    place: IntArray,
    columns: IntArray,
    weights: Array,
    gram: Array,
    bends: Array,
    diagonal: Array,
    band: Array,
) -> None:
    """Add Σ_g N_a N_b gram_g (G, m, m), and of second derivatives Σ_g N″_a N″_b on a diagonal (m,)."""
    m = diagonal.size
    for g in range(columns.shape[0]):
        for a in range(4):
            pa = place[columns[g, a]]
            for b in range(4):
                pb = place[columns[g, b]]
                if pa < 0 or pb < 0 or pa < pb:
                    continue
                w, bend = weights[g, a] * weights[g, b], bends[g, a] * bends[g, b]
                if w == 0.0 and bend == 0.0:
                    continue
                for j in range(m):
                    column = pb * m + j
                    if pa != pb:
                        for i in range(m):
                            band[column, pa * m + i - column] += w * gram[g, i, j]
                    else:
                        for i in range(j, m):
                            band[column, i - j] += w * gram[g, i, j]
                    band[column, pa * m + j - column] += bend * diagonal[j]
