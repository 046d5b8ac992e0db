"""Section 4.3: the hand taps a table: there in time, with no velocity, and not through the surface."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import Kinematics


@pytest.fixture(scope="module")
def tap():
    return example("05_tap").scene()


def test_the_loose_hand_goes_through_the_table(tap):
    assert tap.height(tap.loose).min() < -0.03


def test_a_place_alone_is_met_in_passing(tap):
    assert tap.passing.report.met
    assert tap.height(tap.passing.clip).min() < -0.003


def test_with_no_velocity_it_does_not_penetrate(tap):
    assert tap.touching.report.met
    assert tap.height(tap.touching.clip).min() > -5e-4
    assert tap.touching.report.iterations <= 10


def test_it_touches_and_is_at_rest_then(tap):
    """The motion's own velocity, by differences of frames that the solver did not choose."""
    scene, clip = example("05_tap"), tap.touching.clip
    k = round(scene.TAP * clip.fps)
    path = Kinematics(clip.character, clip.q).point(scene.FINGER)
    np.testing.assert_allclose(path[k], scene.PLACE, atol=1e-6)
    assert np.linalg.norm(path[k + 1] - path[k - 1]) / (2 * clip.dt) < 2e-3
    assert (path[[k - 6, k + 6], 2] > scene.TABLE).all()
    assert path[k - 15, 2] > scene.TABLE + 0.03  # it came from above and leaves again
    assert path[k + 24, 2] > scene.TABLE + 0.03
