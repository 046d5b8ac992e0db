"""Poses, scripts and state machines, in Python and as files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import poise
from poise.character import Body, Character, Joint, Mass, presets
from poise.errors import FileFormatError, InputError, UnknownNameError
from poise.methods.perform.script.file import bundled_names, load
from poise.methods.perform.script.pose import JointPose, PoseLibrary
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.state_machine import Cue, Machine, State
from poise.methods.perform.script.timed_pose import TimedPose

FIGURE = presets.get("humanoid")


def library():
    names = {"Down": (75, 0, 0), "Up": (-40, 0, 10), "Fore": (20, 0, 60)}
    return PoseLibrary(
        FIGURE,
        [
            JointPose.from_degrees(FIGURE, {"RightArm": a, "RightForeArm": 20}, name=n)
            for n, a in names.items()
        ],
    )


def test_poses_survive_a_file(tmp_path):
    path = library().save(tmp_path / "poses.json")
    again = PoseLibrary.load(path)
    assert list(again) == ["Down", "Up", "Fore"]
    for name, pose in library().items():
        q, p = (x.on(FIGURE, FIGURE.rest_pose()) for x in (pose, again[name]))
        assert np.abs(FIGURE.manifold.minus(q, p)).max() < 1e-7


def test_slides_are_in_metres(tmp_path):
    lift = Character(
        "lift",
        [
            Body("base", None, Joint.fixed(), mass=Mass(1.0)),
            Body("car", "base", Joint.slide((0, 0, 1)), mass=Mass(2.0, inertia=(0.1, 0.1, 0.1))),
        ],
    )
    up = JointPose.from_degrees(lift, {"car": 1.25}, name="up")
    assert up.joints["car"][0] == 1.25
    assert (
        PoseLibrary.load(PoseLibrary(lift, [up]).save(tmp_path / "l.json"), lift)["up"].joints["car"][0]
        == 1.25
    )
    result = poise.perform(character=lift, script=[TimedPose(up, 0.8)])
    assert result.arrivals[0].error < 0.01  # [mm]
    assert result.torques.of("car")[-1, 0] == pytest.approx(2.0 * 9.81, rel=1e-3)


def test_a_pose_of_a_configuration(rng):
    q = FIGURE.manifold.plus(FIGURE.rest_pose(), 0.3 * rng.normal(size=FIGURE.nv))
    arm = JointPose.of(FIGURE, q, ["left arm"], name="arm")
    assert set(arm.joints) == {"LeftArm", "LeftForeArm"}
    put = arm.on(FIGURE, FIGURE.rest_pose())
    np.testing.assert_array_equal(put[FIGURE.coordinates("LeftArm")], q[FIGURE.coordinates("LeftArm")])
    np.testing.assert_array_equal(put[:7], FIGURE.rest_pose()[:7])


def test_a_script_says_when():
    script = Script(library()).target("Up", 0.3).target("Fore", 0.4, style="snappy").wait(0.2).at("Down", 1.5)
    assert script.times == pytest.approx([0.3, 0.7, 0.9, 1.5])
    assert [k.label for k in script.keys] == ["Up", "Fore", "Fore", "Down"]
    with pytest.raises(UnknownNameError, match="did you mean 'Fore'"):
        script.target("Forre", 0.3)
    with pytest.raises(InputError, match="after the one before"):
        script.target("Up", 0.0)


TEXT = """
name = "wave"
start = "Down"
beats = {tempo = 120, count = 9}

[poses.Down]
RightArm = [75, 0, 0]
[poses.Up]
RightArm = [-40, 0, 10]
RightForeArm = 20

