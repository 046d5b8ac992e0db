"""Creatures written down in world coordinates: where each joint stands, and solids around it.

All frames are aligned with the world at rest, so a body's offset is the difference of two joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character.body import Body, Mass
from poise.character.character import Character
from poise.character.joint import Joint
from poise.character.shape import Shape


@dataclass(frozen=True, eq=False)
class Bone:
    """A body by the place of its joint; shapes and points are in world coordinates too."""

    name: str
    parent: str | None
    at: ArrayLike
    shapes: tuple[Shape, ...] = ()
    joint: Joint = field(default_factory=lambda: Joint.ball(-1.0, 1.0))
    points: Mapping[str, ArrayLike] = field(default_factory=dict)
    limb: str = ""
    mass: float | None = None
    """[kg]; None: by the volume of the shapes."""


def bodies(bones: Iterable[Bone], known: Iterable[Bone] = ()) -> list[Body]:
    """Bodies of bones; parents are among the bones or those already ``known``."""
    bones = list(bones)
    places = {b.name: np.asarray(b.at, dtype=np.float64) for b in (*known, *bones)}
    out = []
    for bone in bones:
        at = places[bone.name]
        shapes = tuple(moved(s, -at) for s in bone.shapes)
        mass = Mass()
        if shapes:
            mass = Mass.of_shapes(shapes, density=None if bone.mass else 1000.0, mass=bone.mass)
        out.append(
            Body(
                bone.name,
                bone.parent,
                bone.joint,
                at - (places[bone.parent] if bone.parent is not None else 0.0),
                mass=mass,
                shapes=shapes,
                points={n: np.asarray(p) - at for n, p in bone.points.items()},
                side="left" if bone.name.startswith("Left") else "centre",
                limb=bone.limb,
            )
        )
    return out


def moved(shape: Shape, by: Array) -> Shape:
    """The same solid elsewhere."""
    return Shape(shape.kind, shape.size, np.asarray(shape.position) + by, shape.rotation, shape.material)


def scaled_to(character: Character, total: float) -> Character:
    """The same character with its masses scaled to ``total`` [kg]."""
    factor = total / character.total_mass
    return character.with_masses([b.mass.scaled(factor) for b in character.bodies], "given")
