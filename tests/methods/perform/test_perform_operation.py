"""What can be asked of a performance: scripts, beats, balls thrown at points, disturbances as typed."""

from __future__ import annotations

import json
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import poise
from poise import clips
from poise.character import presets
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods.perform.operations import perform
from poise.methods.perform.script.beats import Beats, read_wav
from poise.methods.perform.script.file import bundled, read_data
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.timed_pose import TimedPose
from poise.operations.declare import complaints, fields_of
from poise.operations.frozen_data import as_plain
from poise.operations.perform import Perform
from poise.operations.running import asked
from poise.operations.situation import Situation
from poise.operations.values.disturbance import Impulse, Load, Push, Throw, ThrowAt, typed

HANDS_UP = {
    "name": "up",
    "character": "humanoid",
    "poses": {"Up": {"RightArm": [-40, 0, 10]}, "Down": {"RightArm": [75, 0, 0]}},
    "keys": [["Up", 0.3], ["Down", 0.4]],
}


def test_a_script_is_the_same_by_name_as_an_object_from_a_file_and_as_data(tmp_path):
    named = poise.perform(script="ymca", duration=0.8)
    data = read_data(bundled("ymca"))
    (tmp_path / "dance.json").write_text(json.dumps(data))
    for script in (Script.bundled("ymca"), data, tmp_path / "dance.json", str(tmp_path / "dance.json")):
        again = poise.perform(script=script, duration=0.8)
        np.testing.assert_array_equal(again.clip.q, named.clip.q)
    with pytest.raises(UnknownNameError, match="conducting"):
        poise.perform(script="dance")


def test_it_follows_a_clip_where_one_is_given_and_else_starts():
    wave = clips.get("wave")
    assert poise.perform(wave, duration=0.3).operation.starts is False
    assert poise.perform(script=HANDS_UP).operation.starts is True
    with pytest.raises(InputError, match="nothing to perform"):
        poise.perform()
    alone = [TimedPose(wave.q[10], 0.3)]
    with pytest.raises(InputError, match="give a character"):
        poise.perform(script=alone)
    assert poise.perform(script=alone, character="humanoid").clip.character.name == "humanoid"


def test_a_ball_thrown_at_a_point_is_aimed_at_where_it_would_be():
    script = Script.bundled("ymca")
    calm = poise.perform(script=script, duration=1.0)
    place = Kinematics(calm.clip.character, calm.clip.at(0.6)).point("Chest")[0]
    by_hand = ThrowAt(0.6, "Chest", (-4.0, 0.0, 0.0), mass=2.0).thrown(place)
    parts: list[float] = []
    aimed, thrown = (
        poise.perform(script=script, duration=1.0, disturbances=[what], progress=parts.append)
        for what in (ThrowAt(0.6, "Chest", (-4.0, 0.0, 0.0), mass=2.0), by_hand)
    )
    np.testing.assert_array_equal(aimed.clip.q, thrown.clip.q)
    assert aimed.touches
    assert parts[0] == 0.0
    two = [ThrowAt(t, "Chest", (-4.0, 0.0, 0.0)) for t in (0.5, 0.8)]
    both = poise.perform(script=script, duration=1.0, disturbances=two)
    assert [ball.name for ball in both.thrown] == ["ball", "ball 2"]
    with pytest.raises(InputError, match="lasts from 0 to 1 s"):
        poise.perform(script=script, duration=1.0, disturbances=[ThrowAt(1.5, "Chest", (-4.0, 0.0, 0.0))])


def test_keys_are_heard_and_shown_when_they_are_met(tmp_path):
    done = poise.perform(script=HANDS_UP)
    samples, rate = read_wav(done.sound(tmp_path / "keys.wav"))
    loud = np.abs(samples) > 0.05
    assert np.argmax(loud) / rate == pytest.approx(0.3, abs=0.01)
    assert len(samples) / rate == pytest.approx(done.clip.duration + 0.5, abs=0.01)
    assert done.drawn()["frames"] == [18, 42]
    assert poise.perform(clips.get("wave"), duration=0.2).sound(tmp_path / "none.wav") is None


def test_what_was_thrown_and_what_is_carried_are_props():
    ball, pack = Throw(0.1, (3.0, 0.0, 1.0), (0.5, 0.0, 4.0)), Load(0.3, "Chest", 4.0, (-0.1, 0.0, 0.0))
    done = poise.perform(script=HANDS_UP, disturbances=[ball, pack])
    assert [prop.name for prop in done.props] == ["ball", "4 kg"]
    carried = done.props[1]
    np.testing.assert_array_equal(carried.track.there(done.clip.times), done.clip.times >= 0.3)
    late = done.clip.times[-1]
    chest = done.clip.character.placement(done.clip.q[-1:])
    body = done.clip.character.index("Chest")
    there = chest.positions[0, body] + chest.rotations[0, body] @ [-0.1, 0.0, 0.0]
    np.testing.assert_allclose(carried.pose(late).place, there, atol=1e-9)
    assert [s.name for s in done.world.surfaces] == ["ball", "4 kg"]
    np.testing.assert_allclose(done.world.below(there, 0.0, late).gap, -carried.shape.radius, atol=1e-9)


