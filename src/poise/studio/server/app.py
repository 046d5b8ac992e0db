"""The studio's application: pages, uploads and one socket per tab, behind the guard."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from poise.errors import InputError, PoiseError
from poise.studio.page import STATIC
from poise.studio.server.guard import Guard
from poise.studio.server.session import Session

LARGEST = 64 * 1024 * 1024
"""Bytes of an upload."""
LONGEST_MESSAGE = 8 * 1024 * 1024


def application(session: Session, *, port: int, token: str | None = None) -> Guard:
    """The guarded application around a session."""

    @contextlib.asynccontextmanager
    async def alive(app: Starlette) -> AsyncIterator[None]:
        session.start()
        yield
        session.close()

    async def index(request: Request) -> Response:
        return FileResponse(STATIC / "studio.html", media_type="text/html")

    async def upload(request: Request) -> Response:
        try:
            target = session.workspace.file(request.path_params["name"])
            await _store(request, target)
            session.open(target)
        except PoiseError as problem:
            return JSONResponse({"problem": str(problem)}, status_code=400)
        return JSONResponse({"path": session.workspace.shown(target)})

    async def download(request: Request) -> Response:
        try:
            found = session.workspace.file(request.path_params["name"])
        except InputError as problem:
            return JSONResponse({"problem": str(problem)}, status_code=400)
        return FileResponse(found) if found.is_file() else Response(status_code=404)

    async def socket(tab: WebSocket) -> None:
        await tab.accept()
        waiting: asyncio.Queue[str | bytes] = asyncio.Queue()
        session.join(waiting.put_nowait)
        sender = asyncio.create_task(_send(tab, waiting))
        try:
            while True:
                text = await tab.receive_text()
                session.hear(text, waiting.put_nowait)
        except WebSocketDisconnect:
            pass
        finally:
            session.leave(waiting.put_nowait)
            sender.cancel()

    routes = [
        Route("/", index),
        WebSocketRoute("/socket", socket),
        Route("/upload/{name}", upload, methods=["POST"]),
        Route("/file/{name:path}", download),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Guard(Starlette(routes=routes, lifespan=alive), port=port, token=token)


async def _send(tab: WebSocket, waiting: asyncio.Queue[str | bytes]) -> None:
    while True:
        message = await waiting.get()
        if isinstance(message, str):
            await tab.send_text(message)
        else:
            await tab.send_bytes(message)


async def _store(request: Request, target: Path) -> None:
    """An upload into the workspace, counted as it comes; an existing file is never overwritten."""
    if target.exists():
        raise InputError(f"{target.name} is already in the workspace: rename one of them")
    part = target.with_name(f".{target.name}.part")
    size = 0
    try:
        with part.open("wb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > LARGEST:
                    raise InputError(f"{target.name} is larger than {LARGEST // 2**20} MB")
                file.write(chunk)
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
