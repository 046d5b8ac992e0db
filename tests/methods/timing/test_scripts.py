"""Poses, scripts, machines, beats and sounds, in Python and as files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.character import Body, Character, Joint, Mass, presets
from poise.errors import FileFormatError, InputError, MissingDependencyError, UnknownNameError
from poise.methods.timing import (
    Beats,
    Cue,
    Key,
    Machine,
    Pose,
    PoseLibrary,
    Script,
    State,
    bundled_names,
    load,
    play,
    quantise,
    sound,
)
from poise.methods.timing.beats import read_wav

FIGURE = presets.get("humanoid")


def library():
    names = {"Down": (75, 0, 0), "Up": (-40, 0, 10), "Fore": (20, 0, 60)}
    return PoseLibrary(
        FIGURE,
        [Pose.from_degrees(FIGURE, {"RightArm": a, "RightForeArm": 20}, name=n) for n, a in names.items()],
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
    up = Pose.from_degrees(lift, {"car": 1.25}, name="up")
    assert up.joints["car"][0] == 1.25
    assert (
        PoseLibrary.load(PoseLibrary(lift, [up]).save(tmp_path / "l.json"), lift)["up"].joints["car"][0]
        == 1.25
    )
    result = play(lift, [Key(up, 0.8)])
    assert result.arrivals[0].error < 0.01  # [mm]
    assert result.torques.of("car")[-1, 0] == pytest.approx(2.0 * 9.81, rel=1e-3)


def test_a_pose_of_a_configuration(rng):
    q = FIGURE.manifold.plus(FIGURE.rest_pose(), 0.3 * rng.normal(size=FIGURE.nv))
    arm = Pose.of(FIGURE, q, ["left arm"], name="arm")
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
    result = play(FIGURE, script)
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
    assert play(FIGURE, machine, duration=2.0).report.met
    with pytest.raises(InputError, match="state machine"):
        Script.load(tmp_path / "m.toml")


def test_a_cue_is_no_news_before_it_comes():
    """Until the cue, the performance is what it would have been without it."""
    states = [State("up", "Up", 0.8, on={"stop": "down"}), State("down", "Down", 0.4)]
    with_cue, without = (
        play(FIGURE, Machine(library(), states, cues=cues, start="Down"), duration=1.5)
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
        (("[poses.Down]", "[poses.Down"), "TOML"),
    ],
)
def test_broken_scripts_are_explained(tmp_path, change, said):
    (tmp_path / "bad.toml").write_text(TEXT.replace(*change))
    with pytest.raises(FileFormatError, match=said) as caught:
        load(tmp_path / "bad.toml")
    assert "bad.toml" in str(caught.value)


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
    with pytest.raises(InputError, match="for how long"):
        play(FIGURE, Machine(library(), [State("a", "Up", 0.5, next="a")]))


# Beats ---------------------------------------------------------------------------------------


def test_beats_of_a_tempo_and_a_list():
    beats = Beats.at_tempo(90, 4, start=0.2)
    assert list(beats) == pytest.approx([0.2, 0.8667, 1.5333, 2.2], abs=1e-4)
    assert beats.tempo == pytest.approx(90)
    assert list(Beats(np.array([2.0, 1.0, 3.0])).divided(2)) == [1.0, 1.5, 2.0, 2.5, 3.0]
    with pytest.raises(InputError):
        Beats(np.array([]))


def keys_at(*times):
    return [Key(library()["Up"], t) for t in times]


def test_quantised_keys_are_on_beats_in_order():
    moved = quantise(keys_at(0.0, 0.47, 0.61, 1.9), Beats.at_tempo(120, 8))
    assert [k.time for k in moved] == [0.0, 0.5, 1.0, 2.0]  # 0.61 gives way: a beat is one key's
    half = quantise(keys_at(0.6), [0.5, 1.0], strength=0.5)
    assert half[0].time == pytest.approx(0.55)
    fine = quantise(keys_at(0.74), [0.5, 1.0], division=2)
    assert fine[0].time == 0.75
    with pytest.raises(InputError, match="do not fit"):
        quantise(keys_at(0.4, 0.9, 1.4), [0.5, 1.0])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.05, 6.0), min_size=1, max_size=6, unique=True), st.integers(60, 200))
def test_quantising_moves_no_more_than_it_must(times, tempo):
    """Against all ordered choices."""
    from itertools import combinations

    beats = Beats.at_tempo(tempo, 9, start=0.3)
    moved = quantise(keys_at(*times), beats)
    now = np.sort([k.time for k in moved])
    assert all(np.abs(beats.times - t).min() < 1e-12 for t in now)
    cost = ((now - np.sort(times)) ** 2).sum()
    best = min(((np.array(c) - np.sort(times)) ** 2).sum() for c in combinations(beats.times, len(times)))
    assert cost == pytest.approx(best, abs=1e-9)


def test_beats_of_a_midi_file(tmp_path):
    mido = pytest.importorskip("mido")
    file = mido.MidiFile(ticks_per_beat=480)
    track = mido.MidiTrack()
    file.tracks.append(track)
    track.append(mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(120), time=0))
    for wait in (0, 480, 480):
        track.append(mido.Message("note_on", note=67, velocity=90, time=wait))
        track.append(mido.Message("note_off", note=67, time=0))
    track.append(mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(60), time=240))
    track.append(mido.Message("note_on", note=60, velocity=90, time=240))
    file.save(str(tmp_path / "song.mid"))
    # The tempo halves half a beat after 1 s: that beat lasts 0.25 + 0.5 s.
    assert list(Beats.from_midi(tmp_path / "song.mid")) == pytest.approx([0.0, 0.5, 1.0, 1.75])
    assert list(Beats.from_midi(tmp_path / "song.mid", notes=True)) == pytest.approx([0.0, 0.5, 1.0, 1.75])
    (tmp_path / "no.mid").write_bytes(b"MThd nonsense")
    with pytest.raises(FileFormatError, match=r"no\.mid"):
        Beats.from_midi(tmp_path / "no.mid")


def test_beats_heard_in_a_recording(tmp_path):
    pytest.importorskip("librosa")
    true = 0.4 + np.arange(16) * 60 / 110
    notes = [sound.Note(t, sound.pitch("G3"), 0.3) for t in true]
    path = sound.write(tmp_path / "song.wav", sound.render(notes, true[-1] + 0.6))
    heard = Beats.from_wav(path)
    assert heard.tempo == pytest.approx(110, rel=0.02)
    off = np.abs(heard.times[:, None] - true).min(axis=1)
    assert np.median(off) < 0.015
    assert len(heard) >= 13


def test_missing_libraries_are_named(tmp_path, monkeypatch):
    import sys

    sound.write(tmp_path / "a.wav", np.zeros(100))
    for name, read in (("mido", Beats.from_midi), ("librosa", Beats.from_wav)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(MissingDependencyError, match="poise\\[music\\]"):
            read(tmp_path / "a.wav")


# Sound ---------------------------------------------------------------------------------------


def test_notes_begin_on_time_and_in_tune(tmp_path):
    notes = [sound.Note(0.5, sound.pitch("A4"), 0.5), sound.Note(1.25, 0.0)]
    samples = sound.render(notes, 2.0)
    path = sound.write(tmp_path / "a.wav", samples)
    again, rate = read_wav(path)
    np.testing.assert_allclose(again, samples, atol=1e-4)
    assert np.abs(again[: int(0.5 * rate)]).max() == 0
    assert np.abs(again[int(0.5 * rate) : int(0.51 * rate)]).max() > 0.1
    part = again[int(0.55 * rate) : int(1.05 * rate)]
    heard = np.fft.rfftfreq(len(part), 1 / rate)[np.argmax(np.abs(np.fft.rfft(part)))]
    assert heard == pytest.approx(440, abs=2.5)
    assert sound.pitch("Eb4") == pytest.approx(311.13, abs=0.01)
    with pytest.raises(InputError, match="a note is written"):
        sound.pitch("H4")


def test_every_key_sounds():
    script = Script.bundled("conducting")
    notes = sound.of_keys(script.keys)
    assert {round(n.time, 6) for n in notes} == {round(t, 6) for t in script.times}
    assert any(n.pitch > 0 for n in notes)


def test_what_is_no_wav_is_refused(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFFxxxxWAVE")
    with pytest.raises(FileFormatError, match=r"a\.wav"):
        read_wav(tmp_path / "a.wav")