def test_keys_move_to_beats():
    script = Script.bundled("ymca")
    done = poise.perform(script=script, beats=100, duration=2.0)
    times = [a.time for a in done.arrivals]
    np.testing.assert_allclose(np.array(times) / 0.6, np.round(np.array(times) / 0.6), atol=1e-9)
    assert times != script.times[: len(times)]
    given = poise.perform(script=script, beats=Beats.at_tempo(100, 20), duration=2.0)
    np.testing.assert_array_equal(given.clip.q, done.clip.q)
    with pytest.raises(InputError, match=r"\.mid file or a \.wav file, not 'allegro'"):
        poise.perform(script=script, beats="allegro")
    with pytest.raises(InputError, match="only scripts with keys"):
        poise.perform(clips.get("wave"), beats=100)


def test_the_pose_to_begin_in_is_named_told_in_degrees_or_given():
    figure = presets.get("humanoid")
    library = Script.bundled("ymca").library
    named = poise.perform(script="ymca", from_pose="M", duration=0.1).clip.q[0]
    np.testing.assert_array_equal(named, library["M"].on(figure, figure.rest_pose()))
    np.testing.assert_array_equal(
        poise.perform(script="ymca", from_pose=library["M"], duration=0.1).clip.q[0], named
    )
    np.testing.assert_allclose(poise.perform(script="ymca", from_pose=named, duration=0.1).clip.q[0], named)
    told = {"RightArm": [30.0, 0.0, 0.0]}
    turned = poise.perform(script=HANDS_UP, from_pose=told, duration=0.1).clip.q[0]
    assert not np.allclose(turned[figure.coordinates("RightArm")], [1, 0, 0, 0])
    with pytest.raises(InputError, match="no script has a pose 'M'"):
        poise.perform(clips.get("wave"), from_pose="M")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("impulse RightHand@0.5=3,0,-1", Impulse(0.5, "RightHand", (3.0, 0.0, -1.0))),
        ("push Chest@1-1.5=60,0,0", Push(1.0, 1.5, "Chest", (60.0, 0.0, 0.0))),
        ("load Chest@0.8=5", Load(0.8, "Chest", 5.0)),
        ("load Chest@0.8=5,-0.15,0,0.1", Load(0.8, "Chest", 5.0, (-0.15, 0.0, 0.1))),
        ("throw Head@0.6=-4,0,0", ThrowAt(0.6, "Head", (-4.0, 0.0, 0.0))),
        ("throw Head@0.6=-4,0,0,2.5", ThrowAt(0.6, "Head", (-4.0, 0.0, 0.0), mass=2.5)),
    ],
)
def test_disturbances_as_typed(text, made):
    assert typed(text) == made
    again = msgspec.convert(as_plain(made), Impulse | Push | Load | Throw | ThrowAt)
    assert again == made, "the same in files"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kick Head@1=1,0,0", "one of impulse, push, load, throw"),
        ("impulse Head@1=1,0", "POINT@TIME=X,Y,Z"),
        ("push Head@1=1,0,0", "'' in 'Head@1=1,0,0' is not a time"),
        ("load Chest@0.8=5,1", "BODY@TIME=KG"),
        ("throw Head@soon=1,0,0", "'soon' in .* is not a time"),
    ],
)
def test_what_is_typed_wrong_is_explained(text, said):
    with pytest.raises(InputError, match=said):
        typed(text)


@pytest.mark.parametrize("duration", [1e-300, 1e-9, 3601.0, 1e300])
def test_performances_of_no_time_or_of_years_are_refused(duration):
    with pytest.raises(InputError, match=r"lasts between 1e-06 and 3600 s"):
        poise.perform(script="ymca", duration=duration)


def test_the_shortest_performance_is_its_first_frame():
    shortest = poise.perform(script="ymca", duration=1e-6).clip
    np.testing.assert_array_equal(shortest.q, poise.perform(script="ymca", duration=0.1).clip.q[:1])


def test_options_are_declared_in_full_and_survive_a_file():
    for value in (Perform, Impulse, Push, Load, Throw, ThrowAt):
        assert complaints(value) == []
    made = asked(
        Perform, {"script": HANDS_UP, "fps": Fraction(24000, 1001), "style": (4, 5), "strength": {"*": 80}}
    )
    assert made.fps == "24000/1001"
    assert msgspec.convert(as_plain(made), Perform) == made
    assert "follow" in {field.name for field in fields_of(Perform)}
    with pytest.raises(InputError, match="two powers"):
        asked(Perform, {"script": "ymca", "style": (4, 5, 6)})


def test_files_that_it_reads_are_named():
    assert Perform(script="dance.toml", beats="song.mid").files() == ("dance.toml", "song.mid")
    assert Perform(script={**HANDS_UP, "beats": {"wav": "a.wav"}, "poses": "p.json"}).files() == (
        "a.wav",
        "p.json",
    )
    assert Perform(script="ymca", beats=90.0).files() == ()
    assert Perform.from_argument("ymca") == {"script": "ymca"}
    assert Perform.from_argument("take.bvh") is None


def test_documents_name_only_files_beside_them(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    for place in (folder, tmp_path):
        (place / "up.json").write_text(json.dumps(HANDS_UP))
    here = Situation(folder=folder)
    assert perform(Perform(script="up.json"), here).met
    with pytest.raises(InputError, match="outside"):
        perform(Perform(script="../up.json"), here)
    with pytest.raises(InputError, match="outside"):
        perform(Perform(script="ymca", beats=str(tmp_path / "song.mid")), here)
