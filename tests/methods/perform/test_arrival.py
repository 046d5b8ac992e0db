"""On time: every key of the bundled scripts, whatever the step, the velocity, the load or the blow."""

from __future__ import annotations

import numpy as np
import pytest
from performers import danced, worst, worst_speed

import poise
from poise.character import presets
from poise.errors import InputError
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.timed_pose import TimedPose
from poise.motion import Clip
from poise.operations.values.disturbance import Impulse, Load, Push

SCRIPTS = ("ymca", "conducting")


@pytest.mark.parametrize("name", SCRIPTS)
def test_full_is_exact(name):
    result = danced(name)
    assert worst(result) < 0.01
    assert worst_speed(result) < 0.01
    assert result.report.met
    assert max(a.jump for a in result.arrivals) < 10


@pytest.mark.parametrize("name", SCRIPTS)
def test_composite_is_close(name):
    assert worst(danced(name, "composite")) < 0.1
    assert worst(danced(name, "composite", 0.005)) < 1.0
    assert max(a.jump for a in danced(name, "composite").arrivals) < 10


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("control", ["local", "manual"])
def test_the_others_are_not(name, control):
    result = danced(name, control)
    assert 5 < worst(result) < 360
    assert not result.report.met


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize(("control", "tolerance"), [("full", 0.01), ("composite", 0.1)])
def test_arrival_does_not_depend_on_the_step(name, control, tolerance):
    coarse, fine = (worst(danced(name, control, h)) for h in (0.002, 0.001))
    assert abs(coarse - fine) < 0.1 * tolerance


def test_keys_are_met_between_steps_and_frames():
    script = Script.bundled("ymca")
    keys = [TimedPose(script.library[p], t) for p, t in (("Y", 0.61803), ("M", 1.141592), ("A", 1.7320508))]
    result = poise.perform(
        character=script.character, script=keys, from_pose=script.start, step=0.0031, fps=24
    )
    assert worst(result) < 0.01
    for due, arrival in zip(keys, result.arrivals):
        assert np.abs(result.trace.times - due.time).min() < 1e-9
        assert arrival.time == due.time


def test_moving_keys_arrive_with_their_velocity():
    script = Script.bundled("ymca")
    pose = script.library
    keys = [
        TimedPose(pose["Y"], 0.6, velocity={"LeftArm": (2, 0, 1), "RightArm": (3, 0, -1), "LeftForeArm": 2}),
        TimedPose(pose["M"], 1.2, velocity={"LeftArm": (-1, 4, 1), "Chest": (0.5, 0, 1.0)}),
        TimedPose(pose["C"], 1.9),
    ]
    result = poise.perform(character=script.character, script=keys, from_pose=script.start)
    assert worst(result) < 0.01
    assert worst_speed(result) < 0.01


@pytest.mark.parametrize("control", ["full", "composite"])
@pytest.mark.parametrize("when", [0.0, 0.8])
def test_a_backpack_needs_no_retuning(control, when):
    script = Script.bundled("ymca")
    pack = Load(when, "Chest", 5.0, (-0.15, 0.0, 0.1))
    result = poise.perform(script=script, control=control, disturbances=[pack])
    assert worst(result) < (0.01 if control == "full" else 0.1)
    bare = danced("ymca", control)
    assert result.torques.peak("Spine") > 1.02 * bare.torques.peak("Spine")


def test_an_unknown_weight_is_felt():
    script = Script.bundled("ymca")
    known, unknown = (
        poise.perform(script=script, disturbances=[Load(0.0, "RightHand", 5.0, (0, -0.1, 0), known=k)])
        for k in (True, False)
    )
    assert worst(known) < 0.01
    assert worst(unknown) > 10 * worst(known)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_blow_before_a_key(name):
    script = Script.bundled(name)
    for key in script.keys[1:4]:
        blow = Impulse(key.time - 0.2, "RightHandCentre", (4.0, 0.0, 0.0))
        result = poise.perform(script=script, disturbances=[blow])
        assert worst(result) < 0.1
        struck = np.argmin(np.abs(result.trace.times - blow.time)) + 3
        undisturbed = danced(name).trace
        there = int(np.argmin(np.abs(undisturbed.times - result.trace.times[struck])))
        assert np.abs(result.trace.v[struck] - undisturbed.v[there]).max() > 1.0, "the blow is felt"


def test_a_push_gives_way_and_is_made_good():
    script = Script.bundled("ymca")
    push = Push(0.7, 0.95, "RightHandCentre", (40.0, 0.0, 0.0))
    result = poise.perform(script=script, disturbances=[push])
    assert worst(result) < 0.1
    at = int(np.argmin(np.abs(result.trace.times - 0.9)))
    calm = danced("ymca").trace
    there = int(np.argmin(np.abs(calm.times - result.trace.times[at])))
    apart = script.character.manifold.minus(result.trace.q[at], calm.q[there])
    assert np.degrees(np.abs(apart).max()) > 1.0


