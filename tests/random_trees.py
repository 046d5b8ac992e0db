"""Random characters for tests: any tree, any joint kinds, generic placements and inertias."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Joint, JointKind, Mass

ALL_KINDS = tuple(JointKind)


def random_rotation(rng: np.random.Generator) -> Array:
    """A uniformly random unit quaternion, (4,)."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_mass(rng: np.random.Generator) -> Mass:
    """A possible rigid body: the exact inertia of a random cloud of point masses."""
    weights, points = rng.uniform(0.1, 1.0, size=6), rng.normal(scale=0.2, size=(6, 3))
    parts = [Mass(w, p) for w, p in zip(weights, points)]
    return Mass.combined(parts)


def random_character(
    rng: np.random.Generator,
    n: int,
    *,
    kinds: Sequence[JointKind] = ALL_KINDS,
    root: JointKind = JointKind.FREE,
    armature: float = 0.3,
    branching: float = 0.5,
) -> Character:
    """A tree of n bodies with joints drawn from ``kinds``.

    ``armature`` is the largest joint inertia (0: none); a body hangs from the one before it with
    probability 1 − ``branching``, else from any earlier one.
    """
    bodies: list[Body] = []
    for i in range(n):
        kind = root if i == 0 else kinds[int(rng.integers(len(kinds)))]
        up = None
        if i:
            up = f"b{i - 1 if rng.uniform() > branching else int(rng.integers(i))}"
        joint = Joint(kind, axis=rng.normal(size=3), armature=rng.uniform(0, armature, size=kind.nv))
        offset, rest = rng.normal(scale=0.3, size=3), random_rotation(rng)
        bodies.append(Body(f"b{i}", up, joint, offset, rest, random_mass(rng)))
    return Character(f"random{n}", bodies)


def random_state(
    rng: np.random.Generator, character: Character, frames: int, *, spread: float = 1.0
) -> tuple[Array, Array, Array]:
    """Poses (F, nq), velocities and accelerations or forces (F, nv)."""
    rest = np.tile(character.rest_pose(), (frames, 1))
    q = character.manifold.plus(rest, spread * rng.normal(size=(frames, character.nv)))
    return q, rng.normal(size=(frames, character.nv)), rng.normal(size=(frames, character.nv))
