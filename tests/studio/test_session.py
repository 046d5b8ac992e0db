"""A session without sockets: what is said when the disk is full, and which files may be named."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pytest

import poise
from poise.errors import InputError, PoiseError
from poise.methods.perform.script import sound
from poise.project.journal import Journal, journal_path
from poise.studio.server import messages as m
from poise.studio.server import worker
from poise.studio.server.browser_tab import Tab
from poise.studio.server.open_project import OpenProject, opened
from poise.studio.server.session import Session
from poise.studio.server.workspace import Workspace


class Heard:
    """Stands for a tab."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.stood: list[dict[str, Any]] = []
        """How things stood, in order."""

    def tell(self, message: str | bytes) -> None:
        said = json.loads(message) if isinstance(message, str) else {"told": message}
        (self.stood if said["told"] == "status" else self.told).append(said)


@pytest.fixture
def session(tmp_path, monkeypatch):
    project = poise.Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    path = project.save(tmp_path / "walk.poise")
    found = Session(OpenProject(Workspace(tmp_path), opened(path)))
    monkeypatch.setattr(found.solver, "put", lambda job: None)
    yield found
    found.project.close()


def made(*, live: bool, revision: int = 0, number: int = 0) -> m.Solved:
    return m.Solved(revision=revision, live=live, seconds=0.1, met=True, reports={}, number=number)


def said(session: Session, **message: Any) -> list[dict[str, Any]]:
    tab = Heard()
    session.tabs.add(tab)  # type: ignore[arg-type]
    session.hear(json.dumps(message), tab)  # type: ignore[arg-type]
    session.tabs.clear()
    return tab.told


def test_an_edit_that_cannot_be_journalled_is_seen_all_the_same(session, monkeypatch):
    def full(self: Journal, event: object) -> None:
        raise InputError("the edit is done, but the disk is full")

    monkeypatch.setattr(Journal, "_write", full)
    told = said(session, say="do", command={"do": "set", "layer": "walk", "path": "muted", "value": False})
    assert [t["told"] for t in told] == ["state", "problem"]
    assert "disk is full" in told[1]["text"]


def test_a_journal_that_cannot_be_forced_to_the_disk_is_told_to_all(session, monkeypatch):
    def failing(handle: int) -> None:
        raise OSError(5, "Input/output error")

    tab = Heard()
    session.tabs.add(tab)  # type: ignore[arg-type]
    monkeypatch.setattr("poise.project.journal.os.fsync", failing)
    session._to_disk()
    session.tabs.clear()
    (told,) = tab.told
    assert told["told"] == "problem"
    assert told["text"].endswith(".walk.poise.journal is not safely on the disk: Input/output error")


@pytest.mark.parametrize("when", ["joining", "opening"])
def test_edits_that_were_put_aside_are_told_of(session, tmp_path, monkeypatch, when):
    path, first = session.project.save(tmp_path / "other.poise"), tmp_path / "walk.poise"
    session.project.set("walk", muted=True)
    kept = journal_path(path).read_bytes()
    session.project.undo()
    session.project.close()
    path.write_text(path.read_text().replace('"walk"', '"run"'))
    journal_path(path).write_bytes(kept)
    tab = Heard()
    monkeypatch.setattr(session, "_show", lambda tab: None)
    session.open_project.project = opened(first)
    if when == "opening":
        session.tabs.add(tab)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="kept in other.poise.journal-1"):
        session.open(path)
    if when == "joining":
        session.join(tab)  # type: ignore[arg-type]
    session.tabs.clear()
    (notice,) = [t["text"] for t in tab.told if t["told"] == "notice"]
    assert "do not fit it as it is: they are kept in other.poise.journal-1" in notice


def test_an_answer_that_came_as_it_was_stopped_or_its_solver_died_is_the_only_one(session, monkeypatch):
    jobs: list[Any] = []
    monkeypatch.setattr(session.solver, "put", jobs.append)
    tab = Heard()
    session.hear('{"say": "ask", "question": "vocabulary", "number": 5}', tab)  # type: ignore[arg-type]
    (job,) = jobs
    answer = m.Answer(question="vocabulary", value=1, number=5)
    job.heard(m.Progress(what="x", part=0.5))
    job.heard(answer)
    job.heard(answer)  # tried again by another solver
    job.failed("cancelled")
    assert [t["told"] for t in tab.told] == ["progress", "answer"]


def test_whoever_waits_for_the_stage_gets_it_from_the_next_solver(session):
    tab = Tab(lambda one: None)
    session.tabs.add(tab)
    assert not tab.ready
    session._restarted("the solver was started again", worker.Everything())
    assert tab.ready


