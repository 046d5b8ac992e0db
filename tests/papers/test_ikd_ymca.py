"""Fig. 7c: the C of YMCA, a constraint on the whole pose."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

import poise


@pytest.fixture(scope="module")
def dance():
    return example("04_pose").scene()


def test_the_loose_dancer_is_off(dance):
    assert dance.hands(dance.loose) > 0.10
    assert dance.off(dance.loose).max() > 0.2


def test_the_pose_is_struck_in_every_joint(dance):
    assert dance.result.report.met
    assert dance.off(dance.result.clip).max() < 1e-6
    assert dance.hands(dance.result.clip) < 1e-6
    assert dance.result.report.iterations <= 6


def test_other_letters_stay_loose(dance):
    """The correction is local in time: well before the C, and a second after it, nothing is left of it."""
    manifold, dt = dance.clip.character.manifold, dance.clip.dt
    change = np.abs(manifold.minus(dance.result.clip.q, dance.loose.q)).max(axis=1)
    assert change[: dance.frame - round(0.75 / dt)].max() < 1e-3
    assert change[dance.frame + round(1.0 / dt) :].max() < 5e-3


def test_part_of_a_pose(dance):
    from poise.constraints import pose

    scene, clip = example("04_pose"), dance.clip
    arms = pose(clip.character, clip.at(scene.WHEN), scene.WHEN, joints=["*Arm", "*ForeArm"])
    for method in ("newton", "paper"):
        result = poise.hit(clip, [arms], scene.TENSION, scene.WINDOW, method=method)
        assert result.report.met
        legs = [k for k, name in enumerate(clip.character.dof_names) if "Leg" in name]
        assert np.abs(result.correction.coefficients[:, legs]).max() == 0.0


def test_the_published_iteration_strikes_it_too():
    dance = example("04_pose").scene("paper")
    assert dance.result.report.met
