"""Beats from lists, MIDI files and recordings, keys moved onto them, and sounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.character import presets
from poise.errors import FileFormatError, InputError, MissingDependencyError
from poise.methods.perform.script import sound
from poise.methods.perform.script.beats import Beats, read_wav, snap
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.timed_pose import TimedPose

FIGURE = presets.get("humanoid")


def test_beats_of_a_tempo_and_a_list():
    beats = Beats.at_tempo(90, 4, start=0.2)
    assert list(beats) == pytest.approx([0.2, 0.8667, 1.5333, 2.2], abs=1e-4)
    assert beats.tempo == pytest.approx(90)
    assert list(Beats(np.array([2.0, 1.0, 3.0])).divided(2)) == [1.0, 1.5, 2.0, 2.5, 3.0]
    with pytest.raises(InputError):
        Beats(np.array([]))


def keys_at(*times):
    nod = JointPose.from_degrees(FIGURE, {"Head": (0, 20, 0)}, name="Nod")
    return [TimedPose(nod, t) for t in times]


def test_quantised_keys_are_on_beats_in_order():
    moved = snap(keys_at(0.0, 0.47, 0.61, 1.9), Beats.at_tempo(120, 8))
    assert [k.time for k in moved] == [0.0, 0.5, 1.0, 2.0]  # 0.61 gives way: a beat is one key's
    half = snap(keys_at(0.6), [0.5, 1.0], strength=0.5)
    assert half[0].time == pytest.approx(0.55)
    fine = snap(keys_at(0.74), [0.5, 1.0], division=2)
    assert fine[0].time == 0.75
    with pytest.raises(InputError, match="do not fit"):
        snap(keys_at(0.4, 0.9, 1.4), [0.5, 1.0])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.05, 6.0), min_size=1, max_size=6, unique=True), st.integers(60, 200))
def test_quantising_moves_no_more_than_it_must(times, tempo):
    """Against all ordered choices."""
    from itertools import combinations

    beats = Beats.at_tempo(tempo, 9, start=0.3)
    moved = snap(keys_at(*times), beats)
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
    true = 0.4 + np.arange(16) * 60 / 110
    notes = [sound.Note(t, sound.pitch("G3"), 0.3) for t in true]
    path = sound.write(tmp_path / "song.wav", sound.render(notes, true[-1] + 0.6))
    heard = Beats.from_wav(path)
    assert heard.tempo == pytest.approx(110, rel=0.001)
    np.testing.assert_allclose(heard.times, true, atol=0.01)


def test_missing_libraries_are_named(tmp_path, monkeypatch):
    import sys

    sound.write(tmp_path / "a.wav", np.zeros(100))
    monkeypatch.setitem(sys.modules, "mido", None)
    with pytest.raises(MissingDependencyError, match="poise\\[music\\]"):
        Beats.from_midi(tmp_path / "a.wav")
    with pytest.raises(FileFormatError, match="no beats"):
        Beats.from_wav(tmp_path / "a.wav")


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