[[keys]]
pose = "Up"
beat = 2
note = "G4"
[[keys]]
pose = "Down"
after = 0.45
velocity = {RightArm = [30, 0, 0]}
[[keys]]
pose = "Up"
at = 1.6
joints = ["RightArm"]
style = [4, 5]
lead = 0.4
"""


def test_a_script_from_a_file(tmp_path):
    (tmp_path / "wave.toml").write_text(TEXT)
    script = load(tmp_path / "wave.toml")
    assert isinstance(script, Script)
    assert script.times == pytest.approx([0.5, 0.95, 1.6])
    assert script.keys[0].note == "G4"
    assert script.keys[2].style == (4, 5)
    np.testing.assert_allclose(script.keys[1].velocity["RightArm"], np.radians([30, 0, 0]))
    result = poise.perform(character=FIGURE, script=script)
    assert result.report.met
    assert result.clip.name == "wave"
    data = {"poses": {"Up": {"RightArm": [1, 2, 3]}}, "keys": [["Up", 0.5], ["Up", 0.5]]}
    (tmp_path / "short.json").write_text(json.dumps(data))
    assert Script.load(tmp_path / "short.json").times == [0.5, 1.0]


def test_a_machine_from_a_file(tmp_path):
    text = TEXT[: TEXT.index("[[keys]]")] + (
        '[[states]]\nname="a"\npose="Up"\nseconds=0.5\nnext="b"\n'
        '[[states]]\nname="b"\npose="Down"\nseconds=0.3\nnext="a"\non={stop="c"}\n'
        '[[states]]\nname="c"\npose="Down"\nseconds=0.2\n[[cues]]\nat=1.4\nname="stop"\n'
    )
    (tmp_path / "m.toml").write_text(text)
    machine = load(tmp_path / "m.toml")
    assert isinstance(machine, Machine)
    keys = machine.keys(10.0)
    assert [(k.label, round(k.time, 3)) for k in keys] == [
        ("a", 0.5),
        ("b", 0.8),
        ("a", 1.3),
        ("b", 1.6),
        ("c", 1.6),
    ]
    assert keys[3].until == 1.4
    assert poise.perform(character=FIGURE, script=machine, duration=2.0).report.met
    with pytest.raises(InputError, match="state machine"):
        Script.load(tmp_path / "m.toml")


def test_a_cue_is_no_news_before_it_comes():
    """Until the cue, the performance is what it would have been without it."""
    states = [State("up", "Up", 0.8, on={"stop": "down"}), State("down", "Down", 0.4)]
    with_cue, without = (
        poise.perform(
            character=FIGURE, script=Machine(library(), states, cues=cues, start="Down"), duration=1.5
        )
        for cues in ([Cue(0.3, "stop")], [])
    )
    k = int(0.3 * 60)
    np.testing.assert_allclose(with_cue.clip.q[:k], without.clip.q[:k], atol=1e-12)
    assert [a.key for a in with_cue.arrivals] == ["down"]
    assert with_cue.arrivals[0].time == pytest.approx(0.7)
    assert with_cue.arrivals[0].error < 0.01


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('pose = "Up"\nbeat = 2', 'pose = "Upp"\nbeat = 2'), "no pose named 'Upp'"),
        (("beat = 2", "beat = 99"), "beat 99"),
        (("after = 0.45", "after = 0.45\nat = 3"), "one of after, at and beat"),
        (("after = 0.45", "afer = 0.45"), "no field named 'afer'"),
        (("RightForeArm = 20", "RightForeArm = [1, 2]"), "shape"),
        (("RightArm = [75, 0, 0]", "LeftWing = [75, 0, 0]"), "no joint named 'LeftWing'"),
        (("beats = {tempo", "beats = {temp"), "beats are"),
        (('start = "Down"', 'start = "Dawn"'), "no pose named 'Dawn'"),
        (("after = 0.45", "after = -1"), "after the one before"),
        (("after = 0.45", 'after = "soon"'), "key 1 needs a time in seconds, not 'soon'"),
        (("after = 0.45", "after = nan"), "key 1 needs a time in seconds, not nan"),
        (("beat = 2", "beat = 2.5"), "beat 2.5; beats are 1 to 9"),
        (("lead = 0.4", 'lead = "long"'), "lead of key 'Up'"),
        (("style = [4, 5]", "style = 1.0"), "key 'Up': a style needs n above 2"),
        (('note = "G4"', 'note = "H4"'), "key 0: a note is written"),
        (("RightForeArm = 20", 'RightForeArm = "bent"'), "'RightForeArm' of pose 'Up' must be numbers"),
        (("[poses.Down]", "[poses.Down"), "TOML"),
    ],
)
def test_broken_scripts_are_explained(tmp_path, change, said):
    (tmp_path / "bad.toml").write_text(TEXT.replace(*change))
    with pytest.raises(FileFormatError, match=said) as caught:
        load(tmp_path / "bad.toml")
    assert "bad.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('seconds = "x"', "state 'a' must take some time, not 'x'"),
        ("seconds = 0.5\n[[cues]]\nat = 1", "cue 0 needs a name and when it is given"),
        ('seconds = 0.5\n[[cues]]\nat = "now"\nname = "stop"', "cue 0 needs a time in seconds, not 'now'"),
        ('seconds = 0.5\non = {stop = "b"}', "no state named 'b'"),
    ],
)
def test_broken_machines_are_explained(tmp_path, more, said):
    (tmp_path / "bad.toml").write_text(
        TEXT[: TEXT.index("[[keys]]")] + f'[[states]]\nname="a"\npose="Up"\n{more}'
    )
    with pytest.raises(FileFormatError, match=said):
        load(tmp_path / "bad.toml")


def test_missing_files_are_named(tmp_path):
    with pytest.raises(FileFormatError, match=r"nothing\.toml"):
        load(tmp_path / "nothing.toml")
    with pytest.raises(UnknownNameError, match="conducting"):
        Script.bundled("dance")


def test_bundled_scripts():
    assert bundled_names() == ("conducting", "ymca")
    script = Script.bundled("conducting")
    assert len(script.library) == 12
    assert {k.pose.name for k in script.keys} == set(script.library), "every pose is used"


def test_machines_that_lead_nowhere_are_refused():
    with pytest.raises(UnknownNameError, match="no state named 'x'"):
        Machine(library(), [State("a", "Up", 0.5, next="x")])
    with pytest.raises(InputError, match="some time"):
        Machine(library(), [State("a", "Up", 0.0)])
    with pytest.raises(InputError, match="give a duration"):
        poise.perform(character=FIGURE, script=Machine(library(), [State("a", "Up", 0.5, next="a")]))
