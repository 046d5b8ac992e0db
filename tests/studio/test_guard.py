"""A hostile page can read nothing and change nothing: other origins, rebound names, no token."""

from __future__ import annotations

import hmac

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from poise.studio.server.address import PROOF
from poise.studio.server.guard import Guard

PORT, TOKEN = 8123, "right-token"
HOME = f"http://127.0.0.1:{PORT}"


def guarded() -> tuple[Guard, list[str]]:
    reached: list[str] = []

    async def page(request):
        reached.append(request.method)
        return PlainTextResponse("the document")

    async def socket(tab: WebSocket) -> None:
        reached.append("socket")
        await tab.accept()
        await tab.send_text("the document")
        await tab.close()

    inner = Starlette(routes=[Route("/", page, methods=["GET", "POST"]), WebSocketRoute("/socket", socket)])
    return Guard(inner, port=PORT, token=TOKEN), reached


def client(guard: Guard, base: str = HOME, *, cookie: bool = True) -> TestClient:
    made = TestClient(guard, base_url=base)
    if cookie:
        made.cookies.set(guard.cookie, TOKEN, domain=base.split("//")[1].split(":")[0])
    return made


def test_the_printed_address_lets_in_and_leaves_a_cookie_that_scripts_and_other_sites_cannot_use():
    guard, _ = guarded()
    tab = client(guard, cookie=False)
    answer = tab.get(f"/?token={TOKEN}", follow_redirects=False)
    assert answer.status_code == 303
    said = answer.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    assert tab.get("/").text == "the document"


@pytest.mark.parametrize(
    "host", ["evil.example:8123", "127.0.0.1:9999", "127.0.0.1", "localhost.evil.example:8123"]
)
def test_names_that_are_not_ours_are_refused_even_with_the_cookie(host):
    guard, reached = guarded()
    answer = client(guard).get("/", headers={"host": host})
    assert answer.status_code == 403
    assert reached == []


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:8123", "http://127.0.0.1:9999", "http://127.0.0.1"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_origins_are_refused_even_with_the_cookie(origin, method):
    guard, reached = guarded()
    answer = client(guard).request(method, "/", headers={"origin": origin})
    assert answer.status_code == 403
    assert reached == []


@pytest.mark.parametrize("token", ["", "?token=", "?token=wrong", f"?token={TOKEN}x"])
def test_nobody_comes_in_without_the_token(token):
    guard, reached = guarded()
    answer = client(guard, cookie=False).get(f"/{token}", follow_redirects=False)
    assert answer.status_code == 403
    assert "poise studio" in answer.text
    assert reached == []


@pytest.mark.parametrize("headers", [{}, {"origin": "http://evil.example"}, {"origin": "null"}])
def test_a_socket_must_come_from_our_own_page(headers):
    guard, reached = guarded()
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        client(guard).websocket_connect(f"ws://127.0.0.1:{PORT}/socket", headers=headers),
    ):
        pass
    assert refused.value.code == 4403
    assert reached == []


def test_a_socket_needs_the_cookie_too():
    guard, reached = guarded()
    with (
        pytest.raises(WebSocketDisconnect),
        client(guard, cookie=False).websocket_connect(
            f"ws://127.0.0.1:{PORT}/socket", headers={"origin": HOME}
        ),
    ):
        pass
    assert reached == []
    with client(guard).websocket_connect(f"ws://127.0.0.1:{PORT}/socket", headers={"origin": HOME}) as tab:
        assert tab.receive_text() == "the document"


def test_answers_cannot_be_framed_sniffed_or_kept():
    guard, _ = guarded()
    for answer in (client(guard).get("/"), client(guard, cookie=False).get("/")):
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


def test_a_studio_proves_that_it_knows_its_token_and_tells_nothing_else():
    guard, reached = guarded()
    stranger = client(guard, cookie=False)
    said = stranger.get(f"{PROOF}?nonce={'7f' * 32}")
    assert said.text == hmac.new(TOKEN.encode(), f"{PORT} {'7f' * 32}".encode(), "sha256").hexdigest()
    assert "set-cookie" not in said.headers
    for nonce in ("", "7f", "7g" * 32, "7f" * 33):
        assert stranger.get(f"{PROOF}?nonce={nonce}").status_code == 403
    other = stranger.get(f"{PROOF}?nonce={'7f' * 32}", headers={"origin": "http://evil.example"})
    assert other.status_code == 403
    assert reached == []