def test_a_drag_that_is_taken_back_takes_back_nothing_else(session):
    def put(path: str, value: Any, gesture: str) -> list[dict[str, Any]]:
        command = {"do": "set", "layer": "walk", "path": path, "value": value, "gesture": gesture}
        return said(session, say="do", live=True, command=command)

    put("muted", True, "first")
    refused = put("weight", "much", "second")
    assert [t["told"] for t in refused] == ["problem"]
    (same,) = said(session, say="undo", gesture="second")
    assert (same["revision"], same["undoable"]) == (1, 1)
    assert session.project.document.layers[0].muted
    (back,) = said(session, say="undo", gesture="first")
    assert back["undoable"] == 0


def test_a_drag_that_is_taken_back_leaves_what_could_be_redone(session):
    said(session, say="do", command={"do": "set-project", "field": "name", "value": "mine"})
    said(session, say="undo")
    for muted in (True, False, True):
        drag = {"do": "set", "layer": "walk", "path": "muted", "value": muted, "gesture": "drag"}
        (state,) = said(session, say="do", live=True, command=drag)
        assert (state["undoable"], state["redoable"]) == (1, 0)
    (back,) = said(session, say="undo", gesture="drag")
    assert (back["undoable"], back["redoable"]) == (0, 1)
    (same,) = said(session, say="undo", gesture="drag")
    assert same == back
    (again,) = said(session, say="redo")
    assert (again["document"]["name"], again["redoable"]) == ("mine", 0)
    assert not session.project.document.layers[0].muted


@pytest.mark.parametrize("file", ["../x.bvh", "/etc/passwd", "link.bvh"])
def test_commands_cannot_reach_outside_the_workspace(session, tmp_path, file):
    (tmp_path / "link.bvh").symlink_to("/etc/passwd")
    revision = session.revision
    inner = {"do": "put-clip", "name": "x", "clip": {"file": file}}
    for command in (inner, {"do": "group", "commands": [inner]}):
        (told,) = said(session, say="do", command=command)
        assert told["told"] == "problem"
        assert "outside" in told["text"]
    script = {"poses": {}, "keys": [], "beats": {"wav": file}}
    layer = {"do": "perform", "name": "beat", "script": script}
    assert said(session, say="do", command={"do": "add-layer", "layer": layer})[0]["told"] == "problem"
    assert session.revision == revision


def test_the_recording_of_a_layer_is_found_by_the_layers_name(session, tmp_path):
    sound.write(tmp_path / "song.wav", np.zeros(100))
    script = {"character": "humanoid", "poses": {"Rest": {}}, "keys": [["Rest", 0.5]]}
    layer = {
        "do": "perform",
        "name": "song",
        "script": {**script, "beats": {"wav": "song.wav"}},
        "muted": True,
    }
    assert said(session, say="do", command={"do": "add-layer", "layer": layer})[0]["told"] == "state"
    assert session.open_project.sound("song") == tmp_path / "song.wav"
    with pytest.raises(InputError, match="no recording"):
        session.open_project.sound("walk")
    with pytest.raises(PoiseError, match="layer"):
        session.open_project.sound("../song.wav")
    (tmp_path / "song.wav").unlink()
    with pytest.raises(InputError, match="not in the workspace"):
        session.open_project.sound("song")
    outside = tmp_path.parent / "outside.wav"
    sound.write(outside, np.zeros(100))
    (tmp_path / "song.wav").symlink_to(outside)
    with pytest.raises(InputError, match="outside"):
        session.open_project.sound("song")


def test_sounds_go_beside_the_project(session, tmp_path):
    (tmp_path / "inner").mkdir()
    session.project.assets.folder = tmp_path / "inner"
    assert session.open_project.place("song.wav") == tmp_path / "inner" / "song.wav"
    assert session.open_project.place("walk.bvh") == tmp_path / "walk.bvh"
    session.project.assets.folder = tmp_path.parent
    with pytest.raises(InputError, match="outside"):
        session.open_project.place("song.wav")


def test_a_file_inside_may_be_named(session, tmp_path):
    poise.clips.get("walk").save(tmp_path / "own.bvh")
    command = {"do": "put-clip", "name": "own", "clip": {"file": "own.bvh"}}
    assert said(session, say="do", command=command)[0]["told"] == "state"


def test_saving_over_another_file_needs_force(session, tmp_path):
    (tmp_path / "other.poise").write_text("something of somebody's")
    (told,) = said(session, say="save", path="other")
    assert "already exists" in told["text"]
    told = said(session, say="save", path="other", force=True)
    assert [t["told"] for t in told] == ["state", "notice"]
    assert told[0]["path"] == "other.poise"
    assert "already" not in said(session, say="save")[-1]["text"]


