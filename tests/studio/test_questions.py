"""What can be asked about a document: names, ground, feet, paths, music, files."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import poise
from poise.errors import FileFormatError, InputError, MissingDependencyError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods.perform.script import sound
from poise.methods.perform.script.beats import Beats
from poise.operations.frozen_data import thaw
from poise.project import Project
from poise.project.commands import PutClip
from poise.project.layer import LAYERS, layer
from poise.studio.packet import unpack
from poise.studio.server import reading
from poise.studio.server.answers import ANSWERS
from poise.studio.server.questions import QUESTIONS, Inquiry
from poise.studio.server.reading import checked_file


def asked(project: Project, question: str, **about: Any) -> Any:
    """An answer as it goes through the pipe, checked against its declared type."""
    inquiry = Inquiry(project.evaluator, project.document, about, lambda what, part: None, lambda: False)
    plain = msgspec.to_builtins(QUESTIONS[question](inquiry))
    return msgspec.json.decode(msgspec.json.encode(plain), type=ANSWERS[question])


PIN = {"name": "p", "handle": {"kind": "com"}, "target": {"value": [0.0, 0.0, 1.0]}, "when": {"at": 0.5}}
FILLED = {
    "clip": "jump", "keyframes": {"pins": []}, "scene": "lamp jump", "onto": "jump", "constraints": [PIN],
    "fps": 30, "cycles": 2, "strips": [{"clip": "jump"}], "joints": ["Head"],
}  # fmt: skip
"""What options are given that must be."""


def jump() -> Project:
    return poise.Project().add_clip("jump", "jump").add("load", "jump", clip="jump")


def test_every_question_has_a_declared_answer():
    assert set(QUESTIONS) | {"files"} == set(ANSWERS)


def test_another_motion_of_the_project_is_told_whole_and_once():
    project = jump().add_clip("walk", "walk").add("load", "other", clip="walk")
    told = asked(project, "beside", layer="jump")
    header, arrays = unpack(gzip.decompress(base64.b64decode(told.packed)))
    clip = poise.clips.get("jump")
    assert arrays["poses"].shape == (clip.frames, len(clip.character.bodies), 7)
    places = clip.character.placement(clip.q)[0] + [0.0, 0.0, header["lift"]]
    np.testing.assert_allclose(arrays["poses"][..., :3], places, atol=1e-5)
    assert asked(project, "beside", layer="jump", mark=told.mark).packed == "", "it is known already"
    project.add("trim", "part", start=0.5, at=1)
    assert asked(project, "beside", layer="jump", mark=told.mark).packed == ""
    assert asked(project, "beside", layer="part", mark=told.mark).packed


def test_names_are_those_that_a_document_may_use():
    project = jump()
    names = asked(project, "vocabulary")
    project.add("loosen", "loose", tension=dict.fromkeys(names.limbs, "firm"))
    for preset in names.tensions:
        project.set("loose", tension=preset.name)
    project.set("loose", tension=dict.fromkeys(names.joints, 2.0), window=0.1)
    project.clip()
    assert {card.name for card in names.operations} >= {"load", "key", "hit", "wear"}
    for name in names.clips:
        poise.clips.get(name)
    assert asked(poise.Project(), "vocabulary").joints == []


def test_operations_are_told_with_their_options_and_defaults():
    cards = {card.name: card for card in asked(jump(), "vocabulary").operations}
    assert set(cards) == set(LAYERS)
    for name, card in cards.items():
        known = set(LAYERS[name].__struct_fields__) - {"name", "muted", "solo", "weight", "input"}
        known -= {"device"}  # a matter of the machine, not of the motion
        assert {option.name for option in card.options} == known
        # What is written out is what is left out.
        told = {o.name: o.default for o in card.options if not o.required and o.default is not None}
        needed = {o.name: FILLED[o.name] for o in card.options if o.required}
        assert layer(name, "x", **needed) == layer(name, "x", **needed, **told)
    assert cards["wear"].last
    assert cards["hit"].dynamic


def test_in_the_air_nothing_supports_and_on_the_ground_the_weight_is_carried():
    project = jump()
    ground = asked(project, "physics")
    clip = project.clip()
    flight = next(p for p in ground.phases if p.kind == "flight")
    inside = range(flight.start + 1, flight.end)
    assert all(not ground.support[f] for f in inside)
    assert max(np.linalg.norm(ground.force[f]) for f in list(inside)[3:-3]) < 0.35 * ground.weight
    assert len(ground.support) == len(ground.force) == len(ground.pressure) == clip.frames
    com = Kinematics(clip.character, clip.q).com
    x, y = np.array(ground.support[0]).mean(axis=0)
    assert np.hypot(x - com[0, 0], y - com[0, 1]) < 0.2


def test_feet_are_handles_where_they_stand():
    project = jump().add("adapt", "feet")
    found = asked(project, "plants", layer="feet")
    clip = project.clip("jump")
    kin = Kinematics(clip.character, clip.q)
    for plant in found.plants:
        for point, (start, end) in plant.intervals.items():
            frame = round(0.5 * (start + end) * clip.fps)
            assert np.linalg.norm(kin.point(point)[frame] - plant.points[point]) < 0.05
            assert plant.start <= start <= end <= plant.end
    assert len({plant.id for plant in found.plants}) == len(found.plants)
    with pytest.raises(InputError, match="is a 'load' layer"):
        asked(project, "plants", layer="jump")


def test_paths_are_told_by_segments_with_hints_in_words_and_a_fix():
    project = jump()
    keys = [
        {"time": 0.0, "position": [0.0, 0.0, 1.0], "template": {"kind": "hermite"}},
        {"time": 0.5, "position": [0.0, 0.0, 1.0], "template": {"kind": "projectile_3", "height": 1.4}},
        {"time": 0.8, "position": [0.5, 0.0, 1.0]},
    ]
    project.add("key", "path", keyframes={"path": {"keys": keys}})
    found = asked(project, "segments", layer="path")
    assert [(s.start, s.end) for s in found.segments] == [(0.0, 0.5), (0.5, 0.8)]
    late = found.segments[1]
    assert not late.fine
    assert late.fixable
    assert "s" in late.words[0]
    assert not found.fine
    project.do(found.command)
    assert asked(project, "segments", layer="path").fine
    assert asked(jump().add("key", "none", keyframes={}), "segments", layer="none").segments == []


def test_a_beat_layer_tells_beats_and_sound(tmp_path, monkeypatch):
    def missing(path: Path) -> Beats:
        raise MissingDependencyError("librosa", "finding beats in a recording", "pip install it")

    monkeypatch.setattr(Beats, "from_wav", missing)
    tone = sound.render([sound.Note(0.5, 440.0), sound.Note(1.0, 440.0)], 2.0)
    sound.write(tmp_path / "song.wav", tone)
    script = {
        "character": "humanoid",
        "beats": {"tempo": 120, "count": 4},
        "poses": {"Rest": {}, "Up": {"RightArm": [30, 0, 0]}},
        "keys": [{"pose": "Up", "beat": 2}, {"pose": "Rest", "beat": 3}],
    }
    project = poise.Project().add("perform", "song", script=script)
    project.assets.folder = tmp_path
    music = asked(project, "beats", layer="song")
    assert music.beats == [0.0, 0.5, 1.0, 1.5]
    assert music.keys == [0.5, 1.0]
    assert music.low == []
    outside = {**script, "beats": {"wav": "../song.wav"}}
    project.set("song", script=outside)
    with pytest.raises(InputError, match="outside"):
        asked(project, "beats", layer="song")
    project.set("song", script={**script, "beats": {"wav": "song.wav"}})
    music = asked(project, "beats", layer="song")
    assert "librosa" in music.problem
    assert music.seconds == pytest.approx(2.0)
    assert max(music.high) == pytest.approx(np.max(tone), abs=1e-3)
    quiet = int(0.4 / 2.0 * len(music.high))
    assert max(music.high[:quiet]) < 0.01


def test_a_new_key_of_poses_is_the_pose_on_the_stage_and_changes_nothing_there():
    tracks = {
        "character": "humanoid",
        "poses": [
            {"time": 0.0, "joints": {}, "ease": "linear"},
            {"time": 1.0, "joints": {"LeftArm": [0, 40, 0]}, "ease": "linear"},
        ],
    }
    project = poise.Project().add("key", "poses", keyframes=tracks, fps=20)
    before = project.clip()
    found = asked(project, "key", layer="poses", time=0.35)
    np.testing.assert_allclose(found.q, before.at(0.35), atol=1e-12)
    added = {**msgspec.to_builtins(found), "ease": "linear"}
    project.do({"do": "insert", "layer": "poses", "path": "keyframes/poses/2", "value": added})
    # The way between two poses goes through every pose of it.
    np.testing.assert_allclose(project.clip().q, before.q, atol=1e-9)
    with pytest.raises(InputError, match="no poses of its own"):
        asked(jump().add("key", "pins", keyframes={"pins": []}), "key", layer="pins", time=0.1)


def test_keys_snap_to_beats_each_to_one_of_its_own():
    script = {
        "character": "humanoid",
        "beats": {"tempo": 120, "count": 8},
        "poses": {"Rest": {}, "Up": {"RightArm": [30, 0, 0]}},
        "keys": [["Up", 0.52], {"pose": "Rest", "after": 0.08, "style": "snappy"}, {"pose": "Up", "at": 1.9}],
        "quantise": True,
    }
    project = poise.Project().add("perform", "song", script=script)
    found = asked(project, "snap", layer="song")
    project.do(found.command)
    keys = thaw(project.document.layer("song").script)["keys"]
    assert keys == [
        {"pose": "Up", "beat": 2},
        {"pose": "Rest", "beat": 3, "style": "snappy"},  # no two on one beat
        {"pose": "Up", "beat": 5},
    ]
    assert asked(project, "beats", layer="song").keys == [0.5, 1.0, 2.0]
    assert "quantise" not in thaw(project.document.layer("song").script)
    project.undo()
    assert thaw(project.document.layer("song").script) == script
    with pytest.raises(InputError, match="apart"):
        asked(poise.Project().add("perform", "ymca", script="ymca"), "snap", layer="ymca")


def test_a_bundled_script_taken_apart_is_played_as_before():
    project = poise.Project().add("perform", "dance", script="ymca")
    before = asked(project, "beats", layer="dance").keys
    project.set("dance", script=asked(project, "script", name="ymca"))
    assert asked(project, "beats", layer="dance").keys == before


def test_exports_take_only_known_options(tmp_path):
    project = jump()
    assert asked(project, "export", path=str(tmp_path / "x.bvh"), rate=30) == "x.bvh"
    assert poise.load(tmp_path / "x.bvh").fps == pytest.approx(30)
    with pytest.raises(UnknownNameError):
        asked(project, "export", path=str(tmp_path / "y.bvh"), output="/etc/passwd")


def test_files_are_taken_within_limits(tmp_path, monkeypatch):
    walk = poise.clips.get("walk")
    path = Path(walk.save(tmp_path / "walk.bvh"))
    assert checked_file(path, beside=False).frames == walk.frames
    monkeypatch.setattr(reading, "PLACES", 100)
    with pytest.raises(FileFormatError, match="more than the studio takes"):
        checked_file(path, beside=False)


@pytest.mark.parametrize("kind", ["buffers", "images"])
def test_a_file_from_elsewhere_may_not_ask_for_others(tmp_path, kind):
    data = {"asset": {"version": "2.0"}, kind: [{"uri": "other.bin", "byteLength": 4}]}
    path = tmp_path / "x.gltf"
    path.write_text(json.dumps(data))
    with pytest.raises(FileFormatError, match="refers to another file"):
        checked_file(path, beside=False)


def test_all_animations_of_a_file_can_be_chosen_from(shared_data):
    project = poise.Project().add_clip("fox", shared_data / "khronos_gltf" / "Fox.glb")
    project.add("load", "fox", clip="fox")
    told = asked(project, "animations", clip="fox")
    assert [a.name for a in told.animations] == ["Survey", "Walk", "Run"]
    lengths = []
    for number, animation in enumerate(told.animations):
        entry = msgspec.structs.replace(project.document.clips["fox"], read={"animation": number})
        other = poise.Project().add_clip("fox", shared_data / "khronos_gltf" / "Fox.glb")
        other.do(PutClip(name="fox", clip=entry)).add("load", "fox", clip="fox")
        again = asked(other, "animations", clip="fox")
        assert again.chosen == number
        assert [a.name for a in again.animations] == [a.name for a in told.animations]
        clip = other.made().clip
        lengths.append(abs(clip.duration - animation.seconds) < 1.5 * clip.dt)
    assert all(lengths)


def test_a_pose_is_told_by_joints_and_mirrored_twice_it_is_the_same():
    project = jump()
    clip = project.made().clip
    plain = asked(project, "posed", time=float(clip.times[20])).joints
    assert plain["Hips"] == clip.q[20][clip.character.coordinates("Hips")].tolist()
    other = asked(project, "posed", time=float(clip.times[20]), mirrored=True).joints
    assert np.allclose(np.abs(other["LeftForeArm"]), np.abs(plain["RightForeArm"]))
    assert other["LeftArm"] != plain["LeftArm"]
