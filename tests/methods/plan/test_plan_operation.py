"""What can be asked of a plan: the caller goes before the scene, and that before what is usual."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import characters
from poise.errors import InputError
from poise.methods.plan.scene import bundled as scenes
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.scene import Scene
from poise.methods.plan.scene.segment import Stance
from poise.operations.declare import complaints
from poise.operations.plan import SCENE_OPTIONS, USUAL, Plan, Planning
from poise.operations.running import asked

REACH = Stance(0.3, ["Base"], [PartialKey("Bulb", position=(0.25, None, 0.3))], name="reach")


def lamp(**options) -> Scene:
    return Scene("lamp", [REACH], options=options, name="reach")


def test_who_says_it_first():
    assert set(USUAL) <= set(SCENE_OPTIONS)
    filled = Planning(modes=5).filled({"modes": 7, "key_weight": 1e7})
    assert (filled.modes, filled.key_weight, filled.refine) == (5, 1e7, USUAL["refine"])
    assert Planning(together=False).filled({"together": True}).together is False
    assert complaints(Plan) == []


def test_a_rate_is_the_callers_else_the_scenes_else_the_usual():
    rates = [
        poise.plan(scene, judge=False, **more).clip.fps
        for scene, more in (
            (lamp(modes=4), {}),
            (lamp(modes=4, fps=24), {}),
            (lamp(modes=4, fps=24), {"fps": 30}),
        )
    ]
    assert rates == [60, 24, 30]


def test_a_scene_is_the_same_as_an_object_from_a_file_and_as_data(tmp_path):
    scene = lamp(modes=4, rayleigh=(1.0, 0.003), stiffer={"Shade": 4.0})
    first = poise.plan(scene)
    for given in (scene.to_dict(), scene.save(tmp_path / "reach.json"), str(tmp_path / "reach.json")):
        np.testing.assert_array_equal(poise.plan(given).clip.q, first.clip.q)
    other = poise.plan(scene, character=characters.get("lamp"), modes=5)
    assert other.report.met
    assert not np.array_equal(other.clip.q, first.clip.q)
    assert first.clip.name == "reach"
    np.testing.assert_allclose(first.at(0.1), first.clip.at(0.1), atol=1e-4)
    assert first.at([0.0, 0.1]).shape == (2, first.clip.character.nq)


def test_scenes_that_do_not_exist_are_named():
    with pytest.raises(
        InputError, match="field 'scene': no scene or template named 'wlak'; did you mean 'walk'"
    ):
        poise.plan("wlak")
    with pytest.raises(InputError, match="field 'scene'"):
        asked(Plan, {"scene": {**scenes.get("lamp jump").to_dict(), "character": "toaster"}})
