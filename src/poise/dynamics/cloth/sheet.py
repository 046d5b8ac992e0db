"""A sheet or a strand as masses, edges that resist stretching, and hinges that resist bending.

Nothing depends on how heavy it is, only on what it does per unit of its mass. Two numbers say what it is made
of:

    bend c [m]    the bending length of textile tests: B = w c³, w the weight of a unit of area (or length).
                  A strip that juts out by l sags by l⁴ / 8 c³. Silk 1 cm, wool 3, denim 5, leather 8.
    GIVE          the strain at its top when it hangs by itself: Y = w l / GIVE. Cloth is stiffer than that,
                  and explicit steps would be shorter; under 8 g it is still within 5 %.

Sheets: springs along edges with k = Y Σ A / l² (Van Gelder 1998), A the triangles beside an edge, which for
even triangles is an isotropic membrane; hinges ½ B/(A₀ + A₁) |Σ Kᵢ xᵢ|² with the K of Bergou et al. (2006),
whose forces are linear in the places (their factor 3 makes sheets of even triangles and of grids three times
too stiff: it is left out). Where a sheet is modelled bent, what its hinges have at rest is taken along the
normal of the moment. Strands: ½ B/l |Δ tangent|² at every bead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.errors import InputError
from poise.gravity import GRAVITY

GIVE = 0.006
"""Strain at the top of what hangs by its own weight."""
STRIP = 1.15
"""A strip is softer than the sheet it is cut from, which is kept flat aside; bending lengths are strips'."""
RINGING = 0.15
"""Damping ratio of stretching, which nobody looks at."""
FRAYED = 0.05
"""Damping ratio of the quickest bending."""
QUICKEST = 5000.0
"""Highest frequency [rad/s]; vertices that would have a higher one (slivers) are made slower."""
MOST = 5000
"""Vertices of a sheet at most."""


