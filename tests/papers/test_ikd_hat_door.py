"""Kry et al. 2012, the hat through a door: a passive body is aimed by the skeleton that carries it."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import Kinematics


@pytest.fixture(scope="module")
def door():
    return example("50_hat_door").scene()


def test_the_hat_strikes_as_animated_and_misses_by_the_margin_once_corrected(door):
    scene = example("50_hat_door")
    assert scene.below(door.before).min() < -0.03
    room = float(scene.below(door.after).min())
    assert scene.MARGIN <= room < scene.MARGIN + 0.01
    assert door.result.report.met
    assert door.result.report.iterations <= 3


def test_the_walk_is_the_same_before_and_after_the_door_and_below_the_waist(door):
    before, after = (Kinematics(c.character, c.q) for c in (door.clip, door.result.clip))
    moved = np.linalg.norm(after.point("HeadTop") - before.point("HeadTop"), axis=1)
    assert moved.max() > 0.05
    assert moved[[0, -1]].max() < 1e-3
    np.testing.assert_allclose(after.point("LeftToe"), before.point("LeftToe"), atol=1e-12)