def test_joints_may_have_keys_of_their_own():
    character = presets.get("humanoid")
    left = JointPose.from_degrees(character, {"LeftArm": (-60, 0, 0), "LeftForeArm": 40}, name="left")
    right = JointPose.from_degrees(character, {"RightArm": (50, 0, 10)}, name="right")
    nod = JointPose.from_degrees(character, {"Head": (0, 20, 0)}, name="nod")
    keys = [
        TimedPose(left, 0.5),
        TimedPose(right, 0.75),
        TimedPose(nod, 0.6, lead=0.3),
        TimedPose(left, 1.2, joints=["LeftForeArm"]),
    ]
    result = poise.perform(character=character, script=keys)
    assert [a.key for a in result.arrivals] == ["left", "nod", "right", "left"]
    assert set(result.arrivals[-1].joints) == {"LeftForeArm"}
    assert worst(result) < 0.01
    before = int(np.argmin(np.abs(result.trace.times - 0.29)))
    turned = result.trace.q[before, character.coordinates("Head")]
    np.testing.assert_allclose(turned, [1, 0, 0, 0], atol=1e-6)  # the head waits for its lead


def test_the_result_is_the_simulation():
    result = danced("ymca")
    frame = 60
    step = int(np.argmin(np.abs(result.trace.times - 1.0)))
    np.testing.assert_array_equal(result.clip.q[frame], result.trace.q[step])
    assert result.torques.of("RightArm").shape == (len(result.trace.times) - 1, 3)
    assert (result.gains.values[:, 6:] >= 0).all()
    assert result.clip.frames == 1 + round(60 * (3.0 + 0.5))


def test_impossible_wishes_are_explained():
    character = presets.get("humanoid")
    pose = JointPose.from_degrees(character, {"Head": (0, 20, 0)}, name="nod")
    for keys, options, said in (
        ([], {}, "nothing to perform"),
        ([TimedPose(pose, 0.5), TimedPose(pose, 0.5)], {}, "both set 'Head'"),
        ([TimedPose(pose, 0.5)], {"control": "best"}, "control.*best"),
        ([TimedPose(pose, 0.5)], {"root": "prescribed"}, "needs a clip"),
        ([TimedPose(pose, 0.5)], {"root": "loose"}, "root.*loose"),
        ([TimedPose(pose, 0.5)], {"strength": -3}, "strength.*> 0"),
        ([TimedPose(pose, 0.5)], {"strength": {"tail": 3}}, "no joint or limb named 'tail'"),
        ([TimedPose(pose, 0.5)], {"step": 0.0}, "step"),
        ([TimedPose(pose, 0.5)], {"step": 1e-9}, "steps"),
        ([TimedPose(pose, 0.5)], {"duration": -1}, "duration.*> 0"),
        ([TimedPose(pose, 0.5)], {"hold": 0.0}, "hold.*> 0"),
        ([TimedPose(pose, 0.5)], {"look_ahead": -1.0}, "look_ahead.*> 0"),
        ([TimedPose(pose, 0.5)], {"recovery": float("nan")}, "recovery must be a finite number"),
        ([TimedPose(pose, 0.5)], {"tolerance": float("nan")}, "tolerance must be a finite number"),
        ([TimedPose(pose, 0.5)], {"disturbances": ["ball"]}, "disturbances"),
        ([TimedPose(pose, 0.5)], {"disturbances": [Impulse(0.1, "Tail", (1, 0, 0))]}, "Tail"),
        ([TimedPose(pose, 0.5, velocity={"Chest": (0, 0, 1)})], {}, "does not set"),
        ([(pose, 0.5)], {}, "TimedPose(pose, time)"),
    ):
        with pytest.raises(InputError, match=said.replace("(", r"\(").replace(")", r"\)")):
            poise.perform(character=character, script=keys, **options)
    with pytest.raises(InputError, match="at least 0 s"):
        TimedPose(pose, -1.0)
    with pytest.raises(InputError, match="lead of key 'nod'"):
        TimedPose(pose, 0.5, lead="long")
    with pytest.raises(InputError, match="key 'nod': a style needs n above 2"):
        TimedPose(pose, 0.5, style=1.0)
    with pytest.raises(InputError, match="single pose"):
        poise.perform(Clip(character, character.rest_pose()[None], 30))
    with pytest.raises(InputError, match="no muscle"):
        poise.perform(
            character=character,
            script=[TimedPose(JointPose({"Hips": np.array([0, 0, 1, 1, 0, 0, 0.0])}), 0.5)],
        )
