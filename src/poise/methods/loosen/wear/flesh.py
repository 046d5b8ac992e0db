"""What a body is to something that it wears: solids on its bones, whatever it was made of.

Bodies that have solids have those; others those that lie around their skin's vertices, along their principal
axes. A bare skeleton gets limbs, a trunk and a skull by what its bones are (``character.stance``), of the
sizes that its own lengths and the stature ask for: what pictures show of it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from poise.arrays import Array
from poise.character import Character, Shape
from poise.character.labels import roles
from poise.character.naming import Part
from poise.character.shape import ShapeKind
from poise.character.stance import Anatomy, Skull
from poise.dynamics.cloth import Solid
from poise.manifold import so3
from poise.methods.loosen.wear.skinned import skin_of_bone

WIDTHS = {
    Part.THIGH: 0.040, Part.SHIN: 0.027, Part.UPPER_ARM: 0.026, Part.FOREARM: 0.020, Part.CLAVICLE: 0.030,
    Part.FORELEG: 0.028, Part.NECK: 0.028, Part.HAND: 0.018, Part.FOOT: 0.018, Part.TOES: 0.014,
    Part.TAIL: 0.016, Part.WING: 0.015,
}  # fmt: skip
"""Radius of a part over the stature, where only bones are known; at most a quarter of a bone's length."""
DEPTH = 0.060
"""Half the depth of a trunk over the stature."""
ROUND = 0.93
"""An ellipsoid is a box with round edges that is smaller by this: edges would stick out."""
MOST = 0.95
"""Share of a bone's skin that is within its solid along each axis."""
FEW = 12
"""Vertices that a solid takes at least."""


@lru_cache(maxsize=8)
def solids_of(character: Character) -> tuple[Solid, ...]:
    """Solids of all bodies."""
    if any(body.shapes for body in character.bodies):
        return tuple(_of_shape(i, s) for i, body in enumerate(character.bodies) for s in body.shapes)
    if character.skin is not None:
        found = (_around(i, skin_of_bone(character, i)) for i in range(len(character.bodies)))
        return tuple(solid for solid in found if solid is not None)
    return tuple(_guessed(Anatomy(character)))


def bare_skull(character: Character, body: int) -> Shape | None:
    """The head that a bare skeleton's bone must carry, in its frame; None where it is no head."""
    if character.skin is not None or body != roles(character).get("head"):
        return None
    anatomy = Anatomy(character)
    skull = anatomy.skull(body)
    turn, at = anatomy.turns[body].T, anatomy.at[body]
    return Shape(
        ShapeKind.ELLIPSOID, skull.radii, turn @ (skull.centre - at),
        so3.from_matrix(turn @ _axes(skull.up, anatomy.left)),
    )  # fmt: skip


def _of_shape(body: int, shape: Shape) -> Solid:
    turn, centre = so3.to_matrix(shape.rotation), np.asarray(shape.position)
    a, b, c = (float(x) for x in np.asarray(shape.size))
    match shape.kind:
        case ShapeKind.SPHERE:
            core, radius = np.zeros(3), a
        case ShapeKind.CAPSULE:
            core, radius = np.array([0.0, 0.0, b]), a
        case ShapeKind.CYLINDER:
            radius = min(a, b)
            core = np.array([a - radius, a - radius, b - radius])
        case ShapeKind.ELLIPSOID:
            half = ROUND * np.array([a, b, c])
            radius = float(half.min())
            core = half - radius
        case ShapeKind.BOX:
            radius = 0.5 * min(a, b, c)
            core = np.array([a, b, c]) - radius
    return Solid(body, centre, np.asarray(turn), core, radius)


def _around(body: int, points: Array) -> Solid | None:
    """A box with round edges around points (P, 3), as round as it is thin."""
    if len(points) < FEW:
        return None
    middle = points.mean(axis=0)
    axes = np.linalg.svd(points - middle, full_matrices=False)[2]
    axes[2] = np.cross(axes[0], axes[1])
    own = (points - middle) @ axes.T
    low, high = np.quantile(own, [0.5 - 0.5 * MOST, 0.5 + 0.5 * MOST], axis=0)
    half = np.maximum(0.5 * (high - low), 1e-4)
    radius = float(half.min())
    return Solid(body, middle + 0.5 * (low + high) @ axes, axes.T, half - radius, radius)


def _axes(up: Array, left: Array) -> Array:
    """Columns: ahead, left, up."""
    y = left - (left @ up) * up
    y = y / np.linalg.norm(y) if np.linalg.norm(y) > 1e-6 else np.cross(up, [1.0, 0.0, 0.0])
    y = y / np.linalg.norm(y)
    return np.stack([np.cross(y, up), y, up], axis=1)


def _guessed(anatomy: Anatomy) -> Iterator[Solid]:
    """Solids of a bare skeleton."""
    tall, head = anatomy.stature, anatomy.roles.get("head")
    for i, kind in enumerate(anatomy.kinds):
        turn, at = anatomy.turns[i].T, anatomy.at[i]
        if i == head:
            skull: Skull = anatomy.skull(i)
            half = ROUND * skull.radii
            radius = float(half.min())
            axes = turn @ _axes(skull.up, anatomy.left)
            yield Solid(i, turn @ (skull.centre - at), axes, half - radius, radius)
        elif anatomy.known and i in anatomy.trunk:
            yield from _trunk(anatomy, i, tall)
        elif kind in WIDTHS or not anatomy.known:
            for end in anatomy.ends[i]:
                long = float(np.linalg.norm(end - at))
                if long > 0.01 * tall:
                    wide = min(WIDTHS.get(kind, 0.02) * tall, 0.25 * long)
                    yield _rod(i, turn @ (end - at), wide)


def _rod(body: int, end: Array, radius: float) -> Solid:
    """A capsule from a bone's origin to ``end`` in its frame."""
    long = float(np.linalg.norm(end))
    other = np.eye(3)[int(np.abs(end).argmin())]
    return Solid(
        body, 0.5 * end, _axes(end / long, np.cross(end, other)), np.array([0.0, 0.0, 0.5 * long]), radius
    )  # fmt: skip


def _trunk(anatomy: Anatomy, body: int, tall: float) -> Iterator[Solid]:
    """The part of a trunk that a bone carries: a slab up to the next bone, or to the shoulders."""
    where, turn = anatomy.trunk.index(body), anatomy.turns[body].T
    low = anatomy.hips if where == 0 else anatomy.at[body]
    last = where + 1 == len(anatomy.trunk)
    high = anatomy.shoulders if last else anatomy.at[anatomy.trunk[where + 1]]
    long = float(np.linalg.norm(high - low))
    if long < 0.01 * tall:
        return
    wide = float(np.clip(0.5 * anatomy.shoulder_span * (0.9 if last else 0.75), 0.055 * tall, 0.10 * tall))
    radius = min(DEPTH * tall, wide)
    core = np.array([0.0, wide - radius, max(0.5 * long - 0.3 * radius, 0.0)])
    axes = turn @ _axes((high - low) / long, anatomy.left)
    yield Solid(body, turn @ (0.5 * (low + high) - anatomy.at[body]), axes, core, radius)
