"""Masses from the volume inside a skinned mesh, shared out by its vertex weights.

By the divergence theorem the volume inside a closed mesh is a sum over its triangles, but a sum of
tetrahedra over one common point says nothing about *which body* the inside belongs to. So each
vertex is joined to a point on the bones it follows, ``a_v = Σ_j w_vj · nearest_j(x_v)``: every
triangle becomes a prism down to the skeleton. The prisms of a closed mesh fill it exactly, up to
the volume enclosed by the image of the mesh, which is nil where that lies on lines. A prism is
cut into three tetrahedra along the same diagonals as its neighbours, and

    ∫ dV = V,   ∫ x = V x̄,   ∫ x xᵀ = V/20 (Σ x_i x_iᵀ + 16 x̄ x̄ᵀ)

are shared among the bodies by the mean weights of its corners. All of it is linear in these weights, so that
it is gathered at the vertices first.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character.body import Mass
from poise.character.capsule_masses import DENSITY, bone_ends
from poise.character.character import Character
from poise.character.skin import Skin

_MAY_BE_OPEN = 0.03
"""Holes over surface that still pass as closed: eye sockets, a cut neck."""


@lru_cache(maxsize=4)
def open_fraction(skin: Skin) -> float:
    """Area of the holes over the area of the mesh, at most; 0 for a closed, well-oriented one.

    A hole with a rim of length L has at most the area L²/4π, however fine the mesh. Vertices at
    the same place count as one: files split them along texture seams.
    """
    if not len(skin.faces):
        return 1.0
    size = float(np.ptp(skin.vertices, axis=0).max()) or 1.0
    cell = np.round(skin.vertices / (1e-6 * size)).astype(np.int64)
    cell -= cell.min(axis=0)  # none is as much as 2²⁰ + 2: three are one number
    _, same = np.unique((cell[:, 0] << 42) + (cell[:, 1] << 21) + cell[:, 2], return_inverse=True)
    faces = same.reshape(-1)[skin.faces]
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    count = int(same.max()) + 1  # of all places, also of vertices that no triangle has
    # An edge is shut when the same edge is run through the other way just as often.
    forward, runs = np.unique(edges @ [count, 1], return_counts=True)
    back, returns = np.unique(edges @ [1, count], return_counts=True)
    place = np.searchsorted(back, forward)
    matched = np.where(back[np.minimum(place, len(back) - 1)] == forward, returns[place % len(back)], 0)
    rim = forward[runs > matched]
    rim = np.stack([rim // count, rim % count], axis=1)
    rim = rim[rim[:, 0] != rim[:, 1]]
    points = np.zeros((count, 3))
    points[same.reshape(-1)] = skin.vertices
    corners = np.asarray(skin.vertices)[skin.faces]
    area = 0.5 * np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    holes = sum(length**2 for length in _rim_lengths(rim, points)) / (4 * np.pi)
    return min(1.0, holes / max(float(area.sum()), 1e-18))


def _rim_lengths(rim: IntArray, points: Array) -> list[float]:
    """Lengths of the connected pieces of a set of edges [m]."""
    leader: dict[int, int] = {}

    def find(v: int) -> int:
        while leader.setdefault(v, v) != v:
            leader[v] = v = leader[leader[v]]
        return v

    for a, b in rim.tolist():
        leader[find(a)] = find(b)
    length: dict[int, float] = {}
    for a, b in rim.tolist():
        length[find(a)] = length.get(find(a), 0.0) + float(np.linalg.norm(points[a] - points[b]))
    return list(length.values())


def why_not_solid(character: Character) -> str | None:
    """What keeps the skin from giving masses, or None."""
    skin = character.skin
    if skin is None:
        return "it has no skin"
    gaps = open_fraction(skin)
    if gaps > _MAY_BE_OPEN:
        return f"its skin is not closed (holes make up to {100 * gaps:.0f} % of it)"
    volume = skin_moments(character)[0].sum()
    return None if volume > 0 else "its skin is inside out"


def skin_masses(character: Character, *, total: float | None) -> tuple[list[Mass], list[str]]:
    """Mass of every body from its share of the skin's inside, and notes."""
    skin = character.skin
    assert skin is not None
    volumes, firsts, seconds = skin_moments(character)
    rho = DENSITY if total is None else total / float(volumes.sum())
    notes = [f"masses by the volume inside the skin ({1000 * volumes.sum():.1f} litres)"]
    gaps = open_fraction(skin)
    if gaps:
        notes.append(f"the skin is not quite closed (holes make up to {100 * gaps:.1g} % of it)")
    masses: list[Mass] = []
    doubtful: list[str] = []
    for i, (volume, first, second) in enumerate(zip(volumes, firsts, seconds)):
        if volume <= 1e-9 * volumes.sum():
            masses.append(Mass())
            continue
        to_body = skin.inverse_bind[i]
        centre = first / volume
        spread = second / volume - np.outer(centre, centre)
        spread = to_body[:3, :3] @ spread @ to_body[:3, :3].T
        centre = to_body[:3, :3] @ centre + to_body[:3, 3]
        variances = np.linalg.eigvalsh(spread)
        if variances[0] <= 1e-4 * variances[2] or variances[0] <= 0:
            # Folded weights can leave a body with no sound solid: a ball of its volume will do.
            doubtful.append(character.names[i])
            spread = np.eye(3) * 0.2 * (0.75 * volume / np.pi) ** (2 / 3)
        masses.append(Mass(volume * rho, centre, volume * rho * (np.trace(spread) * np.eye(3) - spread)))
    if doubtful:
        notes.append(f"taken as balls, for their skin encloses no solid: {', '.join(doubtful)}")
    return masses, notes


