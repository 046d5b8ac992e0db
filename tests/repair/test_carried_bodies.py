"""A body that is carried: every place of it moves by the way, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.character import Body, Character, Joint, presets
from poise.kinematics import Kinematics
from poise.repair.carriage import can_move, moved

WAY = np.linspace([0.1, -0.2, 0.3], [-0.4, 0.5, 0.05], 10)


def test_every_place_moves_by_the_way():
    clip = clips.get("walk")
    q = clip.q[:10]
    before, after = (Kinematics(clip.character, x) for x in (q, moved(clip.character, q, WAY)))
    went = np.asarray(after.positions) - np.asarray(before.positions)
    np.testing.assert_allclose(went, np.broadcast_to(WAY[:, None], went.shape), atol=1e-12)
    np.testing.assert_array_equal(np.asarray(after.rotations), np.asarray(before.rotations))
    assert np.array_equal(q, clip.q[:10]), "what was given stays"


def test_a_planar_body_moves_within_its_plane():
    character = Character("cart", [Body("cart", None, Joint.planar())])
    q = np.zeros((10, 3))
    went = np.asarray(Kinematics(character, moved(character, q, WAY)).positions)[:, 0]
    np.testing.assert_allclose(went, WAY * [1.0, 0.0, 1.0], atol=1e-12)


def test_what_is_fixed_cannot_be_moved():
    character = Character("lamp", [Body("foot", None, Joint.hinge((0, 1, 0)))])
    assert not can_move(character)
    with pytest.raises(ValueError, match="lamp"):
        moved(character, np.zeros((10, 1)), WAY)


def test_presets_that_walk_can_be_moved():
    humanoid = presets.humanoid()
    assert moved(humanoid, np.tile(humanoid.rest_pose(), (10, 1)), WAY).shape == (10, humanoid.nq)
