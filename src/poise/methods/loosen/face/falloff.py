"""From a region to the face around it: a displacement that fades smoothly, so that no seam shows.

Outside, each vertex takes the displacement of the nearest vertex of the region along the surface, by a
share that falls to nothing over some distance and on bone, and is then averaged with its neighbours a few
times. Inside nothing changes. All of it is one sparse matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.methods.loosen.face.rig import Rig

REACH = 0.08
"""Part of the face's size over which a displacement fades."""
SMOOTHING = 5
"""Times that weights are averaged over neighbours."""


def extension(rig: Rig, among: IntArray) -> Any:
    """From displacements of some vertices (K, …) to those of all (N, …), a sparse (N, K) matrix."""
    from scipy.sparse import csr_array, diags_array, eye_array
    from scipy.sparse.csgraph import dijkstra

    count = len(rig.skin.vertices)
    if len(among) == count:
        return eye_array(count, format="csr")
    reach = REACH * rig.size
    distance, _, source = dijkstra(
        rig.graph, indices=among, min_only=True, return_predecessors=True, limit=reach
    )
    inside = np.zeros(count, dtype=bool)
    inside[among] = True
    near = np.flatnonzero(np.isfinite(distance))
    column = np.full(count, -1)
    column[among] = np.arange(len(among))
    fade = (1 - (distance[near] / reach) ** 2) ** 2 * np.where(inside[near], 1.0, _flesh(rig.soft[near]))
    out = csr_array((fade, (near, column[source[near]])), shape=(count, len(among)))
    hold, free = diags_array(inside.astype(float)), diags_array((~inside).astype(float))
    average = (hold + free @ rig.neighbours).tocsr()
    for _ in range(SMOOTHING):
        out = (average @ out).tocsr()
    return out


def _flesh(soft: Array) -> Array:
    return np.asarray(np.clip(soft / 0.3, 0, 1))
