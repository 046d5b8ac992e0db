"""Soft clusters of a face, and the projection on motions in which each of them stays rigid.

Cluster c has weights w_c(v) that fall smoothly with the distance along the surface; at every vertex they
sum to one. The motions

    a(v) = Σ_c w_c(v) (t_c + ω_c × (y_v − y_c))

form a space of 6C dimensions; P projects a displacement of all vertices on it, in the metric of the vertices'
areas: P = A (Aᵀ M A)⁺ Aᵀ M. It is symmetric in M with P² = P, so that the energy ½ k |(1 − P) d|²_M of shape
matching exists, and nothing that is loosened can gain energy. Soft weights leave no seams.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters of the vertices at rest."""

    rest: Array  # (N, 3)
    mass: Array
    """Share of the area at each vertex, (N,); they sum to one."""
    centres: Array  # (C, 3)
    weights: Any
    """Sparse (C, N)."""

    @cached_property
    def gram_inverse(self) -> Array:
        """(Aᵀ M A)⁺, (6C, 6C)."""
        w = self.weights
        wm = w.multiply(self.mass[None, :]).tocsr()
        y = self.rest
        # Moments of pairs of clusters up to second order, about the origin, then moved to their centres.
        m0 = (wm @ w.T).toarray()  # (C, C)
        m1 = np.stack([(wm.multiply(y[None, :, i]) @ w.T).toarray() for i in range(3)])  # (3, C, C)
        m2 = np.empty((3, 3, *m0.shape))
        for i in range(3):
            for j in range(i, 3):
                m2[i, j] = m2[j, i] = (wm.multiply((y[:, i] * y[:, j])[None]) @ w.T).toarray()
        a, b = self.centres.T[:, :, None], self.centres.T[:, None, :]
        left, right = m1 - a * m0, m1 - b * m0  # moments of y − y_a, of y − y_b
        both = m2 - m1[:, None] * b[None] - a[:, None] * m1[None] + a[:, None] * b[None] * m0  # (3, 3, C, C)
        count = len(self.centres)
        gram = np.zeros((count, 6, count, 6))
        cross = _levi()
        for i in range(3):
            gram[:, i, :, i] = m0
        # Translation i with rotation q: e_i · (e_q × r_b); rotation with rotation: (e_p × r_a) · (e_q × r_b).
        gram[:, :3, :, 3:] = np.einsum("qbi,bcd->cidq", cross, right)
        gram[:, 3:, :, :3] = np.einsum("pai,acd->cpdi", cross, left)
        gram[:, 3:, :, 3:] = np.einsum("pai,qbi,abcd->cpdq", cross, cross, both)
        flat = gram.reshape(6 * count, 6 * count)
        scale = 1 / np.sqrt(np.maximum(np.diag(flat), 1e-300))
        size, u = np.linalg.eigh(0.5 * (flat + flat.T) * scale[:, None] * scale)
        keep = size > 1e-9 * size[-1]  # points and straight lines cannot tell all rotations
        inverse = (u[:, keep] / size[keep]) @ u[:, keep].T
        return np.asarray(inverse * scale[:, None] * scale)

    def moments(self, field: Array) -> Array:
        """∫ w_c s and ∫ w_c (y − y_c)_a s of a field s (N, 3), (C, 4, 3)."""
        weighed = self.mass[:, None] * field
        zeroth = self.weights @ weighed
        first = [self.weights @ (self.rest[:, a, None] * weighed) for a in range(3)]
        about = [m - self.centres[:, a, None] * zeroth for a, m in enumerate(first)]
        return np.stack([zeroth, *about], axis=1)

    def motion(self, moments: Array) -> Array:
        """Shift and turn of the clusters that come nearest to a field of these moments (C, 4, 3), (C, 6)."""
        turn = np.einsum("api,cpi->ca", np.transpose(_levi(), (2, 0, 1)), moments[:, 1:])
        load = np.concatenate([moments[:, 0], turn], axis=1)
        return (self.gram_inverse @ load.ravel()).reshape(-1, 6)

    def spread(self, motion: Array) -> Array:
        """Displacement of all vertices when clusters move so (C, 6), (N, 3)."""
        shift, turn = motion[:, :3], motion[:, 3:]
        constant = self._by_vertex @ (shift - np.cross(turn, self.centres))
        return np.asarray(constant + np.cross(self._by_vertex @ turn, self.rest))

    def among(self, some: IntArray) -> Clusters:
        """The same clusters as some of the vertices see them: for spreading motions."""
        return Clusters(self.rest[some], self.mass[some], self.centres, self.weights[:, some])

    def project(self, field: Array) -> Array:
        """P of a displacement (N, 3), (N, 3)."""
        return self.spread(self.motion(self.moments(field)))

    @cached_property
    def _by_vertex(self) -> Any:
        return self.weights.T.tocsr()

    @cached_property
    def influences(self) -> tuple[IntArray, Array]:
        """Per vertex its clusters and their weights, the unused last with weight 0, twice (N, J)."""
        by_vertex = self._by_vertex
        counts = np.diff(by_vertex.indptr)
        index = np.zeros((len(self.rest), int(counts.max())), dtype=np.int64)
        weight = np.zeros(index.shape)
        row = np.repeat(np.arange(len(counts)), counts)
        column = np.arange(len(row)) - np.repeat(by_vertex.indptr[:-1], counts)
        index[row, column], weight[row, column] = by_vertex.indices, by_vertex.data
        return index, weight


