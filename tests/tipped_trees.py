"""Random characters with a named point on every body, for kinematics and handles."""

from __future__ import annotations

import numpy as np

import random_trees
from poise.character import Character, JointKind

ROOTS = tuple(JointKind)


def random_character(rng: np.random.Generator, n: int, root: JointKind = JointKind.FREE) -> Character:
    """A random tree of every joint kind; body ``b3`` carries the point ``tip3``, and so on."""
    plain = random_trees.random_character(rng, n, root=root)
    bodies = [b.replaced(points={f"tip{b.name[1:]}": 0.2 * rng.normal(size=3)}) for b in plain.bodies]
    return Character(f"{plain.name} on {root.name.lower()}", bodies)
