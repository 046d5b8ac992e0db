"""What the gallery says of synthesised motions."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import Kinematics
from poise.methods.spacetime import scenes

DEEPEST = {"camel hand stand": 0.045, "somersault": 0.02}
"""How far a toe may dip into the ground on the way to a landing [m]; 11 mm otherwise."""


@pytest.mark.parametrize("name", scenes.SCENES)
def test_scenes_do_what_they_are_asked_with_their_weight_on_the_ground(name):
    result = scenes.get(name).play()
    assert result.report.met, result.report
    for look in result.report.details["segments"]:
        assert look["most_turn"] < np.pi
        if "spin_drift" in look and look["least_vertical"] == look["greatest_vertical"] == 0.0:
            assert look["parabola"] < 1e-6  # in the air
            assert look["spin_drift"] < 1e-4
        else:
            assert look["least_vertical"] > 0  # the ground only pushes
    minus = result.character.manifold.minus
    for a, b in zip(result.pieces, result.pieces[1:]):
        assert np.abs(minus(a.pose(np.array([a.duration])), b.pose(np.array([0.0])))).max() < 1e-3
    kin = Kinematics(result.character, result.clip.q)
    points = [point for body in result.character.bodies for point in body.points]
    lowest = min(float(kin.point(point)[:, 2].min()) for point in points)
    assert lowest > -DEEPEST.get(name, 0.011)


def test_the_somersault_tucks():
    module = example("30_synthesis")
    assert module.tuck(module.scene("somersault")) < 0.6


def test_warped_modes_hardly_stretch_a_bone():
    module = example("31_modes")
    found = module.footing()
    for mode in range(6):
        assert module.stretch(module.linear(found, mode)) > 0.3
        assert module.stretch(module.warped(found, mode)) < 1e-3


def test_linear_modes_keep_the_feet_to_first_order_and_warped_ones_exactly():
    module = example("31_modes")
    found = module.footing()
    figure = found.figure
    foot = np.concatenate([figure.column("LeftFoot")[:, None], figure.column("RightFoot")[:, None]], axis=1)
    for mode in range(6):
        for pose in (module.linear(found, mode), module.warped(found, mode)):
            assert np.abs(pose @ foot - figure.reference @ foot).max() < 1e-9
