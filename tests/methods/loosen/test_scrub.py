"""Scrubbing is baking: a frame alone has the bits of the whole clip, by default and everywhere."""

import numpy as np
import pytest

import poise
from poise import clips
from poise.methods.loosen.operations import loosen_frames
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.wear.attachment import attach
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.sway import Sway, sway, sway_state
from poise.operations.loosen import Loosen, Simulation
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.operations.wear import Wear


@pytest.mark.parametrize("name", ["walk", "punch"])
def test_frames_of_a_loosened_clip(name, tmp_path):
    clip = clips.get(name)
    whole = poise.loosen(clip)
    some = [3, 40, 17]
    np.testing.assert_array_equal(loosen_frames(Loosen(), Situation(Result(clip)), some), whole.clip.q[some])
    for k in some:
        np.testing.assert_array_equal(whole.at(float(clip.times[k])), whole.clip.q[k])
    kept = whole.save(tmp_path / "loose.npz")
    np.testing.assert_array_equal(poise.load(kept).q, whole.clip.q)


def test_frames_of_what_is_worn():
    clip = clips.get("punch")
    worn = attach(clip, hat(), Wear(offset=ON_HEAD), "hat")
    whole = sway(clip, worn)
    for k in (0, 50, 114):
        np.testing.assert_array_equal(sway_state(clip, worn, float(clip.times[k])), whole.vertices[k])


@pytest.mark.parametrize("fps", [24, 120, 240])
def test_steps_are_never_longer_than_half_a_frame(fps):
    from poise.motion.operators import resample

    clip = resample(clips.get("punch"), fps)
    assert Simulator(clip, "relaxed", Simulation(step=1.0)).h <= 0.5 * clip.dt
    assert Sway(clip, attach(clip, hat(), Wear(offset=ON_HEAD), "hat"), step=1.0).h <= 0.5 * clip.dt


def test_a_picture_of_a_hit_shows_its_frame():
    from poise.constraints import pin

    clip = clips.get("punch")
    result = poise.hit(clip, pin("RightHandCentre", (0.85, 0.0, 1.3), 0.6), "relaxed", 0.3)
    drawn = result.drawn()
    assert drawn["frames"][drawn["hero"]] == 36
    assert len(drawn["frames"]) == 5
    np.testing.assert_allclose(drawn["targets"], [(0.85, 0.0, 1.3)])
    two = [
        pin("RightHandCentre", (0.8, 0.0, 1.3), 0.6),
        pin("LeftHandCentre", (0.3, 0.4, 1.3), 1.1, name="b"),
    ]
    drawn = poise.hit(clip, two, "relaxed", 0.3).drawn()
    assert {36, 66} <= set(drawn["frames"])
    assert drawn["offset"] == 0.0
