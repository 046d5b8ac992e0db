"""Fig. 11: foot plants of a three-dimensional walk put elsewhere; and the other scenes on captured motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scenes import example

import poise
from poise import load
from poise.constraints import pin
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.detect import detect, move_plant
from poise.motion import Clip


@pytest.fixture(scope="module")
def module():
    return example("46_adapt_capture")


@pytest.fixture(scope="module")
def captured(shared_data) -> Clip:
    return load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)


def check(module, walk: Clip) -> None:
    found = module.moved(walk)
    result = found.result
    assert result.report.met, str(result.report)
    assert module.planted(result.clip, found.asked).max() < 1e-3
    off = module.planted(walk, found.asked)
    assert off[list(found.which)].min() > 0.9 * module.ASIDE
    manner = result.report.details["manner"]
    assert manner["slide"][1] < 0.01
    assert manner["knees"][1] < 1.1 * manner["knees"][0]
    assert manner["jerk"][1] < 1.15 * manner["jerk"][0]


def test_two_feet_of_a_bundled_walk(module):
    check(module, module.bundled())


def test_two_feet_of_a_captured_walk(module, captured):
    check(module, captured)


def test_a_captured_walk_goes_over_a_step(module, captured):
    plants = move_plant(detect(captured), 3, lift=0.15)
    result = poise.adapt(captured, plants, floor=True, plants=False)
    assert module.planted(result.clip, plants).max() < 1e-3
    knees = result.report.details["manner"]["knees"]
    assert knees[1] < 1.1 * knees[0]


def test_a_captured_walk_reaches_a_knob_with_longer_steps(module, captured):
    plants = detect(captured)
    way = module.path(captured, "Hips")
    ahead = (way[-1] - way[0]) * (1.0, 1.0, 0.0)
    ahead /= np.linalg.norm(ahead)
    place = way[-1] * (1.0, 1.0, 0.0) + 0.9 * ahead + (0.0, 0.0, 1.1)
    knob = pin("RightHand", place, float(captured.times[-1]), name="knob")
    free = [*plants[:2], *(replace(p, place=None) for p in plants[2:])]
    keys = {"Hips.x": 3.0, "Hips.y": 3.0, "Hips": 0.3, "leg": 0.1, "foot": 0.1, "*": 0.3}
    cheap = {"Hips.x": 0.03, "Hips.y": 0.03}
    result = poise.adapt(captured, [*free, knob], floor=True, key_spacing=keys, prices=cheap, plants=False)
    assert result.report.met, str(result.report)
    assert module.planted(result.clip, result.plants).max() < 1e-3
    on = [(np.array(q.place[:2]) - p.place[:2]) @ ahead[:2] for p, q in zip(plants, result.plants)]
    assert on[:2] == [0.0, 0.0]
    assert min(on[2:]) > 0.03
    assert on[-1] > 0.08


def test_a_captured_jump_touches_a_point(shared_data):
    jump = load(shared_data / "cmu_cgspeed_bvh" / "16_01.bvh", drop_tpose=True)
    at = int(np.argmax(Kinematics(jump.character, jump.q).com[:, 2]))
    time = float(jump.times[at])
    place = Kinematics(jump.character, jump.q).point("RightHand")[at] + [0.1, 0.1, 0.3]
    touch = pin("RightHand", place, time, name="touch")
    flight = np.linspace(time - 0.3, time + 0.3, 5)
    for options in ({"key_spacing": np.linspace(0.0, jump.duration, 9)}, {"key_spacing": flight}):
        result = poise.adapt(jump, [touch], basis="cubic", plants=False, **options)
        assert result.report.met, str(result.report)
    changed = np.flatnonzero(np.abs(result.clip.q - jump.q).max(axis=1) > 1e-9)
    assert jump.times[changed[0]] > flight[0] - jump.dt
    assert jump.times[changed[-1]] < flight[-1] + jump.dt
