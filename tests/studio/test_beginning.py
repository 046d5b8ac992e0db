"""New projects: whatever they begin with can be made, and nothing that was open is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import poise
from poise import project as projects
from poise.errors import InputError, UnknownNameError
from poise.project.drunken_boxer import drunken_boxer
from poise.studio.server import drafts
from poise.studio.server.new_project import begun, performer
from poise.studio.server.open_project import OpenProject
from poise.studio.server.session import Session
from poise.studio.server.workspace import Workspace


@pytest.mark.parametrize(
    ("start", "name", "character"),
    [
        ("character", "lamp", "lamp"),
        ("motion", "walk", "humanoid"),
        ("open", "-", "humanoid"),
    ],
)
def test_what_a_project_begins_with_can_be_made(
    tmp_path: Path, start: str, name: str, character: str
) -> None:
    path = begun(start, name, drunken_boxer(), tmp_path)
    assert drafts.is_draft(path)
    found = projects.open(path)
    assert found.recovery is None
    assert not found.history.undoable
    clip = found.clip()
    assert clip.character.name == character
    if start != "motion":  # one pose, held
        assert clip.frames == 121
        assert abs(clip.q - clip.q[0]).max() < 1e-9


def test_a_new_project_takes_the_open_clip_along_from_wherever_it_is(tmp_path: Path) -> None:
    inner = tmp_path / "takes"
    inner.mkdir()
    poise.clips.get("walk").save(inner / "walk.bvh")
    now = poise.Project().add_clip("take", inner / "walk.bvh").add("load", clip="take")
    now.save(inner / "take.poise")
    now = projects.open(inner / "take.poise")
    found = projects.open(begun("open", "-", now, tmp_path))
    assert found.document.clips["take"].file == "takes/walk.bvh"
    made, walk = found.clip(), now.clip()
    assert made.character.names == walk.character.names
    assert abs(made.q[0] - walk.q[0]).max() < 1e-9  # in the first pose of what they do

    kept = poise.Project().add_clip("inside", poise.clips.get("wave")).add("load", clip="inside")
    assert projects.open(begun("open", "-", kept, tmp_path)).clip().frames == 121


@pytest.mark.parametrize(
    ("layers", "who"),
    [
        ([{"do": "plan", "scene": "lamp jump"}], "lamp"),
        ([{"do": "perform", "script": "ymca"}], "humanoid"),
        ([{"do": "key", "keyframes": {"character": "lamp", "poses": [{"time": 0}]}}], "lamp"),
        ([{"do": "load", "clip": "walk"}, {"do": "retarget", "onto": "camel"}], "camel"),
        ([{"do": "load", "clip": "walk"}, {"do": "load", "clip": "camel", "muted": True}], "walk"),
    ],
)
def test_who_is_on_the_stage(layers: list[dict[str, Any]], who: str) -> None:
    project = poise.Project().add_clip("walk", "walk").add_clip("camel", "camel")
    for layer in layers:
        project.add(**layer)
    assert performer(project.document)[0] == who


def test_where_nobody_is_on_the_stage_that_is_said() -> None:
    with pytest.raises(InputError, match="no figure on the stage"):
        performer(poise.Project().document)


def test_names_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    now = drunken_boxer()
    for start, name in [
        ("character", "nobody"),
        ("motion", "nothing"),
        ("elsewhere", "-"),
        ("draft", "../x.poise"),
    ]:
        with pytest.raises(UnknownNameError):
            begun(start, name, now, tmp_path)
    (tmp_path / ".hidden.poise").write_text("other people's")
    with pytest.raises(UnknownNameError):
        begun("draft", ".hidden.poise", now, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == [".hidden.poise"]


def test_two_studios_that_begin_at_once_have_a_draft_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second looks before the first has saved, and saves before the first holds what it saved."""
    first, second = drunken_boxer(), drunken_boxer()
    second.do({"do": "set-project", "field": "name", "value": "second"})
    save, saved = poise.Project.save, []

    def interleaved(self: poise.Project, path: Path, **options: Any) -> Path:
        if self is second and not saved:
            saved.append(path)
            drafts.begun(first, tmp_path)
        made = save(self, path, **options)
        if self is first and [made] == saved:
            save(second, made)
        return made

    monkeypatch.setattr(poise.Project, "save", interleaved)
    drafts.begun(second, tmp_path)
    assert first.path != second.path
    for project in (first, second):
        assert project.path is not None
        assert projects.open(project.path).document == project.document
        project.close()


