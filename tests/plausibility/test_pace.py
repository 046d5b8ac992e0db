"""The pace that flights imply: g is proportional to the square of the playing speed."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.contacts.ballistics import GRAVITY
from poise.plausibility.playback_speed import Pace


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_the_ratio_is_the_root_of_gravitys(speed):
    assert Pace(GRAVITY * speed**2, 0.1, 3).ratio == pytest.approx(speed)


def test_floating_upwards_is_no_speed_at_all():
    assert Pace(-3.0, 0.1, 1).ratio == 0.0


@pytest.mark.parametrize(
    ("speed", "off"), [(1.0, False), (1.07, False), (1.09, True), (0.93, False), (0.9, True)]
)
def test_a_twelfth_is_worth_a_word_if_it_is_certain(speed, off):
    assert Pace(GRAVITY * speed**2, 0.1, 3).off == off
    assert not Pace(GRAVITY * speed**2, 5.0, 3).off, "it may be the measurement"


def test_load_is_force_over_weight():
    forces = poise.check(clips.get("jump")).report.physics.forces
    assert forces.weight == pytest.approx(forces.mass * forces.gravity)
    np.testing.assert_allclose(forces.load, forces.force[:, 2] / (forces.mass * forces.gravity))
    assert np.median(forces.load[:30]) == pytest.approx(1.0, abs=0.05), "it stands at first"
