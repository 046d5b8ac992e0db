"""The unknowns of a displacement: coefficients of displacement curves, ordered by time.

    d_i(t) = Σ_a w_a(t) c_{k_a(t), i},      at most four keys k_a are alive at any time

Unknowns that act at the same time stand together (key by key, then degree of freedom), so that every matrix
of the whole clip is a band. The keys of a loop are folded, first and last together, which doubles the band
and closes the cycle. Degrees of freedom with the same keys form a *group*.

Curves with free ends have no curvature there: the two outermost B-splines, which almost nothing observes,
follow their neighbours. Interpolating cubics span the same space and are solved on B-splines too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.curves import Basis, BSpline, InterpolatingCubic, TangentCurve
from poise.errors import InputError
from poise.methods.adapt.problem.displacement import curves_of, locks_of
from poise.methods.adapt.rows.affected_dofs import felt
from poise.methods.adapt.rows.rows import Block
from poise.motion import Clip
from poise.operations.values.displacement import Displacement

ALIVE = 4
"""Functions of a cubic alive at any time."""
ORDERS = 3
"""Displacement, its rate and its second derivative."""


class Stencil(NamedTuple):
    """Which keys act at each of S times, and how much."""

    columns: IntArray
    """(G, S, 4)"""
    weights: Array
    """Of the displacement and its first two derivatives (3, G, S, 4) [1, 1/s, 1/s²]."""

    def at(self, index: slice | IntArray) -> Stencil:
        """The same at some of the times."""
        return Stencil(self.columns[:, index], self.weights[:, :, index])

    def followed_by(self, other: Stencil) -> Stencil:
        """The times of both."""
        return Stencil(
            np.concatenate([self.columns, other.columns], axis=1),
            np.concatenate([self.weights, other.weights], axis=2),
        )


class Keys(NamedTuple):
    """A stencil as kernels read it."""

    group: IntArray
    """Of each degree of freedom that is solved for, (m,)."""
    columns: IntArray
    """(G, S, 4)"""
    weights: Array
    """(3, G, S, 4)"""


@dataclass(frozen=True, eq=False)
class Group:
    """Degrees of freedom that share their keys."""

    curve: Basis
    """What the animator sees."""
    smooth: Basis
    """What is solved on; the same functions, or B-splines that span them."""
    reduce: Any
    """(K of ``smooth``, K solved for): ties of the outermost functions."""
    dofs: IntArray
    """Of the character."""

    @property
    def size(self) -> int:
        """Functions solved for."""
        return int(self.reduce.shape[1])

    @cached_property
    def centres(self) -> Array:
        """When each function acts most [s], (K,)."""
        centres = getattr(self.smooth, "centres", None)
        if centres is None:  # a hat: at its key
            keys = np.asarray(self.smooth.keys)  # type: ignore[attr-defined]
            ends = self.smooth.ends  # type: ignore[attr-defined]
            centres = keys[1:-1] if ends == "zero" else keys[:-1] if ends == "periodic" else keys
        return np.asarray(centres)[1:-1] if len(centres) == self.size + 2 else np.asarray(centres)

    def stencil(self, times: Array) -> tuple[IntArray, Array]:
        """Columns (S, 4) and weights (3, S, 4) at times."""
        columns = np.zeros((len(times), ALIVE), dtype=np.int64)
        weights = np.zeros((ORDERS, len(times), ALIVE))
        values = [self.smooth.matrix(times, order) @ self.reduce for order in range(ORDERS)]
        matrix = sum(abs(v) for v in values).tocsr()  # alive: the value or a derivative is not zero
        matrix.sort_indices()
        counts = np.diff(matrix.indptr)
        row = np.repeat(np.arange(len(times)), counts)
        place = np.arange(len(row)) - np.repeat(matrix.indptr[:-1], counts)
        columns[row, place] = matrix.indices
        spare = (
            np.arange(ALIVE) >= counts[:, None]
        )  # places without a function repeat the first one, at weight 0
        columns = np.where(spare, columns[:, :1], columns)
        for order in range(ORDERS):
            weights[order, row, place] = np.asarray(values[order][row, matrix.indices]).ravel()
        return columns, weights

    def coefficients(self, solved: Array) -> Array:
        """Coefficients of ``curve`` from those solved for, (K, dofs)."""
        full: Array = self.reduce @ solved
        if isinstance(self.curve, InterpolatingCubic):
            return _at_keys(self.curve, self.smooth.evaluate(self.curve.keys, full))
        return full


class Space:
    """All unknowns of one displacement over a clip."""

    def __init__(self, clip: Clip, asked: Displacement, free: Sequence[int]) -> None:
        self.clip, self.asked = clip, asked
        self.groups: list[Group] = []
        for curve, dofs in curves_of(asked, clip, free):
            self.groups.append(_group(curve, np.sort(np.array(dofs, dtype=np.int64))))
        if not self.groups:
            raise InputError("no joint may move: the displacement's joints and keys exclude all of them")
        self.dofs: IntArray = np.concatenate([g.dofs for g in self.groups])
        """Of the character, group after group, (m,)."""
        sizes = [len(g.dofs) for g in self.groups]
        self.group: IntArray = np.repeat(np.arange(len(self.groups)), sizes)
        """Of each degree of freedom, (m,)."""
        self.keys = max(g.size for g in self.groups)
        self.slot, self.count = self._order()
        """Place of each coefficient among the unknowns (m, K), −1 where it stays zero; and their number."""
        self.stencil = self.stencil_at(np.asarray(clip.times))
        """At the clip's frames."""
        self._felt: dict[tuple[int, ...], tuple[IntArray, IntArray]] = {}

    @property
    def size(self) -> int:
        """Degrees of freedom that may move, m."""
        return len(self.dofs)

    @property
    def local(self) -> IntArray:
        """Place of each of the character's degrees of freedom among ``dofs``, −1: it stays (nv,)."""
        place = np.full(self.clip.character.nv, -1)
        place[self.dofs] = np.arange(self.size)
        return place

    def stencil_at(self, times: Array) -> Stencil:
        """The keys that act at any times [s]."""
        parts = [g.stencil(times) for g in self.groups]
        return Stencil(np.stack([c for c, _ in parts]), np.stack([w for _, w in parts], axis=1))

    @cached_property
    def spacing(self) -> float:
        """The least time between keys [s]."""
        gaps = [np.diff(np.sort(g.centres)).min(initial=self.clip.duration) for g in self.groups]
        return float(min(gaps))

    @cached_property
    def bandwidth(self) -> int:
        """The farthest apart that two unknowns alive at one time stand."""
        low, high = self.reach(self.stencil)
        return int((high - low).max(initial=0))

    def reach(self, stencil: Stencil, slot: IntArray | None = None) -> tuple[IntArray, IntArray]:
        """First and last unknown alive at each time, (S,); first > last where there is none."""
        slot = self.slot if slot is None else slot
        none = slot < 0
        low, high = np.where(none, np.iinfo(np.int64).max // 4, slot), np.where(none, -1, slot)
        lows = np.stack([low[self.group == g].min(axis=0)[c] for g, c in enumerate(stencil.columns)])
        highs = np.stack([high[self.group == g].max(axis=0)[c] for g, c in enumerate(stencil.columns)])
        alive = stencil.weights.any(axis=0)
        lows = np.where(alive, lows, np.iinfo(np.int64).max // 4)
        return lows.min(axis=(0, 2)), np.where(alive, highs, -1).max(axis=(0, 2))

    def evaluate(self, coefficients: Array, stencil: Stencil, order: int) -> Array:
        """The displacement, or its derivative of that order, where a stencil is (S, nv)."""
        out = np.zeros((stencil.columns.shape[1], self.clip.character.nv))
        for g, group in enumerate(self.groups):
            own = coefficients[:, self.group == g]
            out[:, group.dofs] = np.einsum("sa,sai->si", stencil.weights[order, g], own[stencil.columns[g]])
        return out

    def felt(self, block: Block, component: int) -> tuple[tuple[int, ...], tuple[IntArray, IntArray]]:
        """A key, the degrees of freedom (then rates) that a component feels, and which end each carries."""
        what = int(block.what[component, 2]), int(block.rates)
        key = (*block.ends[component], int(block.kind[component]), *what)
        found = self._felt.get(key)
        if found is None:
            pairs = felt(block, component, self.clip.character, self.local)
            found = np.array([i for i, _ in pairs], np.int64), np.array([e for _, e in pairs], np.int64)
            self._felt[key] = found
        return key, found

    def curves(self, coefficients: Array) -> tuple[TangentCurve, ...]:
        """What was solved for (K, m) as curves of the character, one for each group of keys."""
        nv = self.clip.character.nv
        found = []
        for g, group in enumerate(self.groups):
            full = np.zeros((group.curve.size, nv))
            values = group.coefficients(coefficients[: group.size, self.group == g])
            full[:, group.dofs] = np.where(self.still(group).T, 0.0, values)
            mask = np.zeros(nv, dtype=bool)
            mask[group.dofs] = True
            found.append(TangentCurve(group.curve, full, mask))
        return tuple(found)

    def still(self, group: Group) -> NDArray[np.bool_]:
        """Keys of interpolating cubics that stay at zero (dofs, K): no unknowns of the B-splines beneath."""
        if not isinstance(group.curve, InterpolatingCubic):
            return np.zeros((len(group.dofs), group.curve.size), dtype=bool)
        return locks_of(self.asked, self.clip.character, group.dofs, key_times(group))

    def _order(self) -> tuple[IntArray, int]:
        """Unknowns in the order of time (folded for loops), then group, then degree of freedom."""
        when = np.full((self.size, self.keys), np.inf)
        for g, group in enumerate(self.groups):
            mine = self.group == g
            times = group.centres
            if (period := group.smooth.period) is not None:
                phase = np.mod(times, period) / period
                times = np.minimum(phase, 1.0 - phase)
            when[mine, : group.size] = np.round(times, 9)
            if not isinstance(group.curve, InterpolatingCubic):
                locked = locks_of(self.asked, self.clip.character, group.dofs, group.centres)
                when[mine, : group.size] = np.where(locked, np.inf, when[mine, : group.size])
        key = np.broadcast_to(np.arange(self.keys), when.shape)
        dof = np.broadcast_to(np.arange(self.size)[:, None], when.shape)
        order = np.lexsort((dof.ravel(), key.ravel(), self.group[dof.ravel()], when.ravel()))
        count = int(np.isfinite(when).sum())
        slot = np.full(when.size, -1)
        slot[order[:count]] = np.arange(count)
        return slot.reshape(when.shape), count


def _group(curve: Basis, dofs: IntArray) -> Group:
    from scipy.sparse import csr_matrix, identity

    smooth: Basis = curve
    if isinstance(curve, InterpolatingCubic):
        smooth = BSpline.at_keys(curve.keys, ends="free" if curve.ends == "natural" else curve.ends)
    if not (isinstance(smooth, BSpline) and smooth.unity is not None and not smooth.periodic):
        return Group(curve, smooth, identity(smooth.size, format="csr"), dofs)
    bend = smooth.matrix(np.array(smooth.unity), 2).toarray()  # (2, K): no curvature at either end
    k = smooth.size
    reduce = np.zeros((k, k - 2))
    reduce[1:-1] = np.eye(k - 2)
    outer = bend[:, [0, -1]]
    reduce[[0, -1]] = -np.linalg.solve(outer, bend[:, 1:-1])
    return Group(curve, smooth, csr_matrix(reduce), dofs)


def key_times(group: Group) -> Array:
    """When the keys of an interpolating cubic are [s], (K,)."""
    return _at_keys(group.curve, np.asarray(group.curve.keys))  # type: ignore[arg-type, attr-defined]


def _at_keys(curve: InterpolatingCubic, values: Array) -> Array:
    """Values at keys (n, …) as the coefficients of an interpolating cubic."""
    if curve.ends == "zero":
        return values[1:-1]
    return values[:-1] if curve.ends == "periodic" else values
