"""Places by numpy are those of the compiled kernels."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.character import JointKind, presets
from poise.errors import InputError
from poise.kinematics import Kinematics
from random_trees import random_character


@pytest.mark.parametrize("root", list(JointKind))
@pytest.mark.parametrize("seed", range(4))
def test_places_are_those_of_compiled_kinematics(seed, root):
    rng = np.random.default_rng(seed)
    character = random_character(rng, 9, root=root)
    q = np.stack([character.manifold.random(rng) for _ in range(5)])
    places, body = character.placement(q), Kinematics(character, q)
    np.testing.assert_allclose(places.positions, body.positions, atol=1e-12)
    np.testing.assert_allclose(places.rotations, body.rotations, atol=1e-12)


@pytest.mark.parametrize("name", presets.names())
def test_rest_placement_is_the_rest_pose_placed(name):
    character = presets.get(name)
    body = Kinematics(character, character.rest_pose())
    np.testing.assert_allclose(character.rest_placement().positions, body.positions[0], atol=1e-13)
    np.testing.assert_allclose(character.rest_placement().rotations, body.rotations[0], atol=1e-13)


def test_no_frames_have_no_places():
    character = clips.get("walk").character
    places = character.placement(np.zeros((0, character.nq)))
    assert places.positions.shape == (0, len(character.bodies), 3)
    assert places.rotations.shape == (0, len(character.bodies), 3, 3)


def test_what_is_no_pose_is_refused_and_places_are_kept():
    character = clips.get("walk").character
    with pytest.raises(InputError, match="q"):
        character.placement(character.rest_pose())
    with pytest.raises(InputError, match="q"):
        character.placement(np.zeros((2, character.nq + 1)))
    assert not character.placement(character.rest_pose()[None]).rotations.flags.writeable
