"""Weights that a performer carries, and balls that fly at it, as physics has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.character import Character, Mass, Shape, ShapeKind
from poise.operations.values.disturbance import Load, Throw


def carrying(character: Character, load: Load) -> Character:
    """The character with a weight on it."""
    i = character.index(load.body)
    added = Mass(load.mass, load.place, np.full(3, 0.4 * load.mass * load.radius**2))
    masses = [b.mass for b in character.bodies]
    masses[i] = Mass.combined([masses[i], added])
    return character.with_masses(masses, character.mass_source)


def laden(character: Character, loads: Sequence[Load], time: float, *, known: bool) -> Character:
    """The character with what it carries at a time; ``known``: only what its controller knows of."""
    for load in loads:
        if load.time <= time + 1e-9 and (load.known or not known):
            character = carrying(character, load)
    return character


def solid(throw: Throw) -> Shape:
    """What collides."""
    return Shape(ShapeKind.SPHERE, (throw.radius, 0, 0), material="target")
