"""Files that a layer reads itself are part of what it is made from: changed, the layer is made anew."""

from __future__ import annotations

import json

import pytest

from poise.project import Project

POSES = {"character": "humanoid", "poses": {"Rest": {}, "Up": {"RightArm": [40, 0, 0]}}}
SCRIPT = {
    "poses": "poses.json",
    "start": "Rest",
    "keys": [{"pose": "Up", "after": 0.2}],
}


@pytest.fixture
def project(tmp_path):
    """A performance whose poses are in a file beside the project."""
    (tmp_path / "poses.json").write_text(json.dumps(POSES))
    made = Project().add("perform", "arm", script=SCRIPT, duration=0.3)
    made.save(tmp_path / "arm.poise")
    with made:
        yield made


def key(project) -> str:
    return project.evaluator.plan(project.document)[-1].key


def test_the_key_knows_the_files_contents(project, tmp_path):
    before, file = key(project), tmp_path / "poses.json"
    assert key(project) == before
    file.write_text(json.dumps({**POSES, "poses": {"Rest": {}, "Up": {"RightArm": [80, 0, 0]}}}))
    changed = key(project)
    assert changed != before
    file.unlink()
    assert key(project) not in (before, changed), "a file that is gone is not one that is empty"
    file.write_text(json.dumps(POSES))
    assert key(project) == before, "what was is remembered"


def test_a_changed_file_is_another_motion(project, tmp_path):
    first = project.clip().q
    (tmp_path / "poses.json").write_text(
        json.dumps({**POSES, "poses": {"Rest": {}, "Up": {"RightArm": [80, 0, 0]}}})
    )
    second = project.clip().q
    assert abs(second - first).max() > 0.05
    assert project.evaluator.computed["arm"] == 2
