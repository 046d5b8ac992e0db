"""One project, however many tabs look at it: edits come in, states and stage data go out to all.

Solving is the worker's. At most one solve is under way and one waits: the newest. An answer to a revision that is
past is still shown while something is dragged, and dropped otherwise by the browser.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from poise import project as projects
from poise.errors import PoiseError
from poise.project import Project
from poise.project.frozen_data import encoded
from poise.studio.server import messages as m
from poise.studio.server import worker
from poise.studio.server.workspace import Workspace

_DECODER = msgspec.json.Decoder(m.SAID)
Listener = Callable[[str | bytes], None]


class Session:
    """The project being edited and everyone who watches."""

    def __init__(self, workspace: Workspace, project: Project) -> None:
        self.workspace = workspace
        self.project = project
        self.revision = 0
        self._listeners: set[Listener] = set()
        self._busy: worker.Solve | None = None
        self._next: worker.Solve | None = None
        self._stop: Any = None
        self._pipe: Any = None
        self._process: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    # The worker ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the worker; to be called within the event loop."""
        self._loop = asyncio.get_running_loop()
        context = multiprocessing.get_context("spawn")
        self._stop = context.Value("l", 0)
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=worker.main, args=(theirs, self._stop), daemon=True)
        self._process.start()
        theirs.close()
        self._loop.add_reader(self._pipe.fileno(), self._hear)
        self._tell_home()
        self.solve()

    def close(self) -> None:
        """End the worker and let go of the project's file; the journal keeps what is unsaved."""
        if self._loop is not None and self._pipe is not None:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()
        if self._process is not None:
            self._process.join(timeout=1.0)
            if self._process.is_alive():
                self._process.kill()
        self.project.close()

    def _hear(self) -> None:
        """What the worker says goes on to everybody."""
        try:
            while self._pipe.poll():
                said = self._pipe.recv_bytes()
                body = said[1:]
                if said[:1] == worker.BINARY:
                    self._tell_all(body)
                    continue
                told = body.decode()
                self._tell_all(told)
                if '"told":"solved"' in told or '"told":"problem"' in told:
                    self._solved()
        except (EOFError, OSError):
            self._restart()

    def _restart(self) -> None:
        """The worker died; nothing is lost, for the document is here."""
        assert self._loop is not None
        self._loop.remove_reader(self._pipe.fileno())
        self._busy = self._next = None
        self._tell_all(_text(m.Problem(text="the solver stopped and was started again")))
        self.start()

    def _solved(self) -> None:
        self._busy = None
        if self._next is not None:
            task, self._next = self._next, None
            self._begin(task)

    def _begin(self, task: worker.Solve) -> None:
        self._busy = task
        self._pipe.send_bytes(worker.encode(task))

    def solve(self, *, live: bool = False, number: int = 0) -> None:
        """Ask for the present document's motion; what waited before is forgotten."""
        if not self.project.document.layers:
            return
        task = worker.Solve(
            revision=self.revision, document=encoded(self.project.document), live=live, number=number
        )
        if self._busy is None:
            self._begin(task)
        else:
            self._next = task

    def _tell_home(self) -> None:
        folder = str(self.project.assets.folder)
        self._pipe.send_bytes(
            worker.encode(worker.Home(folder=folder, blobs=dict(self.project.assets.blobs)))
        )

    # Those who watch ---------------------------------------------------------------------------------

    def join(self, listener: Listener) -> None:
        """Somebody opened a tab."""
        self._listeners.add(listener)
        listener(_text(self.state()))
        self._pipe.send_bytes(worker.encode(worker.Forget()))
        self.solve()

    def leave(self, listener: Listener) -> None:
        """A tab was closed."""
        self._listeners.discard(listener)

    def _tell_all(self, message: str | bytes) -> None:
        for listener in list(self._listeners):
            listener(message)

    def state(self, number: int = 0) -> m.State:
        """The document as everybody should see it."""
        project = self.project
        return m.State(
            revision=self.revision,
            document=project.document.to_dict(),
            undoable=project.history.undoable,
            redoable=project.history.redoable,
            modified=project.modified,
            path=self.workspace.shown(project.path),
            recovery=str(project.recovery) if project.recovery is not None else "",
            number=number,
        )

    # What they say -----------------------------------------------------------------------------------

    def hear(self, text: str, tell: Listener) -> None:
        """One message from a tab; complaints go to that tab alone."""
        number = 0
        try:
            said = _DECODER.decode(text)
            number = getattr(said, "number", 0)
            self._perform(said, tell)
        except msgspec.DecodeError as problem:
            tell(_text(m.Problem(text=f"not understood: {problem}", number=number)))
        except PoiseError as problem:
            tell(_text(m.Problem(text=str(problem), number=number)))
        except OSError as problem:
            tell(_text(m.Problem(text=f"{problem.strerror or problem}", number=number)))

    def _perform(self, said: Any, tell: Listener) -> None:
        project = self.project
        match said:
            case m.Do(command=command, live=live, number=number):
                project.do(command)
                self._changed(live=live, number=number)
            case m.Seal():
                project.history.seal()
                self.solve()
            case m.Undo():
                if project.undo():
                    self._changed()
            case m.Redo():
                if project.redo():
                    self._changed()
            case m.Cancel():
                self._next = None
                with self._stop.get_lock():
                    self._stop.value += 1
            case m.Save(path=path, force=force):
                target = self.workspace.file(path) if path else None
                saved = project.save(target, force=force)
                project.lock()
                self._tell_all(_text(self.state()))
                tell(_text(m.Notice(text="saved", path=self.workspace.shown(saved))))
            case m.Open(path=path):
                self.open(self.workspace.file(path))
            case m.Export(path=path, options=options):
                self._ask(m.Ask(question="export", about={"path": str(self.workspace.file(path)), **options}))
            case m.Recover(keep=keep):
                _ = project.recover() if keep else project.discard()
                self._changed()
            case m.Ask(question="files", number=number):
                found = self.workspace.files()
                tell(_text(m.Answer(question="files", value=found, number=number)))
            case m.Ask():
                self._ask(said)

    def _ask(self, said: m.Ask) -> None:
        task = worker.Question(
            question=said.question,
            about=said.about,
            document=encoded(self.project.document),
            number=said.number,
        )
        self._pipe.send_bytes(worker.encode(task))

    def open(self, path: Path) -> None:
        """Go on with another file."""
        other = opened(path)
        self.project.close()
        self.project = other
        self._tell_home()
        self._changed()

    def _changed(self, *, live: bool = False, number: int = 0) -> None:
        self.revision += 1
        self._tell_all(_text(self.state(number)))
        self.solve(live=live, number=number)


def opened(path: Path) -> Project:
    """A project file, to be written to; or a new project around a clip."""
    if path.suffix == ".poise":
        return projects.open(path, writing=True)
    project = Project()
    project.add_clip(path.stem, path)
    project.add("source", clip=path.stem)
    project.history.seal()
    return project


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()
