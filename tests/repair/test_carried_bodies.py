"""A body that is carried: every place of it moves by the way, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.character import Body, Character, Joint, presets
from poise.kinematics import Kinematics
from poise.motion import Clip
from poise.repair import carriage
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


def test_curves_are_those_of_dense_least_squares_and_thousands_of_frames_are_nothing():
    rng = np.random.default_rng(3)
    n, dt = 60, 1 / 60
    com, off, stands = rng.normal(0, 0.01, n).cumsum(), rng.normal(0, 0.02, n), rng.random(n) > 0.3
    second = np.diff(np.eye(n), 2, axis=0) / dt**2
    carried = stands[2:] & stands[1:-1] & stands[:-2]
    rows = np.concatenate([second / carriage.CALM, np.diag(stands / carriage.LEVEL), 1e4 * np.eye(n)[[0, 1]]])
    wanted = np.concatenate(
        [-(second @ com) * carried / carriage.CALM, off * stands / carriage.LEVEL, [0, 0]]
    )
    by_hand = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    np.testing.assert_allclose(carriage._curve(com, dt, off, stands, (False, True)), by_hand, atol=1e-9)
    many = np.zeros((200_000, 2))  # dense, it would be 320 GB
    assert carriage._way_back(many, dt, many + 0.1, np.ones(len(many), dtype=bool)).shape == many.shape


@pytest.mark.parametrize("fps", [1, 2])
def test_a_body_sunk_for_one_frame_at_few_frames_a_second_is_no_crash(fps):
    still = clips.get("reach")
    q = np.repeat(still.q[:1], 24, axis=0)
    q[12, 2] -= 0.1
    assert poise.fix(Clip(still.character, q, fps)).clip.frames == 24
