"""Start the studio: bind to this machine alone, say the address, open the browser."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

from poise.errors import InputError
from poise.project import Project
from poise.studio.page import built, static
from poise.studio.server.app import LONGEST_MESSAGE, application
from poise.studio.server.session import Session, opened
from poise.studio.server.workspace import Workspace


def serve(
    source: Path | None,
    *,
    workspace: Path | None = None,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = print,
    token: str | None = None,
) -> None:
    """Serve until interrupted. ``source`` is a project or a clip; the workspace is its folder."""
    import uvicorn

    if not built():
        static("studio.html")
    root = workspace or (source.parent if source is not None else Path.cwd())
    home = Workspace(root)
    project = opened(home.file(str(source.resolve().relative_to(home.root)))) if source else _first()
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(("127.0.0.1", port))
    except OSError as problem:
        raise InputError(f"port {port} cannot be used: {problem.strerror}; leave --port out") from None
    number = door.getsockname()[1]
    guarded = application(Session(home, project), port=number, token=token)
    address = f"http://127.0.0.1:{number}/?token={guarded.token}"
    say(f"Poise studio: {address}")
    if browser:
        webbrowser.open(address)
    config = uvicorn.Config(
        guarded,
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        ws_per_message_deflate=False,
    )
    uvicorn.Server(config).run(sockets=[door])


def _first() -> Project:
    """What is on the stage when nothing was asked for: the drunken boxer."""
    from poise.project.drunken_boxer import drunken_boxer

    project = drunken_boxer()
    project.history.seal()
    return project
