"""The studio's application: pages, uploads and one socket per tab, behind the guard.

The page needs no project to be read, drawn and ready: it is on its way to the browser while the session is
made. So nothing here reads projects before somebody asks for one.
"""

from __future__ import annotations

import asyncio
import contextlib
import filecmp
import os
import traceback
from collections import deque
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from poise.errors import InputError, PoiseError
from poise.studio.page import STATIC
from poise.studio.server.browser_tab import Tab
from poise.studio.server.guard import Guard
from poise.studio.server.workspace import KINDS

if TYPE_CHECKING:
    from poise.studio.server.session import Session

LARGEST = 64 * 1024 * 1024
"""Bytes of an upload."""
LONGEST_MESSAGE = 8 * 1024 * 1024
"""Bytes that a tab may say at once."""
GONE = (WebSocketDisconnect, RuntimeError, KeyError)
"""What hearing a tab ends with: it has gone, or it sent bytes."""
TYPES = {".wav": "audio/wav", ".mid": "audio/midi"}
"""What a browser may take a file for; all others are bytes to be stored, whatever they hold."""


def application(
    opening: Callable[[], Session],
    failed: Callable[[BaseException], None],
    *,
    port: int,
    token: str | None = None,
) -> Guard:
    """The guarded application around a session, which ``opening`` makes in a thread of its own."""
    house = _House(opening, failed)
    routes = [
        Route("/", house.index),
        WebSocketRoute("/socket", house.socket),
        Route("/upload/{name}", house.upload, methods=["POST"]),
        Route("/begin/{start}/{name}", house.begin, methods=["POST"]),
        Route("/drafts", house.waiting),
        Route("/file/{name:path}", house.download),
        Route("/sound/{layer:path}", house.sound),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Guard(Starlette(routes=routes, lifespan=house.alive), port=port, token=token)


class _House:
    """The session, as soon as it is there, and what is answered at each door."""

    def __init__(self, opening: Callable[[], Session], failed: Callable[[BaseException], None]) -> None:
        self.opening, self.failed = opening, failed
        self.made: asyncio.Task[Session] | None = None

    @contextlib.asynccontextmanager
    async def alive(self, app: Starlette) -> AsyncIterator[None]:
        self.made = asyncio.create_task(self._begin_session())
        try:
            yield
        finally:
            session = None
            with contextlib.suppress(Exception):  # it has failed, and that was told
                session = await self.made
            if session is not None:
                session.close()

    async def _begin_session(self) -> Session:
        try:
            session = await asyncio.to_thread(self.opening)
            session.start()
        except BaseException as problem:
            self.failed(problem)
            raise
        return session

    async def there(self) -> Session:
        assert self.made is not None, "nobody asks before the server is alive"
        try:
            return await asyncio.shield(self.made)
        except Exception:  # it has failed, and the server is about to end
            raise HTTPException(503) from None

    async def index(self, request: Request) -> Response:
        return FileResponse(STATIC / "studio.html", media_type="text/html")

    async def upload(self, request: Request) -> Response:
        session = await self.there()
        try:
            target = session.open_project.place(request.path_params["name"])
            new = await _store(request, target)
            wrong = await session.taken(target)
            if wrong:
                if new:  # what was there before is not ours to take away
                    target.unlink(missing_ok=True)
                raise InputError(wrong)
            if request.query_params.get("open") == "1" or target.suffix.lower() == ".poise":
                session.open(target)
        except ClientDisconnect:
            return Response(status_code=400)
        except (PoiseError, OSError) as problem:
            return _refused(problem)
        return JSONResponse({"path": session.workspace.shown(target)})

    async def begin(self, request: Request) -> Response:
        session = await self.there()
        from poise.studio.server import new_project as beginning

        try:
            start, name = request.path_params["start"], request.path_params["name"]
            path = beginning.begun(start, name, session.project, session.workspace.root)
            session.open(session.workspace.contains(path))
        except (PoiseError, OSError) as problem:
            return _refused(problem)
        return JSONResponse({})

    async def waiting(self, request: Request) -> Response:
        session = await self.there()
        from poise.studio.server import drafts

        return JSONResponse(drafts.waiting(session.workspace.root, session.project.path))

    async def download(self, request: Request) -> Response:
        session = await self.there()
        try:
            found = session.workspace.file(request.path_params["name"])
        except InputError as problem:
            return _refused(problem)
        suffix = found.suffix.lower()
        if suffix not in KINDS or not found.is_file():
            return Response(status_code=404)
        return FileResponse(
            found, media_type=TYPES.get(suffix, "application/octet-stream"), filename=found.name
        )

    async def sound(self, request: Request) -> Response:
        session = await self.there()
        try:
            found = session.open_project.sound(request.path_params["layer"])
        except PoiseError as problem:
            return _refused(problem, 404)
        return FileResponse(found, media_type=TYPES[".wav"])

    async def socket(self, door: WebSocket) -> None:
        await door.accept()
        coming, said = asyncio.ensure_future(self.there()), deque[str]()
        hearing = asyncio.ensure_future(door.receive_text())
        try:
            while not coming.done():  # whoever comes early may go again
                await asyncio.wait({coming, hearing}, return_when=asyncio.FIRST_COMPLETED)
                if hearing.done():
                    said.append(hearing.result())
                    hearing = asyncio.ensure_future(door.receive_text())
            session = coming.result()
        except GONE:
            coming.cancel()
            return
        except HTTPException:
            hearing.cancel()
            with contextlib.suppress(*GONE):
                await door.close(1013)
            return
        tab = Tab(session.late)
        session.join(tab)
        sender = asyncio.create_task(_send(door, tab))
        try:
            while True:
                if not said:
                    await asyncio.wait({hearing, sender}, return_when=asyncio.FIRST_COMPLETED)
                    if sender.done():  # whoever cannot be answered is not heard either: he comes again
                        break
                    said.append(hearing.result())
                    hearing = asyncio.ensure_future(door.receive_text())
                session.hear(said.popleft(), tab)
        except GONE:
            pass
        finally:
            hearing.cancel()
            session.leave(tab)
            tab.leave()
            await sender


def _refused(problem: PoiseError | OSError, status: int = 400) -> Response:
    words = (problem.strerror if isinstance(problem, OSError) else "") or str(problem)
    return JSONResponse({"problem": words}, status_code=status)


async def _send(door: WebSocket, tab: Tab) -> None:
    try:
        while (message := await tab.next()) is not None:
            if isinstance(message, str):
                await door.send_text(message)
            else:
                await door.send_bytes(message)
    except (WebSocketDisconnect, RuntimeError, OSError):  # it closed meanwhile
        return
    except Exception:  # a mistake of the library's: the tab must not wait for what is lost
        traceback.print_exc()
    with contextlib.suppress(*GONE, OSError, AssertionError):
        await door.close(1013)


async def _store(request: Request, target: Path) -> bool:
    """An upload into the workspace, counted as it comes. An existing file is never overwritten; the same once
    more is that file. Whether it is new."""
    if target.suffix.lower() not in KINDS:
        raise InputError(f"{target.name}: files that the studio takes end in {', '.join(KINDS)}")
    too_large = InputError(f"{target.name} is larger than {LARGEST // 2**20} MB")
    told = request.headers.get("content-length", "")
    if told.isdigit() and int(told) > LARGEST:
        raise too_large
    part = target.with_name(f".{target.name}-{token_hex(4)}.part")
    size = 0
    try:
        with part.open("xb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > LARGEST:
                    raise too_large
                file.write(chunk)
        os.link(part, target)  # unlike a rename it fails where somebody else was quicker
    except FileExistsError:
        if not (target.is_file() and filecmp.cmp(part, target, shallow=False)):
            raise InputError(
                f"another {target.name} is already in the workspace: rename one of them"
            ) from None
        return False
    finally:
        part.unlink(missing_ok=True)
    return True
