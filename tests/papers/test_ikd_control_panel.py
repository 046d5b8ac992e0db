"""Fig. 7b: buttons pressed in quick succession, coupled through their corrections."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

import poise
from poise.constraints import pin
from poise.kinematics import Kinematics


@pytest.fixture(scope="module")
def panel():
    return example("03_control_panel").scene()


def test_the_loose_hand_misses_every_button(panel):
    assert panel.miss(panel.clip).max() < 0.03
    assert panel.miss(panel.relaxed).min() > 0.05


def test_all_buttons_are_pressed(panel):
    assert panel.result.report.met
    assert panel.miss(panel.result.clip).max() < 1e-6
    assert panel.result.report.iterations <= 12
    assert panel.result.report.details["largest"] < 1.5


def test_between_presses_the_hand_leaves_the_panel(panel):
    """Corrections do not glue the hand to the board."""
    scene = example("03_control_panel")
    between = 0.5 * (np.array(scene.PRESSES[1:]) + scene.PRESSES[:-1])
    clip = panel.result.clip
    x = Kinematics(clip.character, clip.at(between)).point(scene.FINGER)[:, 0]
    assert (x < scene.BUTTONS[0, 0] - 0.03).all()


def test_solved_one_by_one_they_disturb_each_other():
    """Why they must be solved together: each correction alone spoils its neighbours'."""
    scene = example("03_control_panel")
    clip = scene.animated()
    relaxed = poise.loosen(clip, "loose", scene.WINDOW).clip
    t, place = scene.PRESSES[1], scene.BUTTONS[1]
    alone = poise.hit(clip, [pin(scene.FINGER, place, t)], "loose", scene.WINDOW, width=scene.WIDTH)
    assert alone.report.met
    at = [
        Kinematics(c.character, c.at(scene.PRESSES[2])).point(scene.FINGER)[0] for c in (relaxed, alone.clip)
    ]
    assert np.linalg.norm(at[1] - at[0]) > 0.02


def test_the_published_iteration_presses_them_too():
    panel = example("03_control_panel").scene("paper")
    assert panel.result.report.met
