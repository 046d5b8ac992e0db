"""Bones of other lengths: a character whose segments are scaled one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Body, Character
from poise.character.labels import roles
from poise.character.masses import with_guessed_masses
from poise.character.shape import Shape
from poise.character.symmetry import symmetry

SHORTEST = 1e-4
"""A bone that is shorter has no length to scale [m]."""


def bones(character: Character) -> IntArray:
    """Bodies whose bone (from the parent's origin to theirs) has a length, root apart."""
    lengths = np.array([np.linalg.norm(np.asarray(b.offset)) for b in character.bodies])
    return np.asarray([i for i in range(1, len(lengths)) if lengths[i] > SHORTEST], dtype=np.int64)


def twins(character: Character) -> list[tuple[int, int]]:
    """Bones left and right that mirror one another."""
    plane = symmetry(character)
    known = [(i, b) for i, b in enumerate(character.bodies) if b.side != "centre"]
    left, right = ([i for i, b in known if b.side == side] for side in ("left", "right"))
    depth = [0] * len(character.bodies)
    for i, up in enumerate(character.parents.tolist()):
        depth[i] = 0 if up < 0 else depth[up] + 1
    pairs = []
    for i in left:
        mirrored = plane.places[i] - 2 * plane.aside[i] * plane.left
        near = [j for j in right if depth[j] == depth[i]]
        if near:
            j = min(near, key=lambda j: float(np.linalg.norm(plane.places[j] - mirrored)))
            if np.linalg.norm(plane.places[j] - mirrored) < 0.1 * plane.size:
                pairs.append((i, j))
    return pairs


def scaled(character: Character, scales: Array, whole: float, *, mass: float | None = None) -> Character:
    """Bones times their scales (n,); what sits on a body goes with the bones that leave it.

    ``mass`` [kg] is the total; masses are shared out anew by the table where the figure is human, else they
    keep their shares.
    """
    children = character.children

    def size(i: int) -> float:
        below = [
            float(scales[c]) for c in children[i] if np.linalg.norm(character.bodies[c].offset) > SHORTEST
        ]
        return float(np.mean(below)) if below else whole

    made = [_resized(b, float(scales[i]), size(i)) for i, b in enumerate(character.bodies)]
    grown = character.with_bodies(made, skin=None if _reshaped(scales) else character.skin)
    total = mass if mass is not None else grown.total_mass * whole**3
    if not total > 0:
        return grown
    human = character.mass_source == "anthropometric table" and "hips" in roles(character)
    bare = grown.with_bodies(grown.bodies, mass_source="none") if human else grown
    return with_guessed_masses(bare, total=total, method="table" if human else "auto")


def _reshaped(scales: Array) -> bool:
    return bool(np.ptp(scales[1:]) > 1e-6 or abs(float(scales[-1]) - 1.0) > 1e-6)


def _resized(body: Body, bone: float, size: float) -> Body:
    def shape(solid: Shape) -> Shape:
        return replace(solid, size=size * np.asarray(solid.size), position=size * np.asarray(solid.position))

    mass = replace(
        body.mass, centre=size * np.asarray(body.mass.centre), inertia=size**2 * np.asarray(body.mass.inertia)
    )
    points = {name: size * np.asarray(p) for name, p in body.points.items()}
    return body.replaced(
        offset=bone * np.asarray(body.offset), shapes=tuple(map(shape, body.shapes)), points=points, mass=mass
    )


def with_bone_scales(character: Character, scales: Array) -> Character:
    """The skeleton alone with other lengths: for fitting, quickly made."""
    made = [
        b.replaced(offset=float(s) * np.asarray(b.offset), shapes=(), points={})
        for b, s in zip(character.bodies, scales)
    ]
    return Character(character.name, made)
