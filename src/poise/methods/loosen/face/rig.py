"""What a face needs once, whatever is animated: dense shapes, clusters, their moments, what is flesh.

Kept for the last few characters, so that scrubbing and solving do not prepare anything twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, Skin
from poise.errors import InputError
from poise.methods.loosen.face.clusters import Clusters, build_clusters, surface_graph
from poise.methods.loosen.face.region import displacement, softness

SMOOTHING = 4
"""Steps from neighbour to neighbour over which flesh fades into bone."""


@dataclass(frozen=True, eq=False)
class Rig:
    """A face's shapes and clusters."""

    skin: Skin
    head: int
    """The body that carries the face."""
    shapes: Array
    """Displacements of all morph targets by component, then the rest shape, (m + 1, 3, N)."""
    clusters: Clusters
    graph: Any
    """Lengths of edges, (N, N) sparse."""
    neighbours: Any
    """Mean over a vertex and its neighbours, (N, N) sparse."""
    soft: Array
    """How far each vertex takes part in the dynamics by itself, (N,)."""

    @property
    def size(self) -> float:
        """The largest side of the face's box [m]."""
        return float(np.ptp(self.skin.vertices, axis=0).max())

    @cached_property
    def carried(self) -> Array:
        """How much of each vertex hangs on the head, (N,)."""
        on = np.where(np.asarray(self.skin.bodies) == self.head, self.skin.weights, 0.0)
        return np.asarray(on.sum(axis=1))

    @cached_property
    def rigid(self) -> bool:
        """Whether every vertex hangs on the head alone."""
        return bool((self.carried > 1 - 1e-9).all())

    @cached_property
    def moments(self) -> Array:
        """Of all shapes and, last, of a constant, about the clusters, (C, 4, m + 2, 3)."""
        constant = np.ones((1, 3, len(self.skin.vertices)))
        return moments(self.clusters, np.concatenate([self.shapes, constant]))


def moments(clusters: Clusters, shapes: Array) -> Array:
    """Of many shapes by component (B, 3, N), (C, 4, B, 3)."""
    columns = clusters.moments(shapes.reshape(-1, shapes.shape[2]).T)  # (C, 4, 3B)
    return columns.reshape(*columns.shape[:2], *shapes.shape[:2])


@lru_cache(maxsize=6)
def rig_of(character: Character, clusters: int, head: str | None) -> Rig:
    """The rig of a character whose skin has morph targets."""
    from scipy.sparse import csr_array, diags_array

    skin = character.skin
    if skin is None or not skin.morphs:
        raise InputError(f"{character.name!r} has no morph targets: there is no face to loosen")
    if clusters < 1:
        raise InputError(f"a face needs at least one cluster, not {clusters}")
    count = len(skin.vertices)
    moves = np.zeros(count)
    for target in skin.morphs:
        moves += np.linalg.norm(displacement(skin, target.indices, target.deltas), axis=1)
    if head is None:
        on = np.zeros(len(character.bodies))
        np.add.at(on, np.asarray(skin.bodies), np.asarray(skin.weights) * moves[:, None])
        chosen = int(np.argmax(on))
    else:
        chosen = character.index(head)
    rest, faces = np.asarray(skin.vertices), np.asarray(skin.faces)
    group = _coinciding(rest)
    graph = surface_graph(rest, faces, group)
    pattern = csr_array((np.ones_like(graph.data), graph.indices, graph.indptr), shape=graph.shape)
    pattern = pattern + diags_array(np.ones(count))
    neighbours = diags_array(1 / pattern.sum(axis=1)) @ pattern
    soft = softness(skin, neighbours, SMOOTHING)
    shapes = np.empty((len(skin.morphs) + 1, 3, count))
    for k, target in enumerate(skin.morphs):
        shapes[k] = displacement(skin, target.indices, target.deltas).T
    shapes[-1] = rest.T
    return Rig(
        skin,
        chosen,
        shapes,
        build_clusters(rest, faces, graph, clusters, soft > 0.02),
        graph,
        neighbours,
        soft,
    )


def _coinciding(rest: Array) -> IntArray:
    """Per vertex the number of its group of vertices in one place, (N,)."""
    size = float(np.ptp(rest, axis=0).max()) or 1.0
    rounded = np.round(rest / (1e-6 * size)).astype(np.int64)
    return np.unique(rounded, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
