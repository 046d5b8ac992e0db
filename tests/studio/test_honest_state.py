"""What everybody is told while things go wrong: it is true, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import stat
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from running import Studio, TabClient

from poise import clips
from poise.errors import InputError
from poise.project import Project
from poise.studio.server import address, status_board
from poise.studio.server.address import Address
from poise.studio.server.open_project import opened
from poise.studio.server.workspace import Workspace


def walking(folder, name: str = "walk.poise") -> str:
    project = Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    return str(project.save(folder / name))


def stands(tab: TabClient, state: str) -> dict[str, object]:
    """The next time that it stands so."""
    while True:
        told = tab.until("status")["standing"]
        if told["state"] == state:
            return told


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest")
    with Studio(folder, walking(folder)) as running:
        yield running


def test_every_change_is_told_and_what_is_seen_is_exact_in_the_end(studio):
    with studio.tab() as tab:
        assert stands(tab, "exact")["shown"] == 0
        tab.do(do="set", layer="walk", path="muted", value=False)
        assert stands(tab, "solving")["revision"] == 1
        assert stands(tab, "exact")["shown"] == 1


def test_a_reload_in_the_middle_of_a_drag_seals_it(studio):
    with studio.tab() as tab:
        stands(tab, "exact")
        before = tab.told[0]["undoable"]
        tab.do(live=True, do="add-layer", layer={"do": "mirror", "name": "other way"}, gesture="drag")
        tab.until("state", number=tab.number)
    with studio.tab() as again:
        stands(again, "exact")  # solved in full, though nobody let go
        state = next(t for t in again.told if t["told"] == "state")
        assert state["undoable"] == before + 1
        assert [layer["name"] for layer in state["document"]["layers"]] == ["walk", "other way"]
        again.do(do="set", layer="other way", path="muted", value=True, gesture="drag")
        assert again.until("state", number=again.number)["undoable"] == before + 2  # a step of its own
        for _ in range(2):
            again.say("undo")
        stands(again, "exact")


def test_a_layer_that_fails_is_passed_by_and_named(studio):
    with studio.tab() as tab:
        stands(tab, "exact")
        torn = {"do": "wear", "name": "hat", "to": "Nobody"}
        tab.do(do="add-layer", layer=torn)
        told = stands(tab, "partial")
        assert "Nobody" in told["bypassed"]["hat"]
        tab.say("undo")
        assert stands(tab, "exact")["bypassed"] == {}


def test_a_solver_that_is_killed_is_told_of_and_the_motion_is_exact_again(studio):
    with studio.tab() as tab:
        stands(tab, "exact")
        os.kill(studio.worker, signal.SIGKILL)
        tab.until("notice", event="restarted")
        assert stands(tab, "exact")["state"] == "exact"


def test_a_solver_that_stands_still_is_told_of_and_replaced(studio):
    with studio.tab() as tab:
        stands(tab, "exact")
        frozen = studio.worker
        os.kill(frozen, signal.SIGSTOP)
        tab.do(do="set", layer="walk", path="solo", value=True)
        quiet = 0.0
        while not quiet:
            quiet = tab.until("status")["standing"]["quiet"]
        assert quiet >= status_board.SILENCE
        tab.until("notice", event="restarted")
        assert stands(tab, "exact")["shown"] > 0
        assert studio.worker != frozen
        tab.say("undo")
        stands(tab, "exact")


def test_a_source_that_vanished_is_a_failure_that_names_it(tmp_path):
    clips.get("walk").save(tmp_path / "walk.bvh")
    project = Project()
    project.add_clip("walk", tmp_path / "walk.bvh").add("load", "walk", clip="walk")
    path = project.save(tmp_path / "p.poise")
    with Studio(tmp_path, path) as studio, studio.tab() as tab:
        stands(tab, "exact")
        (tmp_path / "walk.bvh").unlink()
        tab.say("seal")
        told = stands(tab, "failed")
        assert told["layer"] == "walk"
        assert "walk.bvh is missing" in told["why"]
        assert told["shown"] == 0


def test_a_tab_that_comes_back_learns_which_edits_were_made(tmp_path):
    path = walking(tmp_path)
    solo = {"do": "set", "layer": "walk", "path": "solo"}
    name = {"do": "set-project", "field": "name", "value": "mine"}
    said = [name, {**solo, "value": True}, {**solo, "value": False}]
    with Studio(tmp_path, path, token="") as studio:
        first = studio.line
        with studio.tab() as tab:
            tab.say("hello", number=1)
            session = tab.until("welcome", number=1)["session"]
            for number, command in enumerate(said):
                tab.say("do", command=command, edit=f"tab:{number}", number=10 + number)
                tab.until("state", number=10 + number)
            # On, off, and on once more: the last says what another said before it, and was not made.
            tab.say("hello", waiting=["tab:1", "tab:2", "tab:3"], number=2)
            assert tab.until("welcome", number=2)["done"] == [0, 1]
        studio.kill()
    with Studio(tmp_path, path, token="") as again, again.tab() as tab:
        assert again.line == first  # the same port and token: tabs find it
        tab.say("hello", waiting=["tab:3", "tab:1", "tab:2"], number=1)
        told = tab.until("welcome", number=1)
        assert told["session"] != session
        assert told["done"] == [1, 2]  # they are in the journal, to be recovered


def test_the_address_is_the_users_alone_and_nothing_else_is_believed(tmp_path):
    assert address.kept(tmp_path) is None
    own = Address(4242, address.new_token())
    address.keep(tmp_path, own)
    path = tmp_path / address.FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert address.kept(tmp_path) == own
    path.chmod(0o644)
    assert address.kept(tmp_path) is None
    path.unlink()
    (tmp_path / "elsewhere").write_text(json.dumps({"port": 1, "token": "x" * 40}))
    path.symlink_to(tmp_path / "elsewhere")
    assert address.kept(tmp_path) is None
    address.keep(tmp_path, own)
    assert not path.is_symlink()
    assert address.kept(tmp_path) == own
    for damaged in (
        b'{"port": 99999, "token": "short"}',
        b'{"token": "\xd3"}',
        b'{"port": ' + b"[" * 100_000,
    ):
        path.write_bytes(damaged)
        assert address.kept(tmp_path) is None


def test_a_second_start_opens_the_studio_that_runs(tmp_path, monkeypatch):
    from poise.studio.server import serve

    with Studio(tmp_path, walking(tmp_path), token="") as studio:
        said: list[str] = []
        monkeypatch.setattr(serve, "static", lambda name: "")
        serve.serve(None, workspace=tmp_path, browser=False, say=said.append)
        assert studio.line.strip().rpartition(" ")[2] in said[0]
        assert "running here already" in said[0]


def test_a_project_that_names_files_outside_is_refused_and_says_what_to_do(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    clips.get("walk").save(tmp_path / "walk.bvh")
    project = Project()
    project.add_clip("walk", tmp_path / "walk.bvh").add("load", "walk", clip="walk")
    path = project.save(work / "p.poise")
    assert opened(path, Workspace(tmp_path)).close() is None
    said = r"refers to \.\./walk\.bvh outside the workspace 'work'.*--workspace"
    with pytest.raises(InputError, match=said):
        opened(path, Workspace(work))


def test_whoever_has_the_old_port_is_not_told_the_token(tmp_path):
    """Somebody else listens where the studio was: he cannot answer, and the token is new."""
    heard = []

    class Impostor(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(f"{self.path} {self.headers}")
            self.send_response(303)
            self.end_headers()
            self.wfile.write(b"0" * 64)

        do_HEAD = do_GET

        def log_message(self, *what):
            pass

    with HTTPServer(("127.0.0.1", 0), Impostor) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        old = Address(server.server_address[1], address.new_token())
        address.keep(tmp_path, old)
        assert not old.answers()
        with Studio(tmp_path, walking(tmp_path), token="") as studio:
            new = address.kept(tmp_path)
            assert new.answers()
            assert not Address(new.port, old.token).answers()
            assert new.token in studio.line
        server.shutdown()
    assert new.port != old.port
    assert new.token != old.token
    assert len(heard) == 2
    assert not any(old.token in what for what in heard)
