"""Films of projects by their own cameras: as they are cut, one of them, or a view instead."""

from __future__ import annotations

from zipfile import ZipFile

import pytest
from command_line import run

from poise.project import Project


@pytest.fixture
def waved(tmp_path):
    """A project that is seen from the left, then from the right."""
    project = Project().add_clip("wave", "wave").add("load", "wave", clip="wave")
    project.add("trim", "part", start=0.0, end=0.2)
    for name, y in (("left", 4.0), ("right", -4.0)):
        camera = {"keys": [{"eye": [0.0, y, 1.0], "target": [0.0, 0.0, 1.0]}]}
        project.do({"do": "put-camera", "name": name, "camera": camera})
    project.do({"do": "set-cuts", "cuts": [{"camera": "left"}, {"time": 0.1, "camera": "right"}]})
    return project.save(tmp_path / "waved.poise")


def test_a_project_is_filmed_by_its_cuts_unless_told_otherwise(capsys, waved, tmp_path):
    def film(name: str, *options: str) -> list[bytes]:
        file = tmp_path / f"{name}.zip"
        usual = ("--size", "64x36", "--fps", "10")
        assert run(capsys, "render", str(waved), "-o", str(file), *usual, *options)[0] == 0
        with ZipFile(file) as archive:
            return [archive.read(each) for each in sorted(archive.namelist())]

    cut, said, left = film("a"), film("b", "--camera", "cuts"), film("c", "--camera", "left")
    assert len(cut) == 3
    assert cut == said
    assert cut[0] == left[0]
    assert cut[1] != left[1]
    assert film("d", "--view", "front") not in (cut, left)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--camera", "lift"], "did you mean"),
        (["--camera", "left", "--view", "side"], "not both"),
    ],
)
def test_what_no_camera_can_be_is_said(capsys, waved, tmp_path, options, words):
    code, _, err = run(capsys, "render", str(waved), "-o", str(tmp_path / "x.gif"), *options)
    assert code == 2
    assert words in err


def test_cameras_are_projects_and_of_films(capsys, waved, tmp_path):
    code, _, err = run(capsys, "render", "walk", "-o", str(tmp_path / "x.gif"), "--camera", "cuts")
    assert code == 2
    assert "walk is not a project" in err
    code, _, err = run(capsys, "render", str(waved), "-o", str(tmp_path / "x.png"), "--camera", "left")
    assert code == 2
    assert "--camera cannot be used with a strobe" in err
