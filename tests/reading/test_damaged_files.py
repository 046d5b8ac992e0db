"""Damaged files are refused in words, never with an exception of Python's own."""

from __future__ import annotations

import io
import json
import struct
import wave
import zipfile

import numpy as np
import pytest
from hostile import glb, triangle, unzipped, zipped
from json_readers import JSON_READERS
from test_claims import END, NOTE, midi

import poise
from poise import project as projects
from poise.errors import FileFormatError, InputError
from poise.methods.perform.script import file as script_file
from poise.methods.perform.script.beats import Beats, read_wav
from poise.methods.plan.scene.scene import Scene
from poise.reading import json_from, plain_data

JSON_DOCUMENTS = {**JSON_READERS, "project": projects.open, "glTF": poise.load}


SKELETON = """:units
  length 1
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    name leg
    direction 0 -1 0
    length 1
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root leg
  end
"""


def sound(path, frames=100, channels=2, width=2):
    """A short recording."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(22050)
        file.writeframes(bytes(frames * channels * width))
    return path.read_bytes()


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("lost", [1, 2, 3, 5, 100])
def test_a_recording_that_is_cut_off(width, lost, tmp_path):
    path = tmp_path / "x.wav"
    whole = sound(path, width=width)
    path.write_bytes(whole[:-lost])
    with pytest.raises(FileFormatError, match="cut off: it should have 100 samples and has"):
        read_wav(path)


def test_a_recording_that_was_written_to_a_pipe_is_read(tmp_path):
    """Its header says the most that can be said, since its length was not known."""
    path = tmp_path / "x.wav"
    whole = bytearray(sound(path))
    struct.pack_into("<I", whole, 40, 0xFFFFFFFF)
    struct.pack_into("<I", whole, 4, 0xFFFFFFFF)
    path.write_bytes(whole)
    samples, rate = read_wav(path)
    assert (len(samples), rate) == (100, 22050)


@pytest.mark.parametrize("rate", [0, 1, 2**31])
def test_a_recording_of_an_impossible_rate(rate, tmp_path):
    path = tmp_path / "x.wav"
    whole = bytearray(sound(path))
    struct.pack_into("<I", whole, 24, rate)
    path.write_bytes(whole)
    with pytest.raises(FileFormatError, match="samples per second"):
        read_wav(path)


def packed_clip(path):
    """A clip and a project that holds it, both deflated."""
    npz = zipped(unzipped(poise.clips.get("walk").save(path / "clip.npz").read_bytes()))
    (path / "x.npz").write_bytes(npz)
    project = projects.Project().add_clip("walk", poise.load(path / "x.npz")).add("load", clip="walk")
    (path / "x.poise").write_bytes(zipped(unzipped(project.save(path / "whole.poise").read_bytes())))
    return (path / "x.npz", poise.load), (path / "x.poise", projects.open)


def test_archives_with_a_byte_missing_or_changed(tmp_path, rng):
    for path, read in packed_clip(tmp_path):
        whole = path.read_bytes()
        read(path)
        for at in rng.integers(0, len(whole), 150):
            path.write_bytes(whole[:at] + whole[at + 1 :])
            with pytest.raises(FileFormatError):
                read(path)
        refused = 0
        for at in rng.integers(0, len(whole), 150):
            changed = bytearray(whole)
            changed[at] ^= 1 << int(rng.integers(8))
            path.write_bytes(changed)
            try:
                read(path)
            except FileFormatError:
                refused += 1
        assert refused > 100, "the rest are dates and the like"


def test_corrupt_deflate(tmp_path):
    for path, read in packed_clip(tmp_path):
        with zipfile.ZipFile(path) as archive:
            member = max(archive.infolist(), key=lambda m: m.compress_size)
        data = bytearray(path.read_bytes())
        start = member.header_offset + 30 + len(member.filename)
        data[start : start + 40] = b"\xff" * 40
        path.write_bytes(data)
        with pytest.raises(FileFormatError, match="damaged"):
            read(path)


def test_scenes_that_lack_what_they_need(tmp_path):
    key, stance = {"position": [0, 0, 1]}, {"kind": "stance", "duration": 0.5, "holds": ["Base"]}
    for data, missing in (
        ({"segments": [stance]}, "a scene has no field 'character'"),
        ({"character": "lamp"}, "segments"),
        (
            {"character": "lamp", "segments": [{**stance, "keys": [key]}]},
            "a key of segment 1 .* has no field 'of'",
        ),
        ({"character": "lamp", "segments": [{**stance, "holds": [{"turn": 1}]}]}, "has no field 'what'"),
    ):
        (tmp_path / "x.json").write_text(json.dumps(data))
        with pytest.raises(FileFormatError, match=missing):
            Scene.load(tmp_path / "x.json")
        with pytest.raises(InputError, match=missing):
            Scene.from_dict(data)


@pytest.mark.parametrize(
    ("events", "division", "problem"),
    [
        (b"\x00\xff\x59\x02\x09\x02" + b"\x00" + NOTE + END, 96, "not a MIDI file: KeySignatureError"),
        (b"\x00\xff\x59\x00" + b"\x00" + NOTE + END, 96, "not a MIDI file"),
        (b"\x00\xff\x51\x00" + END, 96, "not a MIDI file"),
        (b"\x00" + NOTE + END, 0, "its division is 0"),
        (b"\x00" + NOTE + END, 0xE728, "time codes"),
    ],
)
def test_midi_that_the_library_falls_over(events, division, problem, tmp_path):
    pytest.importorskip("mido")
    (tmp_path / "x.mid").write_bytes(midi(events, division))
    with pytest.raises(FileFormatError, match=problem):
        Beats.from_midi(tmp_path / "x.mid")


@pytest.mark.parametrize("depth", [300, 3000, 30_000])
def test_deep_mjcf(depth, tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "x.xml"
    path.write_text("<mujoco><worldbody>" + "<body>" * depth + "</body>" * depth + "</worldbody></mujoco>")
    with pytest.raises(FileFormatError, match="nested deeper than 200"):
        poise.load(path)
    (tmp_path / "main.xml").write_text('<mujoco><include file="x.xml"/></mujoco>')
    with pytest.raises(FileFormatError, match="nested deeper than 200"):
        poise.load(tmp_path / "main.xml")


def text_of(what: str, value: str) -> str:
    """A document of some kind with a value where it does no harm by itself, or else."""
    return {
        "glTF": f'{{"asset": {{"version": "2.0", "extras": {value}}}, "nodes": [{{}}]}}',
        "project": f'{{"poise": "project", "version": {value}}}',
    }.get(what, f'{{"x": {value}}}')


@pytest.mark.parametrize("what", JSON_DOCUMENTS)
@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("9" * 5000, "too large"),
        ("-" + "9" * 400, "too large"),
        ("1e999", "too large"),
        ("NaN", "NaN is not a number"),
        ("-Infinity", "Infinity is not a number"),
        ("[" * 100 + "]" * 100, "nested deeper than 64"),
        ("[" * 100_000, "nested deeper than 64"),
        ('{"a":' * 100 + "1" + "}" * 100, "nested deeper than 64"),
        (r'"\ud800"', "lone surrogate"),
        ("{", "broken JSON"),
        ('"\xff"', "UTF-8"),
    ],
)
def test_json_that_cannot_be_used(what, value, problem, tmp_path):
    path = tmp_path / ("x.gltf" if what == "glTF" else "x.poise" if what == "project" else "x.json")
    path.write_bytes(text_of(what, value).encode("latin-1"))
    with pytest.raises(FileFormatError, match=problem) as caught:
        JSON_DOCUMENTS[what](path)
    assert caught.value.path == path


def test_brackets_in_strings_are_not_nesting(tmp_path):
    path = tmp_path / "x.gltf"
    text = text_of("glTF", json.dumps({"a": "[" * 500 + '\\"', "b": "{" * 500}))
    path.write_text(text)
    assert poise.load(path).frames == 1


@pytest.mark.parametrize("end", [b"", b"\\", b"\\\\"])
def test_a_string_that_does_not_end_is_looked_through_once(end):
    """It is one string to the end, wherever else one could begin: at each of its escaped quotes, say."""
    data = b'{"asset":"' + b'\\"[' * 2000 + end
    assert plain_data._STRING.sub(b"", data) == b"{:"
    with pytest.raises(FileFormatError, match="broken JSON"):
        json_from(data, "x.gltf")


@pytest.mark.parametrize("number", [1234567890123456789, -(2**64), 10**38 + 1, 10**299 + 7])
def test_whole_numbers_stay_what_they_are(number, tmp_path):
    assert json_from(json.dumps({"id": number}).encode(), "x") == {"id": number}
    path = tmp_path / "x.gltf"
    path.write_text(text_of("glTF", json.dumps({"id": number})))
    clip = poise.load(path)
    turned = clip.character.manifold.plus(clip.q, np.full((clip.frames, clip.character.nv), 0.1))
    assert f'"id": {number}' in clip.with_q(turned).save(tmp_path / "y.gltf").read_text()


@pytest.mark.parametrize("value", ["9" * 5000, "1" * 400, "1e999", "nan", "[" * 100 + "]" * 100, "[" * 5000])
def test_toml_that_cannot_be_used(value, tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(f"name = {value}\nkeys = []\n[poses.a]\nRightArm = {value}\n")
    with pytest.raises(FileFormatError):
        script_file.load(path)


@pytest.mark.parametrize("number", ["9" * 5000, "²", "1e5", "-1", "1_0"])
def test_counts_in_text_formats(number, tmp_path):
    (tmp_path / "x.bvh").write_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n"
        f"Frames: {number}\nFrame Time: 0.1\n0\n"
    )
    with pytest.raises(FileFormatError, match=r"bvh:8: Frames is"):
        poise.load(tmp_path / "x.bvh")
    (tmp_path / "x.asf").write_text(SKELETON)
    (tmp_path / "x.amc").write_text(f":fully-specified\n:degrees\n{number}\nroot 0 0 0 0 0 0\n")
    with pytest.raises(FileFormatError, match=r"amc:3: "):
        poise.load(tmp_path / "x.amc")


def test_a_frame_time_of_many_digits(tmp_path):
    (tmp_path / "x.bvh").write_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 0."
        + "3" * 5000
        + "\n0\n"
    )
    with pytest.raises(FileFormatError, match=r"bvh:9: Frame Time is .* more than 64 letters"):
        poise.load(tmp_path / "x.bvh")


def test_nan_in_a_gltf_material(tmp_path):
    content = triangle(materials=[{"pbrMetallicRoughness": {"roughnessFactor": "NAN"}}])
    content["meshes"][0]["primitives"][0]["material"] = 0
    text = json.dumps({**content, "buffers": []}, indent=1).replace('"NAN"', "NaN")
    (tmp_path / "x.gltf").write_text(text)
    line = 1 + text[: text.index("NaN")].count("\n")
    with pytest.raises(FileFormatError, match=rf"x\.gltf:{line}: not glTF: NaN is not a number"):
        poise.load(tmp_path / "x.gltf")
    sound = json.loads(text.replace("NaN", "0.5"))
    (tmp_path / "x.glb").write_bytes(glb({**sound, "buffers": [{"byteLength": 36}]}))
    poise.load(tmp_path / "x.glb").save(tmp_path / "again.glb")


def test_arrays_that_numpy_would_execute_are_refused(tmp_path):
    out = io.BytesIO()
    np.savez(out, poise=np.array([{}], dtype=object))
    (tmp_path / "x.npz").write_bytes(out.getvalue())
    with pytest.raises(FileFormatError, match="does not begin like an array of plain numbers"):
        poise.load(tmp_path / "x.npz")


def test_journals_of_nonsense_are_torn_not_fatal(tmp_path):
    import zlib

    from poise.project.journal import journal_path

    path = projects.Project().add_clip("walk", "walk").add("load", clip="walk").save(tmp_path / "x.poise")
    base = projects.open(path).document.digest
    for event in (
        {"blob": "a", "base64": "a"},
        {"do": {"do": "set"}},
        {"document": {"layers": 3}},
        {"undo": 1},
    ):
        lines = [json.dumps(e).encode() for e in ({"poise": "journal", "base": base}, event)]
        lines.append(b"[" * 5000)
        journal_path(path).write_bytes(b"".join(b"%08x %s\n" % (zlib.crc32(t), t) for t in lines))
        assert projects.open(path).recovery is None
