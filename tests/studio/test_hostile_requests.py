"""What a hostile page, program or file can try on a running studio, byte by byte."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from running import LONG, TOKEN, Studio

import poise
from poise import clips
from poise.studio.server import app

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    root = tmp_path_factory.mktemp("outer")
    (root / "secret.bvh").write_text("secret")
    folder = root / "work"
    folder.mkdir()
    (folder / "link.bvh").symlink_to(root / "secret.bvh")
    (folder / "folder").symlink_to(root)
    (folder / ".hidden.bvh").write_text("hidden")
    (folder / "notes.txt").write_text("notes")
    (folder / "page.html").write_text("<script>alert(1)</script>")
    (folder / "fine.bvh").write_text("HIERARCHY")
    (folder / "song.wav").write_bytes(b"RIFF our song")
    (root / "secret.wav").write_bytes(b"RIFF secret")
    (folder / "link.wav").symlink_to(root / "secret.wav")
    project = poise.Project().add_clip("walk", "walk").add("load", clip="walk")
    for name, file in (("ours", "song.wav"), ("above", "../secret.wav"), ("through", "link.wav")):
        played = {
            "character": "humanoid",
            "poses": {"Rest": {}},
            "keys": [["Rest", 1]],
            "beats": {"wav": file},
        }
        project.add("perform", name, script=played, muted=True)
    with Studio(folder, project.save(folder / "walk.poise")) as running:
        yield running


def sent(studio: Studio, head: str, body: bytes = b"") -> tuple[int, str]:
    """Status and answer to a request written by hand."""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=LONG) as door:
        door.sendall(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n")
        for start in range(0, len(body), 65536):
            try:
                door.sendall(body[start : start + 65536])
            except OSError:
                break
        found = b""
        try:
            while part := door.recv(65536):
                found += part
        except OSError:
            pass
    text = found.decode("latin-1")
    return int(text.split(" ", 2)[1]) if text.startswith("HTTP/") else 0, text


def asked(
    studio: Studio, path: str, method: str = "GET", *, body: bytes = b"", **headers: str
) -> tuple[int, str]:
    """A request as our own page would make it, with changes."""
    usual = {
        "Host": f"127.0.0.1:{studio.port}",
        "Cookie": studio.cookie,
        "Origin": studio.home,
        "Connection": "close",
        "Content-Length": str(len(body)),
    }
    given = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = "".join(f"\n{name}: {value}" for name, value in given.items() if value)
    return sent(studio, f"{method} {path} HTTP/1.1{lines}", body)


def test_our_own_page_is_let_in(studio):
    status, text = asked(studio, "/file/fine.bvh")
    assert status == 200
    assert "HIERARCHY" in text
    assert "application/octet-stream" in text
    assert "attachment" in text
    assert "server: uvicorn" not in text.lower()


def test_only_recordings_of_the_document_within_the_workspace_are_played(studio):
    status, text = asked(studio, "/sound/ours", Origin="")
    assert status == 200
    assert "our song" in text
    assert "audio/wav" in text
    for name in ("above", "through", "source", "nobody", "..%2Fsecret.wav", "../song.wav"):
        status, text = asked(studio, f"/sound/{name}", Origin="")
        assert status == 404, name
        assert "RIFF" not in text
    assert asked(studio, "/sound/ours", Cookie="")[0] == 403
    assert asked(studio, "/sound/ours", Origin="http://evil.example")[0] == 403


@pytest.mark.parametrize(
    "host",
    [
        "localhost.:{}",
        "LOCALHOST:{}",
        "127.0.0.1.:{}",
        "127.1:{}",
        "0:{}",
        "evil.example:{}",
        "127.0.0.1",
        "",
    ],
)
def test_other_names_for_this_machine_are_not_ours(studio, host):
    status, text = asked(studio, "/file/fine.bvh", Host=host.format(studio.port), Origin="")
    assert status in (400, 403)
    assert "HIERARCHY" not in text


def test_requests_without_or_with_two_hosts_are_refused(studio):
    cookie = f"Cookie: {studio.cookie}"
    status, text = sent(studio, f"GET /file/fine.bvh HTTP/1.0\n{cookie}")
    assert status in (400, 403)
    assert "HIERARCHY" not in text
    twice = f"Host: 127.0.0.1:{studio.port}\nHost: evil.example"
    status, text = sent(studio, f"GET /file/fine.bvh HTTP/1.1\n{twice}\n{cookie}\nConnection: close")
    assert status in (400, 403)
    absolute = f"GET http://evil.example/file/fine.bvh HTTP/1.1\nHost: evil.example\n{cookie}"
    assert sent(studio, f"{absolute}\nConnection: close")[0] in (400, 403)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PROPFIND"])
@pytest.mark.parametrize("path", ["/", "/file/fine.bvh", "/upload/x.bvh", "/socket"])
def test_no_method_gets_round_the_guard(studio, method, path):
    status, text = asked(studio, path, method, Origin="http://evil.example")
    assert status in (400, 403)
    assert "access-control" not in text.lower()
    assert asked(studio, path, method, Cookie="")[0] in (400, 403)


def test_pages_of_other_ports_on_this_machine_have_our_cookie_and_yet_get_nothing(studio):
    assert asked(studio, "/file/fine.bvh", Origin="", Sec_Fetch_Site="same-site")[0] == 403
    assert asked(studio, "/file/fine.bvh", Origin="", Sec_Fetch_Site="cross-site")[0] == 403
    assert asked(studio, "/file/fine.bvh", Origin="", Sec_Fetch_Site="same-origin")[0] == 200


def test_what_changes_something_needs_an_origin(studio):
    assert asked(studio, "/upload/x.bvh", "POST", Origin="", body=b"x")[0] == 403


def test_nobody_else_begins_a_project_or_hears_of_drafts(studio):
    for other in ({"Origin": "http://evil.example"}, {"Origin": ""}, {"Cookie": ""}):
        assert asked(studio, "/begin/character/lamp", "POST", **other)[0] == 403
    assert asked(studio, "/begin/character/lamp")[0] == 405  # looking begins nothing
    assert asked(studio, "/drafts", Cookie="")[0] == 403
    assert asked(studio, "/drafts", Origin="", Sec_Fetch_Site="cross-site")[0] == 403
    outside = studio.workspace / ".untitled-9.poise"
    outside.symlink_to(studio.workspace.parent / "secret.bvh")
    for name in ("walk.poise", ".hidden.bvh", "..%2fsecret.bvh", outside.name):
        status, text = asked(studio, f"/begin/draft/{name}", "POST")
        assert status in (400, 404), name
        assert '"secret"' not in text
    assert asked(studio, "/drafts")[1].endswith("[]")
    outside.unlink()
    assert not list(studio.workspace.glob(".untitled*"))


@pytest.mark.parametrize(
    "origin", ["", "null", "http://evil.example", "http://localhost.:{}", "https://127.0.0.1:{}"]
)
def test_sockets_of_others_are_refused(studio, origin):
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec_WebSocket_Version": "13",
        "Content_Length": "",
    }
    assert asked(studio, "/socket", **upgrade, Origin=origin.format(studio.port))[0] == 403
    assert asked(studio, "/socket", **{**upgrade, "Connection": "Upgrade"}, Cookie="")[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        "/file/../secret.bvh",
        "/file/..%2fsecret.bvh",
        "/file/%2e%2e/secret.bvh",
        "/file/link.bvh",
        "/file/folder/secret.bvh",
        "/file//etc/passwd",
        "/file/.hidden.bvh",
        "/file/.untitled.poise",
        "/file/notes.txt",
        "/file/page.html",
        "/file/",
        "/file/a%00b.bvh",
        "/static/../session.py",
        "/static/%2e%2e/server/session.py",
    ],
)
def test_nothing_but_motions_and_sounds_of_the_workspace_can_be_read(studio, path):
    status, text = asked(studio, path)
    assert status in (400, 403, 404)
    assert "import" not in text


@pytest.mark.parametrize(
    "name", ["..%2fx.bvh", ".x.bvh", "x.html", "x.js", "x.svg", "fine.bvh", "folder%2fx.bvh", "x"]
)
def test_uploads_have_plain_new_names_of_kinds_that_are_known(studio, name):
    before = sorted(p.name for p in studio.workspace.iterdir())
    assert asked(studio, f"/upload/{name}", "POST", body=b"x")[0] in (400, 404)
    assert sorted(p.name for p in studio.workspace.iterdir()) == before


def test_uploads_are_counted_whatever_they_say_of_their_size(studio):
    assert asked(studio, "/upload/big.bvh", "POST", Content_Length=str(app.LARGEST + 1))[0] == 400
    chunk = b"%x\r\n" % 2**20 + b"x" * 2**20 + b"\r\n"
    head = {"Content_Length": "", "Transfer_Encoding": "chunked"}
    usual = {"Host": f"127.0.0.1:{studio.port}", "Cookie": studio.cookie, "Origin": studio.home, **head}
    lines = "".join(f"\n{name.replace('_', '-')}: {value}" for name, value in usual.items() if value)
    body = chunk * (app.LARGEST // 2**20 + 4) + b"0\r\n\r\n"
    status, text = sent(studio, f"POST /upload/big.bvh HTTP/1.1{lines}\nConnection: close", body)
    assert status == 400
    assert "larger than" in text
    assert not (studio.workspace / "big.bvh").exists()
    assert not [p for p in studio.workspace.iterdir() if p.name.endswith(".part")]


def test_broken_and_greedy_files_are_refused_and_not_kept(studio):
    reaching = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": 4, "uri": "../secret.bvh"}],
        "nodes": [{}],
    }
    bad = {"broken.bvh": b"HIERARCHY nonsense", "reaching.gltf": json.dumps(reaching).encode()}
    for name, body in bad.items():
        status, text = asked(studio, f"/upload/{name}", "POST", body=body)
        assert status == 400
        assert name in text
        assert not (studio.workspace / name).exists()


def test_an_upload_is_kept_and_opened_for_everybody_where_that_is_asked(studio, tmp_path):
    clips.get("walk").save(tmp_path / "walk.bvh")
    with studio.tab() as tab:
        tab.until("state")
        data = (tmp_path / "walk.bvh").read_bytes()
        status, text = asked(studio, "/upload/walk.bvh?open=1", "POST", body=data)
        assert status == 200
        assert json.loads(text.split("\r\n\r\n", 1)[1]) == {"path": "walk.bvh"}
        state = tab.until("state")
        assert state["document"]["clips"]["walk"]["file"] == "walk.bvh"
        tab.solved()
        assert tab.poses()[0]["total"] == 64
        assert asked(studio, "/upload/walk.bvh", "POST", body=b"other")[0] == 400
        same = (tmp_path / "walk.bvh").read_bytes()
        assert asked(studio, "/upload/walk.bvh", "POST", body=same)[0] == 200, "the same once more"
        assert (studio.workspace / "walk.bvh").read_bytes() == same


def test_what_was_there_before_stays_whatever_is_wrong_with_it(studio):
    (studio.workspace / "bad.bvh").write_bytes(b"HIERARCHY nonsense")
    assert asked(studio, "/upload/bad.bvh", "POST", body=b"HIERARCHY nonsense")[0] == 400
    assert (studio.workspace / "bad.bvh").exists()
    (studio.workspace / "bad.bvh").unlink()


def test_the_token_is_for_the_front_page_alone(studio):
    status, text = asked(studio, f"/?token={TOKEN}", Cookie="", Origin="")
    assert status == 303
    assert "HttpOnly" in text
    assert "strict" in text.lower()
    assert asked(studio, f"/file/fine.bvh?token={TOKEN}", Cookie="", Origin="")[0] == 403
    assert asked(studio, f"/?token={TOKEN}", Cookie="", Origin="http://evil.example")[0] == 403
