"""How a bone holds a soft body: on an elastic bed in its solids or its skin, or near it without either.

Were nodes themselves held, which ones are would change with the elements, and with it the tempo: the edge of
what is held would jump from node to node, and stresses there have no bound that finer elements could settle
on. The bed is springs per volume, the same for any elements,

    k = E / (GIVE d)²  in the bone, nothing outside, and over 2 GIVE d across its boundary in between

E the body's stiffness and d its diameter. What is in the bone gives way by a millimetre or two at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, Shape
from poise.character.shape import ShapeKind
from poise.dynamics.elastic import Lattice
from poise.errors import InputError
from poise.manifold import so3
from poise.methods.loosen.wear.flesh import bare_skull
from poise.methods.loosen.wear.skinned import skin_of_bone

NEAR = 0.12
"""How near is near, as a part of the soft body's size, where a bone has neither solids nor skin."""

GIVE = 0.045
"""Depth within which the bed takes the body's motion away, as a part of its diameter."""


def bed_of(
    character: Character,
    body: int,
    lattice: Lattice,
    hold: float | None,
    *,
    young: float,
    diameter: float,
    name: str,
) -> Any:
    """Springs [N/m] between a bone and the nodes of a lattice in its frame, sparse (n, n).

    They act within ``hold`` [m] of the bone; a body too little of which is there is an error.
    """
    if hold is not None and not np.isfinite(hold):
        raise InputError(f"how far {name!r} is held must be a length [m], not {hold}")
    inside = lattice.fill > 1e-6
    places = lattice.places[inside]
    distance, within = outside_of_bone(character, body, places), 0.0
    if distance is None:
        distance, within = from_segments(character, body, places), NEAR * diameter
    within = within if hold is None else hold
    held = places[distance <= within]
    spread = np.linalg.svd(held - held.mean(axis=0))[1] if len(held) > 2 else np.zeros(3)
    if len(held) < 3 or spread[1] < 1e-6 * diameter:
        where = f"within {100 * within:.1f} cm of it" if within else "in it"
        raise InputError(
            f"{name!r} is not on the bone {character.names[body]}: only {len(held)} of its {len(places)} "
            f"places are {where}, the nearest {100 * float(distance.min()):.1f} cm away; move it (offset), "
            "or hold more of it (hold)"
        )
    give = GIVE * diameter
    springs = np.zeros(lattice.fill.shape)
    springs[inside] = np.clip(0.5 - (distance - within) / (2 * give), 0.0, 1.0) * young / give**2
    return lattice.gram(springs)


def solid_shapes(character: Character, body: int) -> tuple[Shape, ...]:
    """The solids of a bone; of a bare skeleton's head the skull that must be there."""
    own = tuple(character.bodies[body].shapes)
    skull = None if own else bare_skull(character, body)
    return own if skull is None else (skull,)


def outside_of_bone(character: Character, body: int, points: Array) -> Array | None:
    """How far points in a bone's frame are outside its solids or, without any, the hull of its skin [m].

    Negative inside, (n,). None where the bone has neither.
    """
    solids = solid_shapes(character, body)
    if solids:
        return np.asarray(np.min([_outside(shape, points) for shape in solids], axis=0))
    planes = _hull(skin_of_bone(character, body))
    return None if planes is None else (points @ planes[:, :3].T + planes[:, 3]).max(axis=1)


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


def from_segments(character: Character, body: int, points: Array) -> Array:
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
