"""Batches both ways: many clips for one character, and one motion for many characters."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import poise
from poise import characters, clips, formats
from poise.batch import run
from poise.batch.recipe import recipe_from
from poise.errors import InputError
from poise.motion import Clip

GIVEN = {"motion": "wave", "output": ".npz", "steps": [{"do": "retarget", "onto": "each"}]}
RIGS = (
    "khronos_gltf/CesiumMan.glb",
    "threejs/RobotExpressive.glb",
    "mjcf_mujoco/humanoid.xml",
    "threejs/pirouette.bvh",
    "fbx_ozz/pab_walk.fbx",
)


@pytest.fixture
def here(monkeypatch):
    """Jobs are done in this process."""

    def performed_here(function, jobs, workers, limit):
        return ((number, function(*job)) for number, job in enumerate(jobs))

    monkeypatch.setattr("poise.batch.local.performed", performed_here)


def test_every_character_of_a_folder_performs_one_motion(tmp_path, here):
    folder = tmp_path / "cast"
    folder.mkdir()
    for name in ("humanoid", "biped180"):
        figure = characters.get(name)
        Clip(figure, figure.rest_pose()[None], 30, name=name).save(folder / f"{name}.npz")
    summary = run(GIVEN, folder, tmp_path / "out", workers=1)
    assert summary.fine, summary.outcomes
    for name in ("humanoid", "biped180"):
        made = formats.load(tmp_path / "out" / f"{name}.npz")
        alone = poise.retarget(clips.get("wave"), formats.load(folder / f"{name}.npz")).clip
        assert made.character.names == characters.get(name).names
        assert np.array_equal(made.q, alone.q)


def test_a_motion_that_nobody_takes_is_refused():
    for recipe, said in (
        ({**GIVEN, "steps": [{"do": "check"}]}, "'motion'.*each"),
        ({**GIVEN, "motion": "nobody.bvh"}, "nobody.bvh"),
        ({**GIVEN, "motion": 3}, "'motion'"),
        ({"steps": GIVEN["steps"]}, "each"),
    ):
        with pytest.raises(InputError, match=said):
            recipe_from(recipe)
    assert recipe_from(GIVEN).digest != recipe_from({**GIVEN, "motion": "walk"}).digest


def test_five_rigs_of_others_both_ways(shared_data, tmp_path, here):
    rigs = tmp_path / "rigs"
    rigs.mkdir()
    for rig in RIGS:
        shutil.copy(shared_data / rig, rigs)
    cast = run(GIVEN, rigs, tmp_path / "cast", workers=1)
    assert [o.clip for o in cast.outcomes] == sorted(rig.split("/")[1] for rig in RIGS)
    wave = clips.get("wave")
    for outcome in cast.outcomes:
        # Two hinges are no shoulder, and its motors are weak: the robot cannot wave, and says why.
        named = [text.split(":")[1].strip() for text in outcome.missed]
        assert all(what.startswith(("right ", "torque of motors")) for what in named), outcome
        assert bool(named) == (outcome.clip == "humanoid.xml"), outcome
        assert formats.load(tmp_path / "cast" / outcome.output).frames == wave.frames
    shutil.copy(rigs / "humanoid.xml", tmp_path)
    recipe = tmp_path / "recipe.json"
    recipe.write_text('{"output": ".npz", "steps": [{"do": "retarget", "onto": "humanoid.xml"}]}')
    several = run(recipe, rigs, tmp_path / "several", workers=1)
    assert len(several.outcomes) == 4  # the robot's own file has no motion
    assert all(o.state in ("done", "missed") for o in several.outcomes), several.outcomes
    for outcome in several.outcomes:
        made = formats.load(tmp_path / "several" / outcome.output)
        assert made.character.name == "Humanoid"
        assert np.isfinite(made.q).all()
        assert outcome.state == "done" or all("retarget" in text for text in outcome.missed)