def build_clusters(rest: Array, faces: IntArray, graph: Any, count: int, within: Mask) -> Clusters:
    """At most ``count`` clusters, spread evenly over the vertices ``within`` (N,) along the surface."""
    from scipy.sparse import csr_array

    distances = np.empty((0, len(rest)))
    own = np.flatnonzero(within) if within.any() else np.arange(len(rest))
    middle = rest[own].mean(axis=0)
    seed = int(own[np.argmin(np.linalg.norm(rest[own] - middle, axis=1))])
    seeds: list[int] = []
    nearest = np.full(len(rest), np.inf)
    for _ in range(min(count, len(own))):
        seeds.append(seed)
        d = distance_from(graph, rest, [seed])
        distances = np.concatenate([distances, d[None]])
        nearest = np.minimum(nearest, d)
        seed = int(own[np.argmax(nearest[own])])
        if nearest[seed] <= 1e-9 * float(np.ptp(rest)):
            break
    reach = max(2.0 * float(nearest[own].max()), 1e-9)
    kernel = np.clip(1 - (distances / reach) ** 2, 0, None) ** 2  # (C, N)
    alone = np.flatnonzero(kernel.max(axis=0) < 1e-6)
    kernel[np.argmin(distances[:, alone], axis=0), alone] = 1.0
    kernel[kernel < 1e-3 * kernel.max(axis=0)] = 0.0
    weights = csr_array(kernel / kernel.sum(axis=0))
    return Clusters(rest, vertex_mass(rest, faces), rest[seeds], weights)


def vertex_mass(rest: Array, faces: IntArray) -> Array:
    """The area around each vertex as a share of all; vertices of no triangle get a little, (N,)."""
    a, b, c = np.moveaxis(rest[faces], 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    mass = np.bincount(faces.ravel(), np.repeat(area, 3), minlength=len(rest))
    mass = np.maximum(mass, 1e-3 * (mass.mean() or 1.0))
    return np.asarray(mass / mass.sum())


def surface_graph(rest: Array, faces: IntArray, group: IntArray) -> Any:
    """Edges of the mesh with their lengths, (N, N) sparse; vertices that coincide are one step of nothing."""
    from scipy.sparse import csr_array

    pairs = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    first = np.zeros(int(group.max()) + 1, dtype=np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    doubled = np.flatnonzero(first[group] != np.arange(len(group)))
    pairs = np.concatenate([pairs, np.stack([doubled, first[group[doubled]]], axis=1)])
    length = np.linalg.norm(rest[pairs[:, 0]] - rest[pairs[:, 1]], axis=1)
    # An explicit zero would be no edge at all.
    length = np.maximum(length, 1e-9 * max(float(np.ptp(rest, axis=0).max()), 1e-9))
    row, column = np.concatenate([pairs, pairs[:, ::-1]]).T
    key, where = np.unique(row * len(rest) + column, return_index=True)
    both = np.concatenate([length, length])[where]
    return csr_array((both, (key // len(rest), key % len(rest))), shape=(len(rest), len(rest)))


def distance_from(graph: Any, rest: Array, seeds: list[int]) -> Array:
    """Distance along the surface from the nearest of some vertices, (N,) [m].

    Pieces that do not hang together with them are twice as far as they look.
    """
    from scipy.sparse.csgraph import dijkstra

    d = dijkstra(graph, indices=seeds, min_only=True)
    far = np.flatnonzero(~np.isfinite(d))
    if far.size:
        from scipy.spatial import cKDTree

        d[far] = 2 * cKDTree(rest[seeds]).query(rest[far])[0]
    return np.asarray(d)


def _levi() -> Array:
    """ε: (e_p × r)_i = ε[p, a, i] r_a."""
    out = np.zeros((3, 3, 3))
    for p, a, i in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[p, a, i], out[a, p, i] = 1.0, -1.0
    return out
