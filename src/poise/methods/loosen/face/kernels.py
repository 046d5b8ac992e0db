"""Vertices of loosened faces, compiled.

Shapes are laid out by component, (B, 3, N), so that the innermost loops run along vertices; every number is
added up in the same order whatever frames are asked for together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.compilation import kernel

TILE = 512
"""Vertices at a time: their accumulators stay in the nearest cache."""


class FaceShapes(NamedTuple):
    """What of a face does not change: B shapes of N vertices, R regions, C clusters."""

    basis: Array  # (B, 3, N), the shape at rest last
    touched: NDArray[np.uint8]
    """Where a shape is not zero, (B, tiles)."""
    masks: Array  # (R, N)
    cluster: IntArray
    """Clusters that a vertex belongs to, (N, K)."""
    shares: Array  # (N, K)


@kernel()
def cluster_motions(
    first: int,
    last: int,
    change: Array,
    shift: Array,
    moments: Array,
    inverse: Array,
    centres: Array,
    out: Array,
) -> None:
    """Affine motion of every cluster, out (F, R, C, 3, 4), nearest to Σ_b change_b s_b + shift.

    ``change`` (F, R, B, 3, 3) and ``shift`` (F, R, 3) say how each basis shape s_b moves; ``moments``
    (C, 4, B + 1, 3) are the shapes' moments of order zero and one about the clusters' centres, those of a
    constant last.
    """
    clusters, shapes = moments.shape[0], change.shape[2]
    load, found = np.empty(6 * clusters), np.empty(6 * clusters)
    h = np.empty((4, 3))
    for f in range(first, last):
        for r in range(change.shape[1]):
            for c in range(clusters):
                for a in range(4):
                    constant = moments[c, a, shapes, 0]
                    for i in range(3):
                        h[a, i] = constant * shift[f, r, i]
                    for b in range(shapes):
                        x, y, z = moments[c, a, b, 0], moments[c, a, b, 1], moments[c, a, b, 2]
                        for i in range(3):
                            m = change[f, r, b, i]
                            h[a, i] += m[0] * x + m[1] * y + m[2] * z
                for i in range(3):
                    load[6 * c + i] = h[0, i]
                load[6 * c + 3] = h[2, 2] - h[3, 1]
                load[6 * c + 4] = h[3, 0] - h[1, 2]
                load[6 * c + 5] = h[1, 1] - h[2, 0]
            for k in range(6 * clusters):
                total = 0.0
                for j in range(6 * clusters):
                    total += inverse[k, j] * load[j]
                found[k] = total
            for c in range(clusters):
                move = out[f, r, c]
                x, y, z = found[6 * c + 3], found[6 * c + 4], found[6 * c + 5]
                move[0, 0], move[0, 1], move[0, 2] = 0.0, -z, y
                move[1, 0], move[1, 1], move[1, 2] = z, 0.0, -x
                move[2, 0], move[2, 1], move[2, 2] = -y, x, 0.0
                for i in range(3):
                    turned = (
                        move[i, 0] * centres[c, 0] + move[i, 1] * centres[c, 1] + move[i, 2] * centres[c, 2]
                    )
                    move[i, 3] = found[6 * c + i] - turned


@kernel()
def vertices(
    first: int,
    last: int,
    skin: FaceShapes,
    weights: Array,
    follow: Array,
    shift: Array,
    clusters: Array,
    place: Array,
    out: Array,
) -> None:
    """Places of all vertices, out (F, N, 3), world or rest axes as ``place`` (F, 3, 4) has it.

    x = y + Σ_r masks_r (Σ_b follow_rb s_b + shift_r + Σ_c share_c clusters_rc y⁰),  y = Σ_b weights_b s_b,
    y⁰ the last of the basis (B, 3, N).
    """
    basis, touched, masks, index, shares = skin.basis, skin.touched, skin.masks, skin.cluster, skin.shares
    shapes, count, regions = basis.shape[0], basis.shape[2], masks.shape[0]
    y = np.empty((3, TILE))
    z = np.empty((3, TILE))
    x = np.empty((3, TILE))
    for tile in range((count + TILE - 1) // TILE):
        start = tile * TILE
        size = min(TILE, count - start)
        for f in range(first, last):
            y[:] = 0.0
            for b in range(shapes):
                w = weights[f, b]
                if w != 0.0 and touched[b, tile]:
                    for i in range(3):
                        source, sink = basis[b, i, start : start + size], y[i]
                        for v in range(size):
                            sink[v] += w * source[v]
            x[:] = y
            for r in range(regions):
                for i in range(3):
                    z[i] = shift[f, r, i]
                for b in range(shapes):
                    if not touched[b, tile]:
                        continue
                    m = follow[f, r, b]
                    s0 = basis[b, 0, start : start + size]
                    s1 = basis[b, 1, start : start + size]
                    s2 = basis[b, 2, start : start + size]
                    for i in range(3):
                        p, q, o, sink = m[i, 0], m[i, 1], m[i, 2], z[i]
                        if p == 0.0 and q == 0.0 and o == 0.0:
                            continue
                        for v in range(size):
                            sink[v] += p * s0[v] + q * s1[v] + o * s2[v]
                for v in range(size):
                    k = start + v
                    part = masks[r, k]
                    if part == 0.0:
                        continue
                    a, b_, c_ = basis[shapes - 1, 0, k], basis[shapes - 1, 1, k], basis[shapes - 1, 2, k]
                    d0, d1, d2 = 0.0, 0.0, 0.0
                    for j in range(index.shape[1]):
                        share = shares[k, j]
                        if share == 0.0:
                            break
                        m = clusters[f, r, index[k, j]]
                        d0 += share * (m[0, 1] * b_ + m[0, 2] * c_ + m[0, 3])
                        d1 += share * (m[1, 0] * a + m[1, 2] * c_ + m[1, 3])
                        d2 += share * (m[2, 0] * a + m[2, 1] * b_ + m[2, 3])
                    x[0, v] += part * (z[0, v] + d0)
                    x[1, v] += part * (z[1, v] + d1)
                    x[2, v] += part * (z[2, v] + d2)
            g = place[f]
            for v in range(size):
                for i in range(3):
                    out[f, start + v, i] = g[i, 0] * x[0, v] + g[i, 1] * x[1, v] + g[i, 2] * x[2, v] + g[i, 3]
