"""How the studio starts, or says in one line why not."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from running import Studio
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from poise import clips
from poise.cli import main
from poise.errors import InputError
from poise.studio import page
from poise.studio.server import drafts, serve
from poise.studio.server.app import application
from poise.studio.server.open_project import OpenProject, opened
from poise.studio.server.session import Session
from poise.studio.server.workspace import Workspace


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command complains of; it ends with status 2."""
    with pytest.raises(SystemExit) as ended:
        main(["studio", "--no-browser", *arguments])
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.fixture
def built(monkeypatch):
    monkeypatch.setattr(serve, "static", lambda name: "")


def test_a_port_that_is_taken(built, capsys, tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = told(capsys, "--port", str(port), "--workspace", str(tmp_path))
    assert f"port {port} cannot be used" in said
    assert len(said.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_studio_that_was_not_built(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(page, "STATIC", tmp_path / "static")
    said = told(capsys, "--workspace", str(tmp_path))
    assert "has not been built" in said
    assert len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("source", ["nothing.poise", "nothing.bvh"])
def test_files_that_are_not_there(built, capsys, tmp_path, source):
    said = told(capsys, str(tmp_path / source))
    assert source in said
    assert len(said.strip().splitlines()) == 1


def test_a_file_outside_the_workspace(built, capsys, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "x.bvh").write_text("x")
    assert "outside" in told(capsys, str(tmp_path / "x.bvh"), "--workspace", str(tmp_path / "work"))
    assert "not a folder" in told(capsys, "--workspace", str(tmp_path / "x.bvh"))


def test_nothing_can_be_taken_back_before_anything_was_done(tmp_path):
    clips.get("walk").save(tmp_path / "walk.bvh")
    for project in (serve._boxer(), opened(tmp_path / "walk.bvh")):
        draft = drafts.begun(project, tmp_path)
        assert draft.document.layers
        assert draft.history.undoable == 0
        draft.set(draft.document.layers[0].name, muted=True)
        assert draft.undo()
        assert not draft.undo()
        draft.close()


def test_drafts_of_two_studios_do_not_meet(tmp_path):
    one = drafts.begun(serve._boxer(), tmp_path)
    other = drafts.begun(serve._boxer(), tmp_path)
    assert one.path != other.path
    assert drafts.left(tmp_path) is None  # both are at work
    one.set("hit", muted=True)
    one.close()
    other.close()
    found = drafts.left(tmp_path)
    assert found is not None
    assert found.path == one.path
    assert found.recovery is not None
    found.close()
    drafts.forget(found.path)
    assert drafts.left(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_has_no_drafts(tmp_path, monkeypatch):
    project = serve._boxer()

    def refuse(*arguments: object, **options: object) -> None:
        raise InputError("read-only")

    monkeypatch.setattr(type(project), "save", refuse)
    assert drafts.begun(project, tmp_path).path is None


def test_the_workspace_shows_and_finds_its_files(tmp_path):
    home = Workspace(tmp_path)
    assert home.file("a/b.bvh") == tmp_path.resolve() / "a" / "b.bvh"
    with pytest.raises(InputError):
        home.file("a/.b/c.bvh")


def test_ctrl_c_while_everything_is_still_read_ends_in_peace(tmp_path):
    with Studio(tmp_path, wait=False) as studio:  # its address is told before it can answer
        status, complaints = studio.stop()
    assert complaints == ""
    assert status in (0, -signal.SIGINT)


ADDRESS = {"host": "127.0.0.1:8642", "origin": "http://127.0.0.1:8642"}


@contextmanager
def early(opening: Callable[[], Session], problems: list[BaseException]) -> Iterator[TestClient]:
    """A browser that came before there is a session."""
    guarded = application(opening, problems.append, port=8642, token="t")
    with TestClient(guarded, base_url=ADDRESS["origin"]) as browser:
        browser.cookies.set("poise-8642", "t")
        yield browser


def test_the_page_is_there_before_the_project_is(tmp_path):
    """What is asked of the session waits for it; the page does not."""
    opening, begun = threading.Event(), threading.Event()

    def late() -> Session:
        assert opening.wait(240)
        begun.set()
        return Session(OpenProject(Workspace(tmp_path), serve._boxer()))

    with early(late, []) as browser:
        assert browser.get("/static/nothing.js").status_code == 404  # answered, though there is no project
        with browser.websocket_connect("/socket", headers=ADDRESS) as tab:
            tab.send_json({"say": "ask", "question": "files", "number": 7})
            tab.send_json({"say": "nonsense"})
            assert not begun.is_set()
            opening.set()
            told = [t for t in (tab.receive_json() for _ in range(4)) if t["told"] != "status"]
        assert [t["told"] for t in told] == [
            "state",
            "answer",
            "problem",
        ]  # in the order of saying
        assert told[1]["number"] == 7


def test_who_waits_for_a_project_that_cannot_be_opened_is_let_go():
    opening, problems = threading.Event(), []

    def fail() -> Session:
        assert opening.wait(240)
        raise InputError("the disk is gone")

    with early(fail, problems) as browser:
        with browser.websocket_connect("/socket", headers=ADDRESS) as tab:
            opening.set()
            with pytest.raises(WebSocketDisconnect):
                tab.receive_json()
        assert browser.get("/drafts").status_code == 503
    assert [str(p) for p in problems] == ["the disk is gone"]


def test_who_goes_before_the_project_is_there_holds_nobody_up(tmp_path):
    opening = threading.Event()

    def late() -> Session:
        assert opening.wait(240)
        return Session(OpenProject(Workspace(tmp_path), serve._boxer()))

    with early(late, []) as browser:
        with browser.websocket_connect("/socket", headers=ADDRESS):
            pass
        opening.set()
        with browser.websocket_connect("/socket", headers=ADDRESS) as tab:
            assert tab.receive_json()["told"] == "state"


def test_a_project_that_cannot_be_begun_ends_the_server_and_says_why(built, capsys, tmp_path, monkeypatch):
    def refuse(*arguments: object) -> None:
        raise InputError("the disk is gone")

    monkeypatch.setattr(serve, "_session", refuse)
    said = told(capsys, "--workspace", str(tmp_path))
    assert said.strip().endswith("the disk is gone")
    assert len(said.strip().splitlines()) == 1


def test_ctrl_c_while_a_tab_waits_for_the_project_ends_in_peace(tmp_path):
    with Studio(tmp_path, wait=False) as studio:
        while True:  # the page is there before the project is
            try:
                tab = studio.tab()
                break
            except OSError:
                continue
        status, complaints = studio.stop()
        with suppress(Exception):
            tab.close()
    assert complaints == ""
    assert status in (0, -signal.SIGINT)
