"""One project, however many tabs look at it: edits come in, states and stage data go out to all.

The document is here; solving is the solver's. Everything that somebody says is answered: by a state, an
answer or a problem in words.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from poise import project as projects
from poise.errors import InputError, PoiseError
from poise.project import Project
from poise.project.commands import command_from
from poise.project.document import Document
from poise.project.frozen_data import encoded
from poise.studio.server import drafts, worker
from poise.studio.server import messages as m
from poise.studio.server.reading import SOUNDS
from poise.studio.server.solver import Heard, Job, Process, Solver
from poise.studio.server.tab import Tab
from poise.studio.server.workspace import Workspace

_DECODER = msgspec.json.Decoder(m.SAID)
READING = 30.0
"""A file that takes longer to read is not taken [s]."""
SYNC = 1.0
"""The journal is forced to the disk so long after an edit at the latest [s]."""
REST = 0.3
"""What a motion stands on is looked into when nothing was asked for so long [s]."""
LATER = 15.0
"""Methods are read so long after the first motion [s]: by then whoever came has looked around."""
KEPT = 8 * 2**20
"""Bytes of first packets that are kept for whoever comes while the first motion is made."""
OURS = ("export", "read")
"""Questions that only the server asks: they name files."""


class Session:
    """The project being edited and everyone who watches."""

    def __init__(
        self,
        workspace: Workspace,
        project: Project,
        otherwise: Callable[[], Project] | None = None,
        *,
        solver: Process | None = None,
    ) -> None:
        """``otherwise`` makes what is opened where somebody does not want the draft that was found.

        ``solver`` is a process that is ready, or about to be.
        """
        self.workspace, self.project, self.otherwise = workspace, project, otherwise
        self.revision = 0
        self._opened = 0
        self._before: Project | None = None  # what a draft that nobody has answered for was opened from
        self.tabs: set[Tab] = set()
        self.solver = Solver(self._home, self._restarted, self._idle, solver)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sync: asyncio.TimerHandle | None = None
        self._weighing: asyncio.TimerHandle | None = None
        self._unweighed = False
        self._reading: asyncio.TimerHandle | None = None  # of methods, once
        self._seen = False  # whether anybody could see anything yet
        self._stage: list[bytes] | None = []  # all that was sent of it, until the first solve is done
        self._report = ""  # what was last said of a motion made in full

    def start(self) -> None:
        """Start the solver; to be called within the event loop."""
        self._loop = asyncio.get_running_loop()
        self.solver.start()
        self.solve()

    def close(self) -> None:
        """End the solver and let go of the project's file; the journal keeps what is unsaved."""
        for timer in (self._sync, self._weighing, self._reading):
            if timer is not None:
                timer.cancel()
        for tab in self.tabs:
            tab.leave()
        self.solver.close()
        self._leave_project()

    # The solver ------------------------------------------------------------------------------------

    def solve(self, *, live: bool = False, number: int = 0) -> None:
        """Ask for the present document's motion."""
        document = encoded(self.project.document)
        task = worker.Solve(
            revision=self.revision, document=document, live=live, glance=not self._seen, number=number
        )
        self.solver.solve(Job(task, self._solved, failed=self._unsolved))

    def _solved(self, message: str | bytes) -> None:
        """What comes of a solve goes to everybody."""
        if isinstance(message, bytes):
            self._seen = True
            if self._stage is not None:
                self._stage.append(message)
                if sum(map(len, self._stage)) > KEPT:
                    self._stage = None  # whoever comes now has to wait for the solver
            for tab in self.tabs:
                tab.change(message)
            return
        self._tell_all(message)
        if message.startswith(('{"told":"solved"', '{"told":"problem"')):
            self._stage = None  # from now on the solver can be asked for all of it
        if message.startswith('{"told":"solved"') and '"live":false' in message:
            self._unweighed = True
            self._report = message

    def _unsolved(self, why: str) -> None:
        if why != "cancelled":
            self._tell_all(_text(m.Problem(text=why)))

    def _idle(self) -> None:
        """A motion was made and nobody wants another: time to see what it stands on."""
        if self._unweighed and self._loop is not None and self.tabs:
            self._unweighed = False
            if self._weighing is not None:
                self._weighing.cancel()
            self._weighing = self._loop.call_later(REST, self._weigh)

    def _weigh(self) -> None:
        if self._loop is not None and self._reading is None:
            self._reading = self._loop.call_later(LATER, self._loop.run_in_executor, None, _read_methods)
        if self.solver.busy is None:
            self.solver.put(Job(worker.Weigh(), self._solved))
        else:
            self._unweighed = True  # after what is under way

    def _home(self) -> worker.Home:
        assets = self.project.assets
        within = [str(place) for place in (self.workspace.root, *assets.within)]
        return worker.Home(folder=str(assets.folder), blobs=dict(assets.blobs), within=within)

    def _restarted(self, what: str, lost: worker.Task | None) -> None:
        """A new solver knows nothing of the stage: its first solve sends all of it."""
        self._tell_all(_text(m.Notice(text=what)))
        self._stage = []
        if not isinstance(lost, worker.Solve):  # which is tried again, or better not
            self._changed()  # what was solved is not known any more

    # Those who watch ---------------------------------------------------------------------------------

    def join(self, tab: Tab) -> None:
        """Somebody opened a tab."""
        self.tabs.add(tab)
        tab.tell(_text(self.state()))
        self._show(tab)
        if f'"revision":{self.revision},' in self._report:
            tab.tell(self._report)
        self._unweighed = True

    def leave(self, tab: Tab) -> None:
        """A tab was closed."""
        self.tabs.discard(tab)

    def late(self, tab: Tab) -> None:
        """A slow tab has caught up: it gets the whole stage."""
        if tab in self.tabs:
            self._show(tab)

    def _show(self, tab: Tab) -> None:
        """All of the stage; from then on the tab gets changes, which come in order after it."""
        if self._stage is not None:  # the first solve is not done, and who comes late need not wait for it
            for packet in self._stage:
                tab.tell(packet)
            tab.catch_up()
            return

        self.solver.put(Job(worker.Everything(), tab.tell, done=tab.catch_up))

    def _tell_all(self, message: str) -> None:
        for tab in self.tabs:
            tab.tell(message)

    def state(self, number: int = 0) -> m.State:
        """The document as everybody should see it."""
        project = self.project
        recovery = ""
        if project.recovery is not None:
            recovery = str(project.recovery)
            if drafts.is_draft(project.path):
                recovery += ", of a project that has no name yet"
        return m.State(
            revision=self.revision,
            document=project.document.to_dict(),
            undoable=project.history.undoable,
            redoable=project.history.redoable,
            modified=project.modified,
            path="" if drafts.is_draft(project.path) else self.workspace.shown(project.path),
            recovery=recovery,
            number=number,
            project=self._opened,
        )

    # What they say -----------------------------------------------------------------------------------

    def hear(self, text: str, tab: Tab) -> None:
        """One message from a tab; complaints go to that tab alone."""
        number = 0
        try:
            said = _DECODER.decode(text)
            number = getattr(said, "number", 0)
            self._perform(said, tab)
        except msgspec.DecodeError as problem:
            tab.tell(_text(m.Problem(text=f"not understood: {problem}", number=number)))
        except PoiseError as problem:
            tab.tell(_text(m.Problem(text=str(problem), number=number)))
        except OSError as problem:
            tab.tell(_text(m.Problem(text=f"{problem.strerror or problem}", number=number)))
        except Exception as problem:  # a mistake of ours must not end the session
            traceback.print_exc()
            tab.tell(_text(m.Problem(text=f"an error of Poise itself: {problem!r}", number=number)))

    def _perform(self, said: Any, tab: Tab) -> None:
        project = self.project
        match said:
            case m.Do(command=command, live=live, number=number):
                before = project.document
                try:
                    self._do(command)
                finally:  # it may be done and yet not journalled, which is then said as well
                    if project.document is not before:
                        self._changed(live=live, number=number)
            case m.Seal():
                project.history.seal()
                self.solve()
            case m.Undo(gesture=gesture):
                if project.abandon(gesture) if gesture else project.undo():
                    self._changed()
            case m.Redo():
                if project.redo():
                    self._changed()
            case m.Cancel():
                if self.solver.cancel():
                    self._tell_all(_text(m.Notice(text="stopped")))
            case m.Save(path=path, force=force):
                self._save(path, tab, force=force)
            case m.Open(path=path):
                self._open(self.workspace.file(path), tab)
            case m.Export(path=path, options=options, force=force):
                target = self.workspace.file(path)
                if target.exists() and not force:
                    raise InputError(_taken(path))
                self._ask(m.Ask(question="export", about={**options, "path": str(target)}), tab.tell)
            case m.Recover(keep=keep):
                self._recover(keep=keep)
            case m.Ask(question="files", about=about, number=number):
                found = self.workspace.files(every=about.get("every") is True)
                tab.tell(_text(m.Answer(question="files", value=found, number=number)))
            case m.Ask(question=question):
                if question in OURS:
                    raise InputError(f"{question!r} is no question")
                self._ask(said, tab.tell)

    def _do(self, data: dict[str, Any]) -> None:
        """A command, unless it would reach for a file outside the workspace."""
        command, before = command_from(data), self.project.document
        folder = self.project.assets.folder
        for file in _files(command.apply(before)) - _files(before):
            self.workspace.contains(folder / file)
        self.project.do(command)

    def _changed(self, *, live: bool = False, number: int = 0) -> None:
        self.revision += 1
        self.solve(live=live, number=number)  # first: it works while the state is written down and read
        self._tell_all(_text(self.state(number)))
        if self._sync is None and self._loop is not None:
            self._sync = self._loop.call_later(SYNC, self._to_disk)

    def _to_disk(self) -> None:
        self._sync = None
        try:
            self.project.sync()
        except OSError as problem:
            self._tell_all(_text(m.Problem(text=f"the journal cannot be written: {problem.strerror}")))

    def _ask(self, said: m.Ask, tell: Heard, *, limit: float = 0.0) -> None:
        def failed(why: str) -> None:
            tell(_text(m.Problem(text=why, number=said.number)))

        task = worker.Question(
            question=said.question,
            about=said.about,
            document=encoded(self.project.document),
            number=said.number,
        )
        self.solver.put(Job(task, tell, limit, failed))

    # Files -------------------------------------------------------------------------------------------

    def _save(self, path: str, tab: Tab, *, force: bool) -> None:
        project, before = self.project, self.project.path
        if not path and (before is None or drafts.is_draft(before)):
            raise InputError("the project has no file yet: give it a name")
        target = self.workspace.file(path) if path else None
        if target is not None:
            target = target.with_name(target.name.removesuffix(".poise") + ".poise")
            if target.exists() and target != before and not force:
                raise InputError(_taken(self.workspace.shown(target)))
        saved = project.save(target, force=force)
        project.lock()
        if before is not None and drafts.is_draft(before):
            drafts.forget(before)
        self.solver.put(Job(self._home(), lambda message: None))
        self._tell_all(_text(self.state()))
        tab.tell(_text(m.Notice(text="saved", path=self.workspace.shown(saved))))

    def _recover(self, *, keep: bool) -> None:
        if keep:
            self.project.recover()
        else:
            other = self._instead() if drafts.is_draft(self.project.path) else None
            self.project.discard()
            if other is not None:
                self._leave_project()
                self._opened += 1
                self.project = other
        self._before = None
        self.solver.put(Job(self._home(), lambda message: None))
        self._changed()

    def _instead(self) -> Project | None:
        """Where to go from a draft that is thrown away: where it was opened, else to what was asked for."""
        before, root = self._before, self.workspace.root
        if before is not None and before.path is not None:
            with suppress(PoiseError, OSError):  # somebody else may be at it by now
                return before.lock() if before.path.exists() else drafts.begun(before, root)
        return None if self.otherwise is None else drafts.begun(self.otherwise(), root)

    def _open(self, path: Path, tab: Tab) -> None:
        """Go on with another file, once the solver has found that it can be read."""

        def heard(message: str | bytes) -> None:
            if isinstance(message, str) and message.startswith('{"told":"answer"'):
                try:
                    self.open(path)
                except (PoiseError, OSError) as problem:
                    tab.tell(_text(m.Problem(text=str(problem))))
            elif isinstance(message, str):
                tab.tell(self.workspace.nearer(message))

        self._ask(m.Ask(question="read", about={"path": str(path), "beside": True}), heard, limit=READING)

    def open(self, path: Path) -> None:
        """Go on with another file."""
        if path == self.project.path:
            raise InputError(f"{self.workspace.shown(path)} is what is open")
        other = opened(path)
        aside = self.project.modified
        self._leave_project()
        self._before = self.project if other.recovery is not None else None
        if other.path is None:
            drafts.begun(other, self.workspace.root)
        left, self.project = self.project, other
        self._opened += 1
        self.solver.put(Job(self._home(), lambda message: None))
        self._changed()
        if aside:
            name = left.document.name or "what was open"
            self._tell_all(_text(m.Notice(text=f"{name} was put aside with its edits: File → Open has it")))

    def place(self, name: str) -> Path:
        """Where an upload goes: into the workspace; a sound beside the project, which may then name it."""
        target = self.workspace.file(name)
        if target.suffix.lower() in SOUNDS and target.parent == self.workspace.root:
            return self.workspace.contains(self.project.assets.folder / target.name)
        return target

    def sound(self, layer: str) -> Path:
        """The recording that a layer of the document is played to."""
        named = self.project.document.layer(layer).files()
        found = next((file for file in named if Path(file).suffix.lower() == ".wav"), None)
        if found is None:
            raise InputError(f"layer {layer!r} has no recording")
        path = self.workspace.contains(self.project.assets.folder / found)
        if not path.is_file():
            raise InputError(f"{found} is not in the workspace")
        return path

    async def taken(self, path: Path) -> str:
        """Look into an upload and go on with it; what is wrong with it, empty where nothing is."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[str] = loop.create_future()

        def heard(message: str | bytes) -> None:
            told = msgspec.json.decode(message) if isinstance(message, str) else {}
            if not found.done() and told.get("told") in ("answer", "problem"):
                found.set_result(self.workspace.nearer(told.get("text", "")))

        self._ask(m.Ask(question="read", about={"path": str(path)}), heard, limit=READING)
        return await found

    def _leave_project(self) -> None:
        """Close the project; a draft as it began is nothing to keep."""
        project = self.project
        spent = drafts.is_draft(project.path) and not project.modified and project.recovery is None
        project.close()
        if spent and project.path is not None:
            drafts.forget(project.path)


def opened(path: Path) -> Project:
    """A project file, to be written to; or a new project around a clip."""
    if path.suffix == ".poise":
        return projects.open(path, writing=True)
    project = Project()
    project.add_clip(path.stem, path)
    project.add("source", clip=path.stem)
    project.history.seal()
    return project


def _files(document: Document) -> set[str]:
    """Files that a document names."""
    named = {file for layer in document.layers for file in layer.files()}
    return named | {entry.file for entry in document.clips.values() if entry.file}


def _read_methods() -> None:
    """Layers of some kinds are checked by their methods, which take long to read: while nobody waits."""
    from poise.methods import keyframing, kinodynamics, spacetime, timing  # noqa: F401


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()


def _taken(name: str) -> str:
    return f"{name} exists already: take another name, or say that it is to be replaced"
