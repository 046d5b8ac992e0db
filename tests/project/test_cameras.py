"""Cameras in the document: put, renamed, cut to, taken out, undone, saved; and what is refused."""

from __future__ import annotations

import pytest

import poise
from poise.errors import InputError, UnknownNameError
from poise.project import Project

KEY = {"eye": [3.0, -3.0, 1.5], "target": [0.0, 0.0, 0.9]}


def made() -> Project:
    project = Project().add_clip("wave", "wave").add("load", "wave", clip="wave")
    project.do({"do": "put-camera", "name": "wide", "camera": {"keys": [KEY]}})
    project.do(
        {"do": "put-camera", "name": "close", "camera": {"keys": [{**KEY, "fov": 15.0}], "follow": "Head"}}
    )
    return project.do({"do": "set-cuts", "cuts": [{"time": 0.5, "camera": "close"}, {"camera": "wide"}]})


def test_cameras_are_renamed_and_taken_out_with_their_cuts_and_every_step_is_undone():
    project = made()
    assert [(c.time, c.camera) for c in project.document.cuts] == [(0.0, "wide"), (0.5, "close")]
    was = project.document.digest
    project.do({"do": "rename-camera", "camera": "close", "name": "face"})
    assert list(project.document.cameras) == ["wide", "face"]
    assert [c.camera for c in project.document.cuts] == ["wide", "face"]
    project.do({"do": "drop-camera", "name": "wide"})
    assert [(c.time, c.camera) for c in project.document.cuts] == [(0.5, "face")]
    assert project.undo()
    assert project.undo()
    assert project.document.digest == was
    for _ in range(3):
        assert project.undo()
    assert not project.document.cameras
    assert not project.document.cuts


def test_a_drag_of_a_key_is_one_step():
    project = made()
    steps = project.history.undoable
    for time in (0.1, 0.2, 0.3):
        camera = {"keys": [{**KEY, "time": time}]}
        project.do({"do": "put-camera", "name": "wide", "camera": camera, "gesture": "drag"})
    assert project.history.undoable == steps + 1
    assert project.document.cameras["wide"].keys[0].time == 0.3


def test_cameras_are_saved_and_read_and_the_motion_is_the_same_with_them(tmp_path):
    project = made()
    project.save(tmp_path / "a.poise")
    again = poise.project.open(tmp_path / "a.poise")
    assert again.document.digest == project.document.digest
    assert again.document.cameras["close"].follow == "Head"
    plain = Project().add_clip("wave", "wave").add("load", "wave", clip="wave")
    keys = [[step.key for step in p.evaluator.plan(p.document)] for p in (again, plain)]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({"do": "put-camera", "name": "", "camera": {"keys": [KEY]}}, "another name"),
        ({"do": "put-camera", "name": "cuts", "camera": {"keys": [KEY]}}, "another name"),
        ({"do": "put-camera", "name": "a", "camera": {"keys": []}}, "at least one key"),
        ({"do": "put-camera", "name": "a", "camera": {"keys": [KEY, KEY]}}, "same time"),
        ({"do": "put-camera", "name": "a", "camera": {"keys": [{**KEY, "fov": 190}]}}, "0 and 170"),
        (
            {"do": "put-camera", "name": "a", "camera": {"keys": [{**KEY, "eye": KEY["target"]}]}},
            "must differ",
        ),
        ({"do": "put-camera", "name": "a", "camera": {"keys": [{**KEY, "zoom": 2}]}}, "zoom"),
        ({"do": "set-cuts", "cuts": [{"camera": "nobody's"}]}, "nobody's"),
        ({"do": "set-cuts", "cuts": [{"camera": "wide"}, {"camera": "close"}]}, "same time"),
        ({"do": "drop-camera", "name": "nobody's"}, "wide, close"),
        ({"do": "rename-camera", "camera": "wide", "name": "close"}, "already"),
    ],
)
def test_what_cannot_be_a_camera_is_refused_in_words(command, words):
    project = made()
    was = project.document
    with pytest.raises((InputError, UnknownNameError), match=words):
        project.do(command)
    assert project.document is was