class Springs(NamedTuple):
    """Tables for kernels; V vertices, E edges, H hinges."""

    mass: Any
    """(V,) [area or length]; what is held has none that matters."""
    weight: Any
    """What a vertex weighs over what its mass would, (V,): less than 1 where it was made heavier."""
    held: Any
    """(V,) bool."""
    edge: Any
    """(E, 2)"""
    length: Any
    """(E,) [m]"""
    stiff: Any
    """(E,)"""
    damp: Any
    """(E,)"""
    hinge: Any
    """(H, 4): both ends of an edge and the corners across; of strands three beads, one twice."""
    share: Any
    """K, (H, 4) [1 or 1/m]."""
    bend: Any
    """(H,)"""
    curl: Any
    """What Σ K x is at rest along the normal, (H,)."""
    slow: float
    """Stiffness-proportional damping of hinges [s]."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """Something thin, ready to be stepped."""

    points: Array
    """As modelled [m], (V, 3)."""
    springs: Springs
    fastest: float
    """Bound of its highest frequency [rad/s]."""
    slowest: float
    """Its slowest frequency, about, as it hangs [rad/s]."""
    thickness: float
    """Distance that parts of it keep from each other [m]."""

    @property
    def held(self) -> IntArray:
        """Vertices that are held."""
        return np.flatnonzero(self.springs.held)


def sheet_of(
    points: Array,
    faces: IntArray,
    held: IntArray,
    *,
    bend: float,
    thickness: float | None = None,
    quickest: float = QUICKEST,
) -> Sheet:
    """A sheet of triangles (T, 3), each vertex of which is used."""
    if len(points) > MOST:
        raise InputError(f"a sheet of {len(points)} vertices is too fine to be simulated: {MOST} at most")
    a, b, c = (points[faces[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    mass = np.zeros(len(points))
    np.add.at(mass, faces, area[:, None] / 3)
    edge, beside = _edges(faces)
    size = _span(points, edge, held)
    weight = float(np.linalg.norm(GRAVITY))
    length = np.linalg.norm(points[edge[:, 0]] - points[edge[:, 1]], axis=1)
    around = area[beside[:, 0]] + np.where(beside[:, 1] >= 0, area[beside[:, 1]], 0.0)
    stiff = weight * size / GIVE * around / np.maximum(length, 1e-9) ** 2
    inner = np.flatnonzero(beside[:, 1] >= 0)
    hinge = np.array([_corners(faces, edge[k], beside[k]) for k in inner], dtype=np.int64).reshape(-1, 4)
    share, force, curl = _hinges(points, hinge, STRIP * weight * bend**3)
    kept = thickness if thickness is not None else 0.6 * float(np.median(length))
    return _made(
        points, mass, held, (edge, length, stiff), (hinge, share, force, curl), (size, bend, kept, quickest)
    )


def strand_of(
    points: Array,
    held: IntArray,
    *,
    bend: float,
    thickness: float | None = None,
    quickest: float = QUICKEST,
) -> Sheet:
    """A strand of beads along places (V, 3), straight where nothing bends it."""
    count = len(points)
    if count < 3:
        raise InputError(f"a strand needs at least three places, not {count}")
    edge = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    length = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if length.min() <= 1e-6 * length.sum():
        raise InputError(f"places {int(length.argmin())} and {int(length.argmin()) + 1} of a strand coincide")
    mass = np.zeros(count)
    mass[:-1] += 0.5 * length
    mass[1:] += 0.5 * length
    weight, size = float(np.linalg.norm(GRAVITY)), float(length.sum())
    before, after = length[:-1], length[1:]
    hinge = np.stack([np.arange(count - 2), np.arange(1, count - 1), np.arange(2, count),
                      np.arange(2, count)], axis=1)  # fmt: skip
    share = np.stack([1 / before, -1 / before - 1 / after, 1 / after, np.zeros(count - 2)], axis=1)
    force = weight * bend**3 / (0.5 * (before + after))
    kept = thickness if thickness is not None else 0.5 * float(length.mean())
    return _made(
        points, mass, held, (edge, length, weight * size / GIVE / length),
        (hinge, share, force, np.zeros(count - 2)), (size, bend, kept, quickest),
    )  # fmt: skip


def _made(
    points: Array,
    mass: Array,
    held: IntArray,
    edges: tuple[IntArray, Array, Array],
    hinges: tuple[IntArray, Array, Array, Array],
    whole: tuple[float, float, float, float],
) -> Sheet:
    """Damping, and masses that steps of a bearable length can move."""
    edge, length, stiff = edges
    hinge, share, force, curl = hinges
    size, bend, thickness, quickest = whole
    fixed = np.zeros(len(points), dtype=np.bool_)
    fixed[held] = True
    # Gershgorin: no frequency is above the largest row of M⁻¹ K.
    rows = np.zeros(len(points))
    np.add.at(rows, edge, 2 * stiff[:, None])
    bending = np.zeros(len(points))
    np.add.at(bending, hinge, force[:, None] * np.abs(share) * np.abs(share).sum(axis=1)[:, None])
    true, mass = mass, np.maximum(mass, (rows + bending) / quickest**2)
    free = ~fixed
    if not free.any():
        raise InputError("all vertices are held, so nothing can move")
    fastest = float(np.sqrt(((rows + bending) / mass)[free].max()))
    quick = float(np.sqrt((bending / mass)[free].max()))
    weight = float(np.linalg.norm(GRAVITY))
    swing = 1.2024**2 * weight / size + 3.516**2 * weight * bend**3 / size**4
    return Sheet(
        points,
        Springs(
            mass, true / mass, fixed, edge, length, stiff,
            2 * RINGING * np.sqrt(stiff * np.minimum(mass[edge[:, 0]], mass[edge[:, 1]])),
            hinge, np.ascontiguousarray(share), force, curl, 2 * FRAYED / max(quick, 1e-9),
        ),
        fastest, float(np.sqrt(swing)), thickness,
    )  # fmt: skip


def _edges(faces: IntArray) -> tuple[IntArray, IntArray]:
    """Edges (E, 2), smaller vertex first, and the one or two triangles beside each, (E, 2), −1 for none."""
    ends = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    owner = np.tile(np.arange(len(faces)), 3)
    edge, which, count = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    if count.max() > 2:
        k = int(count.argmax())
        raise InputError(
            f"{count[k]} triangles meet at the edge between vertices {edge[k, 0]} and {edge[k, 1]}: a sheet "
            "has one or two; take the inner ones away"
        )
    beside = np.full((len(edge), 2), -1, dtype=np.int64)
    order = np.argsort(which.ravel(), kind="stable")
    first = np.cumsum(count) - count
    beside[:, 0] = owner[order[first]]
    two = count == 2
    beside[two, 1] = owner[order[first[two] + 1]]
    return edge, beside


def _corners(faces: IntArray, edge: IntArray, beside: IntArray) -> list[int]:
    across = [int(next(v for v in faces[t] if v not in edge)) for t in beside]
    return [int(edge[0]), int(edge[1]), *across]


def _hinges(points: Array, hinge: IntArray, stiffness: float) -> tuple[Array, Array, Array]:
    """K, B / (A₀ + A₁) and what hinges have at rest along their normals."""
    if not len(hinge):
        return np.zeros((0, 4)), np.zeros(0), np.zeros(0)
    x0, x1, x2, x3 = (points[hinge[:, k]] for k in range(4))

    def cot(at: Array, one: Array, other: Array) -> Array:
        u, w = one - at, other - at
        aside = np.linalg.norm(np.cross(u, w), axis=1)
        return np.einsum("ij,ij->i", u, w) / np.maximum(aside, 1e-12)

    c01, c02, c03, c04 = cot(x0, x1, x2), cot(x0, x1, x3), cot(x1, x0, x2), cot(x1, x0, x3)
    share = np.stack([c03 + c04, c01 + c02, -c01 - c03, -c02 - c04], axis=1)
    n0, n1 = np.cross(x1 - x0, x2 - x0), np.cross(x3 - x0, x1 - x0)
    area = 0.5 * (np.linalg.norm(n0, axis=1) + np.linalg.norm(n1, axis=1))
    normal = n0 + n1
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-12)[:, None]
    bent = np.einsum("hk,hki->hi", share, np.stack([x0, x1, x2, x3], axis=1))
    return share, stiffness / np.maximum(area, 1e-12), np.einsum("hi,hi->h", bent, normal)


def _span(points: Array, edge: IntArray, held: IntArray) -> float:
    """The longest way from what is held along edges [m]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    if not len(held):
        raise InputError("no vertex is held, so the cloth would fall")
    length = np.maximum(np.linalg.norm(points[edge[:, 0]] - points[edge[:, 1]], axis=1), 1e-9)
    graph = coo_array((length, (edge[:, 0], edge[:, 1])), shape=(len(points), len(points)))
    far = dijkstra(graph.tocsr(), directed=False, indices=held, min_only=True)
    if not np.isfinite(far).all():
        lost = int(np.flatnonzero(~np.isfinite(far))[0])
        raise InputError(
            f"vertex {lost} hangs on nothing that is held: hold each piece of the mesh somewhere (pins, grip)"
        )
    return max(float(far.max()), 1e-6)
