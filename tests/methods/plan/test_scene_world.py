"""Scenes are planned in a world of surfaces: flights come down on them, soles stay out of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.kinematics import Kinematics
from poise.methods.plan.scene.scene import Scene
from poise.world import World, ground, step

OLD = Path(__file__).parent / "scenes" / "before_surfaces.json"
"""As files were written before scenes had surfaces."""


def base_of(clip, frame):
    """Height of the lowest point of a lamp's base."""
    kin = Kinematics(clip.character, clip.q[frame])
    return min(float(kin.point(name)[0, 2]) for name in ("BaseFront", "BaseBack"))


def test_a_scene_without_surfaces_stands_on_level_ground():
    scene = Scene.load(OLD)
    assert scene.world == World.flat(0.0)
    assert "surfaces" not in scene.to_dict()
    result = poise.plan(scene)
    assert base_of(result.clip, -1) == pytest.approx(0.0, abs=2e-3)
    assert result.stands_in == World.flat(0.0)


def test_a_flight_comes_down_on_the_step_below_it(tmp_path):
    box = step("box", (0.2, -0.5), (2.0, 0.5), 0.1)
    scene = replace(Scene.load(OLD), world=World((ground(0.0), box)))
    again = Scene.load(scene.save(tmp_path / "scene.json"))
    assert again.world == scene.world
    result = poise.plan(again)
    assert result.met, result.report
    assert base_of(result.clip, 0) == pytest.approx(0.0, abs=2e-3)
    assert base_of(result.clip, -1) == pytest.approx(0.1, abs=2e-3)
    assert result.stands_in["box"] == box
    # Rising to it takes part of the arc: it comes down sooner than on the ground, and nearer.
    level = poise.plan(Scene.load(OLD))
    assert result.pieces[1].duration < level.pieces[1].duration - 0.02
    assert result.clip.q[-1, 0] < level.clip.q[-1, 0]


def test_soles_stay_out_of_a_step_on_the_way():
    """What goes through the side of a step is told, by how far."""
    scene = Scene.load(OLD)
    slow = [replace(k, velocity=(0.55, 0.0, 1.5)) if k.of == "com" else k for k in scene.segments[0].keys]
    stance = replace(scene.segments[0], keys=slow)
    wall = World((ground(0.0), step("wall", (0.1, -0.5), (2.0, 0.5), 0.1)))
    result = poise.plan(replace(scene, segments=[stance, *scene.segments[1:]], world=wall))
    times = np.linspace(0.7, 0.7 + result.pieces[1].duration, 60)
    kin = Kinematics(result.clip.character, result.at(times))
    deepest = min(float(wall.clearance(kin.point(name)).min()) for name in ("BaseFront", "BaseBack"))
    told = [o for o in result.report.outcomes if "above the ground" in o.name]
    assert len(told) == 1
    assert told[0].error == pytest.approx(max(-deepest, 0.0), abs=5e-3)
    assert told[0].met == (deepest > -2e-3)


def test_a_flight_over_nothing_is_refused():
    scene = replace(Scene.load(OLD), world=World((step("plate", (-0.2, -0.2), (0.2, 0.2), 0.0),)))
    with pytest.raises(poise.errors.InputError, match=r"air.*nothing to stand on"):
        poise.plan(scene)


def test_surfaces_that_are_none_are_refused(tmp_path):
    said = json.loads(OLD.read_text())
    for wrong in ({"surfaces": 3}, {"surfaces": [{"name": "floor", "shape": {"kind": "cloud"}}]}):
        path = tmp_path / "scene.json"
        path.write_text(json.dumps(said | wrong))
        with pytest.raises(poise.errors.InputError, match=r"scene\.json"):
            Scene.load(path)