def test_exporting_over_another_file_needs_force(session, tmp_path, monkeypatch):
    asked: list[Any] = []
    monkeypatch.setattr(session.solver, "put", asked.append)
    (tmp_path / "there.bvh").write_text("mine")
    (told,) = said(session, say="export", path="there.bvh")
    assert "already exists" in told["text"]
    assert not asked
    assert said(session, say="export", path="there.bvh", force=True) == []
    assert asked[0].task.about["path"] == str(tmp_path / "there.bvh")
    (every,) = said(session, say="ask", question="files", about={"every": True})
    (known,) = said(session, say="ask", question="files")
    (tmp_path / "notes.txt").write_text("x")
    assert set(every["value"]) == set(known["value"]) == {"walk.poise", "there.bvh"}
    (every,) = said(session, say="ask", question="files", about={"every": True})
    assert "notes.txt" in every["value"]


def test_another_project_has_another_number(session, tmp_path):
    poise.Project().add_clip("wave", "wave").add("load", "wave", clip="wave").save(tmp_path / "wave.poise")
    before = session.state().project
    session.open(tmp_path / "wave.poise")
    assert session.state().project == before + 1


def test_what_is_open_is_not_opened_again(session, tmp_path):
    with pytest.raises(InputError, match="is already open"):
        session.open(tmp_path / "walk.poise")


@pytest.mark.parametrize("end", [made(live=False), made(live=True), m.Problem(text="it failed")])
def test_who_comes_while_the_first_motion_is_made_sees_what_there_is_of_it(session, end):
    def joined() -> list[Any]:
        tab = Tab(session.late)
        session.join(tab)
        session.leave(tab)
        assert tab.ready
        return list(tab._queue)[2:]  # the state comes first, and how it stands

    assert joined() == []
    session._solved(b"looks")
    session._solved(b"poses")
    assert joined() == [b"looks", b"poses"]
    session._solved(end)
    asked: list[Any] = []
    session.solver.put = asked.append
    late = Tab(session.late)
    session.join(late)  # all of it has to be asked for: it may have changed since
    assert [type(job.task) for job in asked] == [worker.Everything]
    assert not late.ready


def test_who_comes_later_hears_of_the_motion_made_in_full_if_it_is_still_that(session):
    def heard() -> list[dict[str, Any]]:
        tab = Tab(session.late)
        session.join(tab)
        session.leave(tab)
        told = [json.loads(message) for message in tab._queue if isinstance(message, str)]
        return [message for message in told if message["told"] == "solved"]

    session._solved(msgspec.structs.replace(made(live=True), reports={"of another": {"live": False}}))
    assert heard() == []
    session._solved(made(live=False, number=4))
    assert [(told["revision"], told["number"]) for told in heard()] == [(0, 0)]
    session.revision = 1
    session._solved(msgspec.structs.replace(made(live=False), reports={"other": {"revision": 1, "x": 0}}))
    assert heard() == []


def test_a_new_solver_sends_all_of_it_again(session):
    session._solved(b"looks")
    session._restarted("it was killed", None)
    session._solved(b"new looks")
    tab = Tab(session.late)
    session.join(tab)
    assert list(tab._queue)[2:] == [b"new looks"]


def test_a_motion_that_is_made_again_is_not_called_exact_meanwhile(session, monkeypatch):
    """The solver dies between its motion and the rest of what it tells: it is asked once more."""
    jobs: list[Any] = []
    monkeypatch.setattr(session.solver, "solve", jobs.append)
    session.solve()
    (job,) = jobs
    session._solved(made(live=False))
    assert session.board.standing.state == "exact"
    monkeypatch.setattr(session.solver, "waiting", [])
    session._restarted("it was killed", job.task)  # given up: nobody makes it, and what was told stays true
    assert session.board.standing.state == "exact"
    monkeypatch.setattr(session.solver, "waiting", [job])
    session._restarted("it was killed", job.task)
    assert session.board.standing.state == "solving"


def test_only_so_much_is_kept_for_who_comes_early(session, monkeypatch):
    monkeypatch.setattr("poise.studio.server.session.KEPT", 10)
    asked: list[Any] = []
    session.solver.put = asked.append
    session._solved(b"looks")
    session._solved(b"poses and more")
    tab = Tab(session.late)
    session.join(tab)
    assert [type(job.task) for job in asked] == [worker.Everything]
    assert not tab.ready
