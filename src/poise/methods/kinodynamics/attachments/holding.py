"""Which nodes of a soft body a bone holds: those inside its solids or its skin, or near it without either."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, Shape
from poise.character.shape import ShapeKind
from poise.errors import InputError
from poise.manifold import so3

NEAR = 0.12
"""How near is near, as a part of the soft body's size, where a bone has neither solids nor skin."""

MARGIN = 0.125
"""How far outside a solid nodes are still held, as a part of an element's edge. Nodes are half an edge apart:
were only those inside held, coarse elements would be held less, and swing slower."""


def held_nodes(
    character: Character,
    body: int,
    nodes: Array,
    hold: float | None,
    *,
    cell: float,
    diameter: float,
    name: str,
) -> IntArray:
    """Nodes (n, 3) in the bone's frame that are within ``hold`` [m] of it; too few are an error.

    ``cell`` [m] is the edge of an element, ``diameter`` the size of the body ``name``.
    """
    if hold is not None and not np.isfinite(hold):
        raise InputError(f"how far {name!r} is held must be a length [m], not {hold}")
    solid = outside_of_bone(character, body, nodes)
    if solid is not None:
        distance, within = solid, (MARGIN * cell if hold is None else hold)
    else:
        distance = _from_segments(character, body, nodes)
        within = NEAR * diameter if hold is None else hold
    held = np.flatnonzero(distance <= within)
    spread = np.linalg.svd(nodes[held] - nodes[held].mean(axis=0))[1] if len(held) > 2 else np.zeros(3)
    if len(held) < 3 or spread[1] < 1e-6 * diameter:
        raise InputError(
            f"{name!r} is not on the bone {character.names[body]}: only {len(held)} of {len(nodes)} nodes "
            f"are within {100 * within:.1f} cm of it, the nearest {100 * float(distance.min()):.1f} cm away; "
            "move it (offset), or hold more of it (hold)"
        )
    return held


def outside_of_bone(character: Character, body: int, points: Array) -> Array | None:
    """How far points in a bone's frame are outside its solids or, without any, the hull of its skin [m].

    Negative inside, (n,). None where the bone has neither.
    """
    solids = character.bodies[body].shapes
    if solids:
        return np.asarray(np.min([_outside(shape, points) for shape in solids], axis=0))
    planes = _hull(skin_of_bone(character, body))
    return None if planes is None else (points @ planes[:, :3].T + planes[:, 3]).max(axis=1)


def skin_of_bone(character: Character, body: int) -> Array:
    """Vertices that follow a bone more than any other, in its frame [m], (P, 3)."""
    skin = character.skin
    if skin is None:
        return np.zeros((0, 3))
    foremost = np.take_along_axis(skin.bodies, skin.weights.argmax(axis=1)[:, None], axis=1)[:, 0]
    bind = skin.inverse_bind[body]
    return np.asarray(skin.vertices[foremost == body] @ bind[:3, :3].T + bind[:3, 3])


def _hull(points: Array) -> Array | None:
    """Planes (k, 4) around points, normals outwards; None where they enclose nothing."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.asarray(ConvexHull(points).equations) if len(points) > 3 else None
    except QhullError:
        return None


def _outside(shape: Shape, points: Array) -> Array:
    """How far points are outside a solid [m], negative inside (of an ellipsoid: nearly), (n,)."""
    local = (points - np.asarray(shape.position)) @ so3.to_matrix(shape.rotation)
    a, b, c = (float(x) for x in np.asarray(shape.size))
    match shape.kind:
        case ShapeKind.SPHERE:
            return np.asarray(np.linalg.norm(local, axis=1) - a)
        case ShapeKind.CAPSULE:
            local[:, 2] -= np.clip(local[:, 2], -b, b)
            return np.asarray(np.linalg.norm(local, axis=1) - a)
        case ShapeKind.CYLINDER:
            return np.maximum(np.hypot(local[:, 0], local[:, 1]) - a, np.abs(local[:, 2]) - b)
        case ShapeKind.ELLIPSOID:
            k0 = np.linalg.norm(local / (a, b, c), axis=1)
            k1 = np.linalg.norm(local / np.square((a, b, c)), axis=1)
            return np.where(k1 > 0, k0 * (k0 - 1) / np.where(k1 > 0, k1, 1.0), -min(a, b, c))
        case ShapeKind.BOX:
            return np.asarray((np.abs(local) - (a, b, c)).max(axis=1))


def _from_segments(character: Character, body: int, points: Array) -> Array:
    """Distance [m] from the lines between a bone's origin and its children and named points, (n,)."""
    ends = [np.asarray(b.offset) for b in character.bodies if b.parent == character.names[body]]
    ends += [np.asarray(p.position) for p in character.points.values() if p.body == body]
    found = [np.linalg.norm(points, axis=1)]
    for end in ends:
        length = float(end @ end)
        if length > 0:
            s = np.clip(points @ end / length, 0.0, 1.0)
            found.append(np.linalg.norm(points - s[:, None] * end, axis=1))
    return np.asarray(np.min(found, axis=0))
