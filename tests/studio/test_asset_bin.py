"""The asset bin: what files and clips are, small pictures of them, and which joint becomes which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import poise
from poise import clips
from poise.errors import UnknownNameError
from poise.project import Project
from poise.studio.server.answers import ANSWERS
from poise.studio.server.questions import QUESTIONS, Inquiry
from poise.world import Box, Surface, World


def asked(project: Project, question: str, **about: Any) -> Any:
    """An answer as it goes through the pipe."""
    inquiry = Inquiry(project.evaluator, project.document, about, lambda what, part: None, lambda: False)
    plain = msgspec.to_builtins(QUESTIONS[question](inquiry))
    return msgspec.json.decode(msgspec.json.encode(plain), type=ANSWERS[question])


def walking() -> Project:
    return poise.Project().add_clip("walk", "walk").add("load", "walk", clip="walk")


def test_a_file_is_told_and_as_which_clip_it_would_be_taken(tmp_path):
    clips.get("wave").save(tmp_path / "wave.glb")
    path = str(tmp_path / "wave.glb")
    found = asked(walking(), "inspect", path=path, shown="wave.glb", entry="wave.glb", beside=True)
    assert (found.kind, found.facts.frames) == ("motion", 193)
    assert [a.seconds for a in found.animations] == pytest.approx([3.2])
    project = Project()
    project.assets.folder = tmp_path
    project.do({"do": "put-clip", "name": "wave", "clip": msgspec.to_builtins(found.entry)})
    project.add("load", clip="wave")
    assert project.clip().frames == 193


def test_a_world_is_told_by_its_surfaces(tmp_path):
    file = tmp_path / "world.json"
    box = World((Surface(name="step", shape=Box((1.0, 1.0, 0.2))),))
    file.write_text(json.dumps(box.to_dict()))
    found = asked(walking(), "inspect", path=str(file), shown="world.json", entry="world.json")
    assert found.kind == "world"
    assert [s["name"] for s in found.surfaces] == ["step"]
    project = walking()
    project.do({"do": "put-surface", "surface": found.surfaces[0]})
    assert len(project.document.world["surfaces"]) == 1


def test_clips_are_told_and_one_that_is_gone_says_why(tmp_path):
    project = walking().add_clip("who", "humanoid")
    clips.get("run").save(tmp_path / "run.bvh")
    project.add_clip("run", tmp_path / "run.bvh")
    (tmp_path / "run.bvh").unlink()
    found = {each.name: each for each in asked(project, "clips").clips}
    assert (found["walk"].kind, found["walk"].frames, found["walk"].loop) == ("motion", 64, True)
    assert found["who"].kind == "character"
    assert "missing" in found["run"].problem


def test_a_preview_shows_where_the_joints_are():
    walk = clips.get("walk")
    found = asked(walking(), "preview", clip="walk")
    assert len(found.poses) == 32
    assert found.parents == [int(p) for p in walk.character.parents]
    first = np.reshape(found.poses[0], (-1, 3))
    own = walk.character.placement(walk.q[:1])[0][0]
    assert first[:, 2] == pytest.approx(own[:, 2], abs=1e-3)
    assert np.linalg.norm(first[3] - first[5]) == pytest.approx(np.linalg.norm(own[3] - own[5]), abs=2e-3)
    with pytest.raises(UnknownNameError):
        asked(walking(), "preview", clip="nobody")
    with pytest.raises(UnknownNameError):
        asked(walking(), "preview", clip="/etc/passwd", bundled=True)


def test_which_joint_becomes_which_and_what_is_said_counts():
    project = walking().add_clip("robot", "humanoid")
    same = asked(project, "pairing", clip="robot")
    assert same.same
    assert same.onto == "walk"
    assert {p.source: p.target for p in same.pairs}["LeftFoot"] == "LeftFoot"
    said = asked(project, "pairing", clip="robot", map={"LeftHand": "RightHand"})
    assert [(p.source, p.target) for p in said.pairs if p.how == "said"] == [("LeftHand", "RightHand")]
    wrong = asked(project, "pairing", clip="robot", map={"Tail": "RightHand"})
    assert "Tail" in wrong.problem


SHARED = Path(__file__).parents[3] / "shared" / "data" / "cmu_cgspeed_bvh" / "02_01.bvh"


@pytest.mark.skipif(not SHARED.exists(), reason="the captures of shared/data are not here")
def test_a_capture_finds_its_joints():
    project = walking().add_clip("take", SHARED)
    found = asked(project, "pairing", clip="take")
    assert not found.same
    assert not found.problem
    assert {p.source: p.target for p in found.pairs}["LeftUpLeg"] == "LeftUpLeg"
    assert len(found.pairs) >= 15
