"""What the browser is told of joints puts bodies where kinematics does, by the browser's own formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import random_trees
from poise.character import Character, JointKind
from poise.studio.server.joint_facts import joint_facts


def placed(character: Character, q: np.ndarray) -> np.ndarray:
    """Places of bodies as ``web/src/pose/skeleton.ts`` finds them: x = x_p + R_p (offset + t),
    R = R_p · rest · Q."""
    at: list[np.ndarray] = []
    turns: list[Rotation] = []
    for i, fact in enumerate(joint_facts(character)):
        up = int(character.parents[i])
        own = q[fact.start : fact.start + fact.size]
        rest, turn, place = Rotation.from_quat(fact.rest), Rotation.identity(), np.array(fact.offset)
        if fact.kind == "hinge":
            turn = Rotation.from_rotvec(own[0] * np.array(fact.axis))
        elif fact.kind in ("ball", "free"):
            w, x, y, z = own[-4:]
            turn = Rotation.from_quat([x, y, z, w])
            place = own[:3] if fact.kind == "free" else place
        elif fact.kind == "slide":
            place = place + own[0] * rest.apply(fact.axis)
        above, origin = (turns[up], at[up]) if up >= 0 else (Rotation.identity(), np.zeros(3))
        at.append(origin + above.apply(place))
        turns.append(above * rest * turn)
    return np.array(at)


@pytest.mark.parametrize("seed", range(8))
def test_bodies_are_where_kinematics_has_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in JointKind if kind is not JointKind.PLANAR]  # those are not posed there
    character = random_trees.random_character(rng, 9, kinds=kinds)
    q, _, _ = random_trees.random_state(rng, character, 3)
    for pose, places in zip(q, character.placement(q)[0]):
        np.testing.assert_allclose(placed(character, pose), places, atol=1e-9)
