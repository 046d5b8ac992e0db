"""Symmetric matrices of a whole clip, stored as a band: entry (i + k, i) stands at ``band[i, k]``.

Every sample couples only the unknowns alive at its time. Samples are cut into chunks by their first unknown,
each as long as the band is wide: chunks that are not neighbours touch different unknowns, so even chunks run
side by side, then odd ones. Each entry adds up in an order that no number of threads changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.workers import for_ranges

if TYPE_CHECKING:
    from poise.methods.adapt.problem.unknowns import Keys
    from poise.methods.adapt.rows.kernels import Entries


class Chunks:
    """Samples in the order of their first unknown, cut where chunks may run side by side."""

    def __init__(self, first: IntArray, last: IntArray, bandwidth: int) -> None:
        alive = np.flatnonzero(first <= last)
        order = alive[np.argsort(first[alive], kind="stable")]
        number = first[order] // (bandwidth + 1)
        edges = np.flatnonzero(np.diff(number, prepend=-1, append=-1))
        self.samples: IntArray = order
        self.even = _pairs(edges, number, 0)
        self.odd = _pairs(edges, number, 1)

    def run(self, chunk_kernel: Callable[..., object], *arguments: Any) -> None:
        """Call the kernel over all chunks, neighbours never at the same time."""
        for bounds in (self.even, self.odd):
            for_ranges(chunk_kernel, len(bounds), bounds, self.samples, *arguments)


def _pairs(edges: IntArray, number: IntArray, odd: int) -> IntArray:
    """First and last sample (in order) of every other chunk, (C, 2)."""
    bounds = np.stack([edges[:-1], edges[1:]], axis=1).reshape(-1, 2)
    return np.ascontiguousarray(bounds[number[bounds[:, 0]] % 2 == odd])


@kernel()
def add_rows(
    first: int,
    last: int,
    bounds: IntArray,
    samples: IntArray,
    entries: Entries,
    value: Array,
    weight: Array,
    force: Array,
    keys: Keys,
    slot: IntArray,
    band: Array,
    gradient: Array,
) -> None:
    """band += Jᵀ W J, gradient += Jᵀ force over rows of positive weight, in the space of unknowns."""
    row_start, entry_start, entry_dof = entries.row_start, entries.start, entries.dof
    m = keys.group.size
    place = np.full(2 * m, -1)
    members = np.empty(2 * m, dtype=np.int64)
    for chunk in range(first, last):
        for at in range(bounds[chunk, 0], bounds[chunk, 1]):
            s = samples[at]
            count = 0
            for r in range(row_start[s], row_start[s + 1]):
                if weight[r] > 0.0:
                    for e in range(entry_start[r], entry_start[r + 1]):
                        j = entry_dof[e]
                        if place[j] < 0:
                            place[j] = 0
                            count += 1
            if count == 0:
                continue
            count = 0
            for j in range(2 * m):  # in increasing order
                if place[j] >= 0:
                    place[j] = count
                    members[count] = j
                    count += 1
            gram, pull = np.zeros((count, count)), np.zeros(count)
            for r in range(row_start[s], row_start[s + 1]):
                if weight[r] > 0.0:
                    for e in range(entry_start[r], entry_start[r + 1]):
                        i = place[entry_dof[e]]
                        pull[i] += force[r] * value[e]
                        scaled = weight[r] * value[e]
                        for f in range(entry_start[r], entry_start[r + 1]):
                            gram[i, place[entry_dof[f]]] += scaled * value[f]
            for i in range(count):
                place[members[i]] = -1
            spread(s, gram, pull, members[:count], keys, slot, band, gradient)


@kernel()
def spread(
    s: int,
    gram: Array,
    pull: Array,
    members: IntArray,
    keys: Keys,
    slot: IntArray,
    band: Array,
    gradient: Array,
) -> None:
    """A sample's matrix over degrees of freedom (and rates), increasing, into the band of the keys alive.

    Unknowns come in runs of neighbours, over which the matrix is added a stretch at a time.
    """
    group, columns, weights = keys.group, keys.columns, keys.weights
    m, count = group.size, members.size
    begin, first, length = (
        np.empty(4 * count, np.int64),
        np.empty(4 * count, np.int64),
        np.empty(4 * count, np.int64),
    )
    factor = np.empty(4 * count)
    runs = 0
    for a in range(4):
        for k in range(count):
            order, i = members[k] // m, members[k] % m
            g = group[i]
            w = weights[order, g, s, a]
            to = slot[i, columns[g, s, a]]
            if to < 0 or w == 0.0:
                continue
            gradient[to] += w * pull[k]
            last = runs - 1
            if (
                last >= 0
                and begin[last] + length[last] == to
                and first[last] + length[last] == k
                and factor[last] == w
            ):
                length[last] += 1
            else:
                begin[runs], first[runs], length[runs], factor[runs] = to, k, 1, w
                runs += 1
    for p in range(runs):
        for t in range(length[p]):
            to, row = begin[p] + t, gram[first[p] + t]
            line = band[to]
            for o in range(runs):
                skip = max(0, to - begin[o])  # only what stands on or below the diagonal
                w, away, k = factor[p] * factor[o], begin[o] - to, first[o]
                for u in range(skip, length[o]):
                    line[away + u] += w * row[k + u]


@kernel()
def submatrix(band: Array, kept: IntArray, place: IntArray, out: Array) -> None:
    """The matrix of the kept unknowns only (increasing); ``place`` (n,) is −1 where one is left out."""
    for p in range(kept.size):
        i = kept[p]
        for k in range(min(band.shape[1], place.size - i)):
            q = place[i + k]
            if q >= 0:
                out[p, q - p] = band[i, k]
