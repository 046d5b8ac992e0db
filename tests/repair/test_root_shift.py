"""A body that is carried: every place of it moves by the way, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.character import Body, Character, Joint, presets
from poise.kinematics import Kinematics
from poise.repair.proposal import Unmendable
from poise.repair.root_shift import carried

WAY = np.linspace([0.1, -0.2, 0.3], [-0.4, 0.5, 0.05], 10)


def test_every_place_moves_by_the_way():
    clip = clips.get("walk")
    q = clip.q[:10]
    before, after = (Kinematics(clip.character, x) for x in (q, carried(clip.character, q, WAY)))
    moved = np.asarray(after.positions) - np.asarray(before.positions)
    np.testing.assert_allclose(moved, np.broadcast_to(WAY[:, None], moved.shape), atol=1e-12)
    np.testing.assert_array_equal(np.asarray(after.rotations), np.asarray(before.rotations))
    assert np.array_equal(q, clip.q[:10]), "what was given stays"


def test_a_planar_body_moves_within_its_plane():
    character = Character("cart", [Body("cart", None, Joint.planar())])
    q = np.zeros((10, 3))
    moved = np.asarray(Kinematics(character, carried(character, q, WAY)).positions)[:, 0]
    np.testing.assert_allclose(moved, WAY * [1.0, 0.0, 1.0], atol=1e-12)


def test_what_is_fixed_cannot_be_carried():
    character = Character("lamp", [Body("foot", None, Joint.hinge((0, 1, 0)))])
    with pytest.raises(Unmendable, match="root is hinge"):
        carried(character, np.zeros((10, 1)), WAY)


def test_presets_that_walk_can_be_carried():
    humanoid = presets.humanoid()
    assert carried(humanoid, np.tile(humanoid.rest_pose(), (10, 1)), WAY).shape == (10, humanoid.nq)
