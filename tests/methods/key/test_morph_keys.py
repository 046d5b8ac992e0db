"""Keys of a face: weights pass through them, fade beyond, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.character import Body, Character, Joint, MorphTarget, Skin
from poise.errors import InputError
from poise.motion import Clip


@pytest.fixture(scope="module")
def face() -> Clip:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    morphs = (MorphTarget("smile", [3], [[0, 0, 0.5]]), MorphTarget("blink", [1], [[0.1, 0, 0]]))
    skin = Skin(corners, faces, np.zeros((4, 1)), np.ones((4, 1)), np.eye(4)[None], morphs)
    who = Character("face", [Body("Head", None, Joint.free())], skin=skin, mass_source="none")
    q = np.tile(who.rest_pose(), (121, 1))
    q[:, 0] = np.linspace(0, 1, 121)
    talks = np.stack([0.2 + 0.1 * np.sin(np.arange(121) / 9), np.zeros(121)], axis=1)
    return Clip(who, q, 60, morphs=talks)


def keyed(face: Clip, mode: str = "add") -> Clip:
    keys = [
        {"time": 0.5, "weights": {"smile": 0.9}},
        {"time": 1.0, "weights": {"smile": 0.4, "blink": 1.0}},
    ]
    return poise.retouch(face, morphs=keys, mode=mode, fade=0.25).clip


@pytest.mark.parametrize("mode", ["add", "override"])
def test_weights_are_as_they_were_keyed_and_fade_to_what_they_were(face, mode):
    made = keyed(face, mode)
    assert made.morphs[30, 0] == pytest.approx(0.9, abs=1e-12)
    assert made.morphs[60].tolist() == pytest.approx([0.4, 1.0], abs=1e-12)
    beyond = np.r_[0:15, 76:121]
    assert np.array_equal(made.morphs[beyond, 0], face.morphs[beyond, 0])
    assert np.array_equal(made.morphs[:45, 1], face.morphs[:45, 1]), "a target of its own, a fade of its own"
    assert np.array_equal(made.q, face.q)
    assert made.morphs[:, 0].max() <= 0.9 + 0.1


def test_without_keys_the_face_stays_bit_for_bit(face):
    made = poise.retouch(face, edits=[]).clip
    assert np.array_equal(made.morphs, face.morphs)


def test_what_is_not_there_is_named(face):
    with pytest.raises(InputError, match=r"frown.*smile"):
        poise.retouch(face, morphs=[{"time": 0.5, "weights": {"frown": 1.0}}])
    with pytest.raises(InputError, match="no morph targets"):
        poise.retouch(poise.clips.get("walk"), morphs=[{"time": 0.5, "weights": {"smile": 1.0}}])
    twice = {"time": 0.5, "weights": {"smile": 1.0}}
    with pytest.raises(InputError, match=r"entry 1: 'smile' has another key at 0\.5 s"):
        poise.retouch(face, morphs=[twice, twice])


def test_keys_of_a_face_are_part_of_a_project_and_a_weight_takes_a_share(face, tmp_path):
    face.save(tmp_path / "face.glb")
    project = poise.Project()
    project.do({"do": "put-clip", "name": "face", "clip": {"file": "face.glb"}})
    project.evaluator.assets.folder = tmp_path
    project.add("load", "take", clip="face")
    below = project.clip().morphs
    project.add("retouch", "faces", morphs=[{"time": 0.5, "weights": {"smile": 0.9}}])
    assert project.clip().morphs[30, 0] == pytest.approx(0.9, abs=1e-6)
    project.set("faces", weight=0.5)
    half = project.clip().morphs
    assert half[30, 0] == pytest.approx(0.5 * (0.9 + below[30, 0]), abs=1e-6)
