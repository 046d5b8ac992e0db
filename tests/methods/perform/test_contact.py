"""Contact through MuJoCo: the same simulation where nothing touches, real collisions where something does."""

from __future__ import annotations

import numpy as np
import pytest
from performers import danced, pendulum, worst

import poise
from poise import clips
from poise.character import presets
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.perform.script.pose import JointPose, PoseLibrary
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.state_machine import Machine, State
from poise.methods.perform.script.timed_pose import TimedPose
from poise.operations.values.disturbance import Impulse, Load, Push, Throw, ThrowAt

pytest.importorskip("mujoco")
FAR = Throw(0.05, (30.0, 30.0, 1.0), (0.0, 0.0, 0.0))


def short(script, count=2):
    return list(script.keys[:count])


@pytest.mark.parametrize("control", ["full", "composite", "local", "manual"])
def test_without_a_touch_it_is_the_compiled_simulation(control):
    """MuJoCo moves the body, our torques: an independent check of the whole step."""
    script = Script.bundled("ymca")
    options = {"control": control, "from_pose": script.start, "duration": 1.2}
    ours = poise.perform(character=script.character, script=short(script), **options)
    theirs = poise.perform(character=script.character, script=short(script), disturbances=[FAR], **options)
    off = script.character.manifold.minus(ours.clip.q, theirs.clip.q)
    assert np.abs(off).max() < 1e-6


def test_pushes_and_loads_agree_too():
    script = Script.bundled("ymca")
    what = [
        Impulse(0.2, "LeftHandCentre", (1.0, 0.0, 1.0)),
        Push(0.3, 0.5, "RightHandCentre", (20.0, 5.0, 0.0)),
        Load(0.7, "Chest", 5.0, (-0.15, 0.0, 0.1)),
    ]
    ours, theirs = (
        poise.perform(
            character=script.character,
            script=short(script),
            from_pose=script.start,
            duration=1.2,
            disturbances=extra,
        )
        for extra in (what, [*what, FAR])
    )
    off = script.character.manifold.minus(ours.clip.q, theirs.clip.q)
    assert np.abs(off).max() < 1e-6
    assert (
        np.degrees(np.abs(script.character.manifold.minus(ours.clip.q, danced("ymca").clip.q[:73])).max()) > 1
    )


def struck(time=1.55):
    """A ball on its way to the right hand of the dancer, shortly before the C."""
    script = Script.bundled("ymca")
    calm = danced("ymca").clip
    hand = Kinematics(calm.character, calm.at(time)).point("RightHandCentre")[0]
    return script, ThrowAt(time, "hand", (-4.0, 0.0, 0.0), mass=0.8).thrown(hand)


def test_a_thrown_ball_hits_and_the_key_is_met():
    script, ball = struck()
    result = poise.perform(script=script, disturbances=[ball])
    assert len(result.touches) == 1
    touch = result.touches[0]
    assert touch.time == pytest.approx(1.55, abs=0.05)
    assert touch.body in ("RightHand", "RightForeArm")
    calm = danced("ymca")
    k = int(np.argmin(np.abs(result.clip.times - touch.time))) + 3
    assert np.degrees(np.abs(script.character.manifold.minus(result.clip.q[k], calm.clip.q[k])).max()) > 3
    assert worst(result) < 0.1
    flight = result.thrown[0].track
    assert not flight.there(0.0), "it is not there before its release"
    assert flight.there(result.clip.duration)
    assert result.world["ball"] is result.thrown[0], "a surface of the world"


def test_two_balls_are_two_touches():
    script, first = struck()
    hand = Kinematics(script.character, danced("ymca").clip.at(1.6)).point("LeftHandCentre")[0]
    second = ThrowAt(1.6, "hand", (-4.0, 0.0, 0.0), mass=0.8, name="second").thrown(hand)
    result = poise.perform(script=script, disturbances=[first, second])
    assert [(t.thrown, t.body[:4]) for t in result.touches] == [("ball", "Righ"), ("second", "Left")]
    assert result.touches[1].time - result.touches[0].time < 0.1
    assert worst(result) < 0.1


def test_a_ball_flies_as_balls_do():
    character = presets.get("humanoid")
    pose = JointPose.from_degrees(character, {"Head": (0, 5, 0)})
    throw = Throw(0.1, (3.0, 0.0, 1.0), (0.5, 0.0, 4.0))
    result = poise.perform(
        character=character, script=[TimedPose(pose, 0.5)], disturbances=[throw], duration=0.8
    )
    t = result.clip.times - 0.1
    flying = t >= 0
    height = 1.0 + 4.0 * t[flying] - 0.5 * 9.81 * t[flying] ** 2
    places = result.thrown[0].pose(result.clip.times[flying]).place
    assert np.abs(places[:, 2] - height).max() < 0.01


def test_a_follower_answers_to_a_touch():
    clip = clips.get("wave")
    hand = Kinematics(clip.character, clip.at(0.6)).point("RightForeArm")[0]
    ball = ThrowAt(0.6, "hand", (-5.0, 0.0, 0.0), mass=1.5, flight=0.4).thrown(hand)
    result = poise.perform(clip, disturbances=[ball], recovery=0.3, duration=1.5)
    assert result.touches
    back = result.touches[0].time + 0.3
    off = clip.character.manifold.minus(result.trace.q, clip.at(result.trace.times))
    off = np.degrees(np.abs(off[:, 6:]).max(axis=1))
    t = result.trace.times
    assert off[(t > back - 0.3) & (t < back)].max() > 3
    assert off[np.argmin(np.abs(t - back))] < 0.5


def test_a_state_machine_flinches():
    character = presets.get("humanoid")
    poses = [
        JointPose.from_degrees(character, {"RightArm": (75, 0, 0), "RightForeArm": 15}, name="Down"),
        JointPose.from_degrees(character, {"RightArm": (0, 0, 30), "RightForeArm": 30}, name="Up"),
        JointPose.from_degrees(character, {"RightArm": (60, -30, 30), "RightForeArm": 110}, name="Guard"),
    ]
    states = [
        State("rise", "Up", 0.6, next="lower", on={"contact": "flinch"}),
        State("lower", "Down", 0.6, next="rise", on={"contact": "flinch"}),
        State("flinch", "Guard", 0.25),
    ]
    machine = Machine(PoseLibrary(character, poses), states, start="Down")
    calm = poise.perform(character=character, script=machine, duration=2.0)
    assert [a.key for a in calm.arrivals] == ["rise", "lower", "rise"]
    elbow = Kinematics(character, calm.clip.at(0.9)).point("RightForeArm")[0]
    ball = ThrowAt(0.9, "elbow", (-5.0, 0.0, 0.0), mass=0.5).thrown(elbow)
    result = poise.perform(character=character, script=machine, duration=2.0, disturbances=[ball])
    touch = result.touches[0].time
    assert [a.key for a in result.arrivals] == ["rise", "flinch"]
    assert result.arrivals[1].time == pytest.approx(touch + 0.25)
    assert result.arrivals[1].error < 0.5


def test_scenes_that_cannot_be():
    character = presets.get("humanoid")
    pose = JointPose.from_degrees(character, {"Head": (0, 5, 0)})
    with pytest.raises(InputError, match="names of their own"):
        poise.perform(character=character, script=[TimedPose(pose, 0.5)], disturbances=[FAR, FAR])
    with pytest.raises(InputError, match="cannot be free"):
        poise.perform(character=pendulum(), script=[TimedPose(np.array([0.3]), 0.5)], root="free")
