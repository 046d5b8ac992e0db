"""Who may come in: only pages of this server, opened with its token, under one of its own names.

A page of another origin can make a browser send requests here, and a name it controls can be made to point
here; so every request needs one of our host names with our port, an origin that is ours where one is told (on
the socket and with everything that changes something always), and the token, once in the address, then in a
cookie that scripts cannot read and other sites do not send. One question is answered without: whether this
server knows the token (``address.proof``).
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from poise.studio.server.address import PROOF, proof

COOKIE = "poise"
SOCKET = "a socket"
LOOKING = ("GET", "HEAD")
"""Requests that change nothing; browsers tell no origin with them when the page is our own."""
NONCE = re.compile(r"[0-9a-f]{64}")
"""What a proof is asked for with."""
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "object-src 'none'"
)


class Guard:
    """Wraps an application; ``port`` is known once the socket is bound."""

    def __init__(self, app: ASGIApp, *, port: int, token: str | None = None) -> None:
        self.app = app
        self.token = token or secrets.token_urlsafe(32)
        self.port = port
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.cookie = f"{COOKIE}-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, redirect or refuse."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._strange(headers, scope.get("method", SOCKET))
        if problem:
            await self._refuse(scope, receive, send, problem)
            return
        if scope["type"] == "http" and scope["path"] == PROOF:
            nonce = _query(scope).get("nonce", "")
            if not NONCE.fullmatch(nonce):
                await self._refuse(scope, receive, send, "a nonce of 64 hexadecimal digits is wanted")
                return
            said = PlainTextResponse(proof(self.token, self.port, nonce))
            await said(scope, receive, _hardened(send))
            return
        given = _query(scope).get("token", "")
        if scope["type"] == "http" and scope["path"] == "/" and self._right(given):
            answer = RedirectResponse("/", status_code=303)
            answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
            await answer(scope, receive, _hardened(send))
            return
        if not self._right(cookie_parser(headers.get("cookie", "")).get(self.cookie, "")):
            await self._refuse(scope, receive, send, "open the address that `poise studio` printed")
            return
        await self.app(scope, receive, _hardened(send))

    def _strange(self, headers: Headers, method: str) -> str:
        """What is wrong with where a request comes from; empty if nothing."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return "this is not the studio's address"
        if not origins and method not in LOOKING:
            return "what changes something must say where it comes from"
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return "other sites may not speak to the studio"
        # Cookies are the same for all ports of this machine; this is not, and pages cannot set it.
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return "other sites may not speak to the studio"
        return ""

    def _right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    @staticmethod
    async def _refuse(scope: Scope, receive: Receive, send: Send, problem: str) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4403, "reason": problem})
            return
        await PlainTextResponse(problem, status_code=403)(scope, receive, _hardened(send))


def _query(scope: Scope) -> Mapping[str, str]:
    from urllib.parse import parse_qsl

    return dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))


def _hardened(send: Send) -> Send:
    """Answers that no other page may show, guess at or keep."""
    extra = [
        (b"content-security-policy", POLICY.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cache-control", b"no-store"),
    ]

    async def sending(message: object) -> None:
        told: dict[str, object] = message  # type: ignore[assignment]
        if told["type"] == "http.response.start":
            told = {**told, "headers": [*told.get("headers", []), *extra]}  # type: ignore[misc]
        await send(told)

    return sending
