"""Start the studio: bind to this machine alone, say the address, open the browser."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from poise.errors import InputError, MissingDependencyError
from poise.studio.page import static
from poise.studio.server.address import Address, keep, kept, new_token
from poise.studio.server.solver import Process
from poise.studio.server.workspace import Workspace

if TYPE_CHECKING:  # everything else is read while the solver gets ready
    from poise.project import Project
    from poise.studio.server.session import Session

FAREWELL = 2
"""How long tabs may take to go when the studio ends [s]."""


def serve(
    source: Path | None,
    *,
    workspace: Path | None = None,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = print,
    token: str | None = None,
) -> None:
    """Serve until interrupted. ``source`` is a project or a clip; the workspace is its folder.

    Port and token are the workspace's own, as long as the port is free: tabs find their studio again. One
    that is running there already is opened, not started a second time. On another port it has another token:
    whoever has the old port now is sent the old cookie by tabs that were open.
    """
    need_server()
    for name in ("studio.html", "studio.js", "look.css"):
        static(name)
    home = Workspace(workspace or (source.parent if source is not None else Path.cwd()))
    known = None if token else kept(home.root)
    if known is not None and port in (0, known.port) and known.answers():
        say(f"Poise studio is running here already: {known.page}")
        if source is not None:
            say(f"open {source.name} there: File → Open")
        if browser:
            webbrowser.open(known.page)
        return
    door = _door(port) if port or known is None else _old_door(known.port)
    number = door.getsockname()[1]
    address = Address(
        number, token or (known.token if known is not None and known.port == number else new_token())
    )
    if not token:
        keep(home.root, address)
    solver = Process.launched()

    def announce() -> None:
        say(f"Poise studio: {address.page}")
        if browser:
            webbrowser.open(address.page)

    made: list[Session] = []
    problems: list[BaseException] = []

    def opening() -> Session:
        return made[0] if made else _session(home, source, solver)

    def failed(problem: BaseException) -> None:
        problems.append(problem)
        server.should_exit = True

    with suppress(KeyboardInterrupt):  # Ctrl+C is how it ends
        try:
            if source is not None:  # only of a file that can be read should a page be opened
                made.append(_session(home, source, solver))
            announce()
            import uvicorn

            from poise.studio.server.app import LONGEST_MESSAGE, application

            config = uvicorn.Config(
                application(opening, failed, port=number, token=address.token),
                log_level="warning",
                ws="websockets-sansio",
                ws_max_size=LONGEST_MESSAGE,
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=FAREWELL,
                server_header=False,
            )
            server = uvicorn.Server(config)
            server.run(sockets=[door])
            if problems:
                raise problems[0]
        except BaseException:
            solver.pipe.close()
            door.close()
            raise


def need_server() -> None:
    """Raise unless what serves pages is installed: before any address is promised."""
    for name in ("starlette", "uvicorn", "websockets"):
        if find_spec(name) is None:
            raise MissingDependencyError(name, "the studio", "pip install 'poise[studio]'")


def _door(port: int) -> socket.socket:
    """A socket that only this machine can reach."""
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(("127.0.0.1", port))
        door.listen()  # who comes before the server is ready waits
    except (OSError, OverflowError) as problem:
        door.close()
        why = getattr(problem, "strerror", None) or problem
        raise InputError(f"port {port} cannot be used: {why}; leave --port out for a free one") from None
    return door


def _old_door(port: int) -> socket.socket:
    """The port that the workspace had, or a free one where somebody else has it now."""
    try:
        return _door(port)
    except InputError:
        return _door(0)


def _session(home: Workspace, source: Path | None, solver: Process) -> Session:
    """What was asked for, or unsaved work that an earlier studio left, to be taken up or not."""
    from poise.studio.server import drafts
    from poise.studio.server.open_project import OpenProject, opened
    from poise.studio.server.session import Session

    if source is not None and source.suffix == ".poise":
        return Session(OpenProject(home, opened(home.contains(source.absolute()), home)), solver=solver)

    def asked() -> Project:
        return opened(home.contains(source.absolute()), home) if source is not None else _boxer()

    found = drafts.left(home.root) or drafts.begun(asked(), home.root)
    return Session(OpenProject(home, found, asked), solver=solver)


def _boxer() -> Project:
    """What is on the stage when nothing was asked for: the drunken boxer."""
    from poise.project.drunken_boxer import drunken_boxer

    project = drunken_boxer()
    project.history.seal()
    return project