@lru_cache(maxsize=4)
def skin_moments(character: Character) -> tuple[Array, Array, Array]:
    """Volume (n,), ∫x (n, 3) and ∫xxᵀ (n, 3, 3) of every body's share, in the skin's rest frame."""
    skin = character.skin
    assert skin is not None
    count = len(character.bodies)
    anchors = _anchors(character, skin)  # (V, 3)
    order = np.argsort(skin.faces, axis=1)
    corner = np.take_along_axis(skin.faces, order, axis=1)  # (T, 3), ascending
    # Sorting a triangle's corners may turn it over; the sign puts that right.
    even = np.isin(order @ [1, 2, 4], [0 + 2 * 1 + 4 * 2, 1 + 2 * 2 + 0, 2 + 0 + 4 * 1])
    sign = np.where(even, 1.0, -1.0)
    top, low = np.asarray(skin.vertices)[corner], anchors[corner]  # (T, 3, 3) each
    both = np.concatenate([top, low], axis=1)  # (T, 6, 3)
    gathered = np.zeros((3, len(corner), 13))
    for turn, tet in ((-1, [0, 1, 2, 5]), (1, [0, 1, 4, 5]), (-1, [0, 3, 4, 5])):
        points = both[:, tet]
        one, other, third = (points[:, k] - points[:, 0] for k in (1, 2, 3))
        volume = turn * sign * np.sum(one * np.cross(other, third), axis=1) / 6
        middle = points.mean(axis=1)
        second = points.transpose(0, 2, 1) @ points + 16 * middle[:, :, None] * middle[:, None, :]
        parts = np.column_stack([np.ones(len(volume)), middle, second.reshape(-1, 9) / 20])
        parts *= volume[:, None]
        for c, times in enumerate(np.bincount(np.array(tet) % 3, minlength=3)):
            gathered[c] += times / 4 * parts
    at, values = corner.T.reshape(-1), gathered.reshape(-1, 13)
    of_vertices = np.stack([np.bincount(at, v, len(skin.vertices)) for v in values.T], axis=1)
    found = _dense_weights(skin, count).T @ of_vertices  # (n, 13)
    return frozen(found[:, 0]), frozen(found[:, 1:4]), frozen(found[:, 4:].reshape(count, 3, 3))


def _dense_weights(skin: Skin, count: int) -> Array:
    weights = np.zeros((len(skin.vertices), count))
    rows: IntArray = np.arange(len(skin.vertices))
    for k in range(skin.weights.shape[1]):
        np.add.at(weights, (rows, skin.bodies[:, k]), skin.weights[:, k])
    return weights


def _anchors(character: Character, skin: Skin) -> Array:
    """The point on the bones that each vertex hangs on, (V, 3)."""
    out = np.zeros_like(skin.vertices)
    from_body = np.linalg.inv(skin.inverse_bind)
    vertices = np.asarray(skin.vertices)
    for k in range(skin.weights.shape[1]):
        for i in np.unique(skin.bodies[:, k]):
            mine = (skin.bodies[:, k] == i) & (skin.weights[:, k] > 0)
            if mine.any():
                start = from_body[i, :3, 3]
                ends = [start + from_body[i, :3, :3] @ e for e in bone_ends(character, int(i))] or [start]
                out[mine] += skin.weights[mine, k, None] * _nearest(vertices[mine], start, ends)
    return out


def _nearest(points: Array, start: Array, ends: list[Array]) -> Array:
    """The nearest point to each of ``points`` on the segments from ``start`` to ``ends``, (k, 3)."""
    best, least = np.repeat(start[None], len(points), axis=0), np.full(len(points), np.inf)
    for end in ends:
        span = end - start
        s = np.clip((points - start) @ span / max(float(span @ span), 1e-18), 0.0, 1.0)
        there = start + s[:, None] * span
        far = np.linalg.norm(points - there, axis=1)
        best, least = np.where((far < least)[:, None], there, best), np.minimum(far, least)
    return best