def test_a_folder_that_takes_nothing_gets_no_empty_drafts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise InputError("the disk is full")

    monkeypatch.setattr("poise.project.project.write_bytes", full)
    assert drafts.begun(drunken_boxer(), tmp_path).path is None
    assert not list(tmp_path.glob("*.poise"))


def test_unsaved_work_waits_until_somebody_goes_on_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(OpenProject(Workspace(tmp_path), drafts.begun(drunken_boxer(), tmp_path)))
    monkeypatch.setattr(session.solver, "put", lambda job: None)
    first = session.project.path
    assert first is not None
    command = {"do": "set", "layer": "hat", "path": "muted", "value": True}

    class Deaf:
        def tell(self, message: str) -> None:
            assert json.loads(message)["told"] != "problem", message

    session.hear(json.dumps({"say": "do", "command": command}), Deaf())  # type: ignore[arg-type]
    session.open(begun("character", "lamp", session.project, tmp_path))
    assert session.project.document.character == "lamp"
    (waiting,) = drafts.waiting(tmp_path, session.project.path)
    assert waiting == {"file": first.name, "name": "drunken boxer", "words": "1 edit not saved"}
    lamp = session.project.path
    session.open(begun("draft", first.name, session.project, tmp_path))
    assert lamp is not None
    assert not lamp.exists()  # nothing had been done to it
    session.project.recover()
    assert session.project.document.layer("hat").muted
    session.close()


@pytest.mark.parametrize("kind", ["as it began", "edited", "saved"])
def test_who_throws_a_draft_away_is_back_where_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    session = Session(
        OpenProject(Workspace(tmp_path), drafts.begun(drunken_boxer(), tmp_path), drunken_boxer)
    )
    monkeypatch.setattr(session.solver, "put", lambda job: None)
    first = session.project.path
    assert first is not None
    session.project.set("hat", muted=True)
    session.open(begun("character", "lamp", session.project, tmp_path))
    if kind != "as it began":
        session.project.set("key-frames", muted=True)
        session.project.sync()
    if kind == "edited":  # a draft without a name is told from others by who is in it
        assert {d["name"] for d in drafts.waiting(tmp_path)} == {"drunken boxer", "untitled: lamp"}
    if kind == "saved":
        session.project.save(tmp_path / "lamp.poise")
    lamp, path = session.project.document, session.project.path
    session.open(begun("draft", first.name, session.project, tmp_path))
    session.open_project.recover(keep=False)
    assert session.project.document == lamp  # not the boxer, which the studio began with
    assert not first.exists()
    if kind != "as it began":
        assert session.project.path == path
        assert session.project.modified == (kind == "edited")
        assert session.project.history.undoable == 1
    session.project.set("key-frames", fps=30.0)  # and it is journalled again
    session.close()
    assert session.project.path is not None
    found = projects.open(session.project.path)
    assert found.recovery is not None
    assert found.recovery.document == session.project.document


def test_a_workspace_that_cannot_be_written_to_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: poise.Project, path: Path | None = None, **options: Any) -> Path:
        raise OSError(30, "read-only")

    monkeypatch.setattr(poise.Project, "save", full)
    with pytest.raises(InputError, match="read-only"):
        begun("character", "lamp", drunken_boxer(), tmp_path)
