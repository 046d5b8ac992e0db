"""Masses from capsules along the bones, for any skeleton at all.

A bone runs from a body's joint to each child's joint, or to the end points of a leaf. Its capsule
is a fifth as thick as it is long, within bounds set by the size of the whole skeleton, and as
dense as water.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character.body import Mass
from poise.character.character import Character
from poise.character.shape import Shape

DENSITY = 1000.0
"""Of flesh, about that of water [kg/m³]."""
_SLENDERNESS = 0.2
"""Radius over length of a bone's capsule."""
_THINNEST, _THICKEST = 0.004, 0.05
"""Bounds of the radius over the size of the skeleton."""


def bone_ends(character: Character, body: int) -> list[Array]:
    """Where the bones of a body end, in its own frame [m].

    A leaf without end points is taken to go on half as far as the bone that leads to it.
    """
    children = character.children[body]
    ends = [np.asarray(character.bodies[i].offset) for i in children]
    if not children:
        ends += [np.asarray(p) for p in character.bodies[body].points.values()]
    ends = [e for e in ends if np.linalg.norm(e) > 1e-9]
    if not ends and not children:
        ends = [0.5 * _own_direction(character, body)]
    return [e for e in ends if np.linalg.norm(e) > 1e-9]


def bone_shapes(character: Character) -> list[list[Shape]]:
    """Capsules along the bones of every body; none for a helper without length."""
    size = skeleton_size(character)
    out = []
    for i in range(len(character.bodies)):
        shapes = []
        for end in bone_ends(character, i):
            length = float(np.linalg.norm(end))
            radius = float(np.clip(_SLENDERNESS * length, _THINNEST * size, _THICKEST * size))
            # The round ends stay inside the bone, so that neighbours do not overlap much.
            inset = min(radius, 0.5 * length) / length
            shapes.append(Shape.capsule(end * inset, end * (1 - inset), radius))
        out.append(shapes)
    return out


def skeleton_size(character: Character) -> float:
    """Longest way from the root to any joint or end point, twice: a size that no pose changes [m]."""
    reach = np.zeros(len(character.bodies))
    for i, body in enumerate(character.bodies):
        up = int(character.parents[i])
        reach[i] = reach[up] + float(np.linalg.norm(body.offset)) if up >= 0 else 0.0
    ends = [
        reach[i] + float(np.linalg.norm(p))
        for i, body in enumerate(character.bodies)
        for p in body.points.values()
    ]
    return 2 * max([float(reach.max()), *ends]) or 1.0


def capsule_masses(character: Character, *, total: float | None) -> list[Mass]:
    """Mass of every body from its capsules, scaled to ``total`` if given."""
    masses = [Mass.of_shapes(s, density=DENSITY) if s else Mass() for s in bone_shapes(character)]
    if total is None:
        return masses
    whole = sum(m.mass for m in masses)
    return [m.scaled(total / whole) for m in masses]


def _own_direction(character: Character, body: int) -> Array:
    """The bone that leads to a body, seen in its frame: a guess of where the body itself points."""
    at, turns = character.rest_placement()
    up = int(character.parents[body])
    while up >= 0:
        way = at[body] - at[up]
        if np.linalg.norm(way) > 1e-9:
            return np.asarray(turns[body].T @ way)
        up = int(character.parents[up])
    return np.array([0.0, 0.0, 0.2])
