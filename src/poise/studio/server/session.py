"""One project, however many tabs look at it: edits come in, states and stage data go out to all.

The document is here; solving is the solver's. Everything that somebody says is answered: by a state, an
answer or a problem in words.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import msgspec

from poise.errors import InputError, PoiseError
from poise.operations.frozen_data import encoded
from poise.project import Project
from poise.studio.server import messages as m
from poise.studio.server import poser, standing, worker
from poise.studio.server.browser_tab import Tab
from poise.studio.server.open_project import OpenProject
from poise.studio.server.posing import Posing
from poise.studio.server.solver import Heard, Job, Process, Solver
from poise.studio.server.status_board import StatusBoard

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
UNFINISHED = {
    "draft": "the motion is a draft while it is dragged; let go, and export what is exact",
    "stopped": "the motion was stopped half made; go on first",
    "failed": "the motion could not be made; see what the status line says",
}
"""States in which there is no motion to hand out, and what to do."""
OURS = ("export", "read")
"""Questions that only the server asks: they name files."""


class Session:
    """The project being edited and everyone who watches."""

    def __init__(self, open_project: OpenProject, *, solver: Process | None = None) -> None:
        """``solver`` is a process that is ready, or about to be."""
        self.open_project, self.workspace = open_project, open_project.workspace
        self.revision = 0
        self.tabs: set[Tab] = set()
        self.solver = Solver(open_project.home, self._restarted, self._idle, solver)
        self.posing = Posing()
        self.look = -1
        """The frame that somebody looked at last."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sync: asyncio.TimerHandle | None = None
        self._weighing: asyncio.TimerHandle | None = None
        self._unweighed = False
        self._reading: asyncio.TimerHandle | None = None  # of methods, once
        self._seen = False  # whether anybody could see anything yet
        self._stage: list[bytes] | None = []  # all that was sent of it, until the first solve is done
        self._report: m.Solved | None = None  # what was last said of a motion made in full
        self.name = token_hex(8)
        """Of this server: whoever comes back sees whether it is the one that he knew."""
        self.board = StatusBoard(self.solver, lambda now: self._tell_all(m.Status(standing=now)))

    @property
    def project(self) -> Project:
        """What is edited."""
        return self.open_project.project

    def state(self, number: int = 0) -> m.State:
        """The document as everybody should see it."""
        return self.open_project.state(self.revision, number)

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
        self.board.close()
        self.posing.close()
        self.solver.close()
        self.open_project.leave()

    # The solver ------------------------------------------------------------------------------------

    def solve(self, *, live: bool = False, number: int = 0, mine: Tab | None = None) -> None:
        """Ask for the present document's motion, for the edit of that number of a tab."""
        document, revision = encoded(self.project.document), self.revision
        task = worker.Solve(
            revision=revision,
            document=document,
            live=live,
            glance=not self._seen,
            look=self.look,
            number=number,
        )
        self.board.happened(standing.Edited(revision, live))

        def heard(message: m.Told | bytes) -> None:
            self._solved(message, mine, revision)

        def failed(why: str) -> None:
            if not job.cancelled:
                self.board.happened(standing.GivenUp(revision, why))
                self._tell_all(m.Problem(text=why))

        job = Job(task, heard, failed=failed)
        self.solver.solve(job)

    def _solved(self, message: m.Told | bytes, mine: Tab | None = None, revision: int = -1) -> None:
        """What comes of a solve goes to everybody; the number of an edit only to who made it."""
        if not isinstance(message, bytes):
            self._stands(message, revision)
        if isinstance(message, bytes):
            self._seen = True
            if self._stage is not None:
                self._stage.append(message)
                if sum(map(len, self._stage)) > KEPT:
                    self._stage = None  # whoever comes now has to wait for the solver
            for tab in self.tabs:
                tab.change(message)
            return
        if isinstance(message, m.Solved | m.Problem):
            self._stage = None  # from now on the solver can be asked for all of it
        if isinstance(message, m.Progress | m.Window) and revision >= 0:
            return  # the board has told of it
        if not isinstance(message, m.Solved):
            self._tell_all(message)
            return
        if mine is not None:
            mine.tell(_text(message))
        plain = msgspec.structs.replace(message, number=0)
        self._tell_all(plain, besides=mine)
        if not message.live:
            self._unweighed = True
            self._report = plain

    def _stands(self, message: m.Told, revision: int) -> None:
        """What becomes of a solve changes how things stand."""
        match message:
            case m.Progress(kernels=(number, total)) if number:
                self.board.happened(standing.Compiled(number, total))
            case m.Progress(what=what, part=part) if what:
                self.board.happened(standing.Worked(what, part))
            case m.Window(revision=number, first=first, last=last):
                self.board.happened(standing.Seen(number, first, last))
            case m.Problem(layer=layer, text=text):
                self.board.happened(standing.Failed(revision, layer, text))
            case m.Solved():
                made = standing.Made(
                    revision=message.revision,
                    live=message.live,
                    seconds=message.seconds,
                    bypassed=message.failures,
                    checks=message.checks,
                    window=message.window,
                )
                self.board.happened(made)

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

    def _restarted(self, what: str, lost: worker.Task | None) -> None:
        """A new solver knows nothing of the stage: its first solve sends all of it."""
        self._tell_all(m.Notice(event="restarted", text=what))
        again = any(job.task is lost for job in self.solver.waiting)
        if isinstance(lost, worker.Solve) and again and not self.board.standing.works:
            # Its motion was told, but not yet all that belongs to it.
            self.board.happened(standing.Edited(lost.revision, lost.live))
        self.board.happened(standing.Restarted(what))
        self._stage = []
        for tab in self.tabs:  # also who waited for the last one to show it all
            tab.catch_up()
        if not isinstance(lost, worker.Solve):  # which is tried again, or better not
            self._changed()  # what was solved is not known any more

    # Those who watch ---------------------------------------------------------------------------------

    def join(self, tab: Tab) -> None:
        """Somebody opened a tab."""
        self.tabs.add(tab)
        tab.tell(_text(self.state()))
        tab.tell(_text(m.Status(standing=self.board.standing)))
        if self.project.about_aside:
            tab.tell(_text(m.Notice(event="aside", text=self.project.about_aside)))
        self._show(tab)
        if self._report is not None and self._report.revision == self.revision:
            tab.tell(_text(self._report))
        self._unweighed = True

    def leave(self, tab: Tab) -> None:
        """A tab was closed; what was dragged in it is let go where it got to."""
        self.tabs.discard(tab)
        if tab.drags:
            tab.drags = False
            self.project.history.seal()
            self.solve()

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

        self.solver.put(Job(worker.Everything(), _telling(tab), done=tab.catch_up))

    def _tell_all(self, message: m.Told, besides: Tab | None = None) -> None:
        text = _text(message)
        for tab in self.tabs:
            if tab is not besides:
                tab.tell(text)

    def _state_to_all(self, tab: Tab | None = None, number: int = 0) -> None:
        """The state to everybody; it answers who said something of that number."""
        self._tell_all(self.state(), besides=tab)
        if tab is not None:
            tab.tell(_text(self.state(number)))

    # What they say -----------------------------------------------------------------------------------

    def hear(self, text: str, tab: Tab) -> None:
        """One message from a tab, which is answered."""
        try:
            said = _DECODER.decode(text)
        except (ValueError, RecursionError) as problem:  # the latter: nested too deep
            tab.tell(_text(m.Problem(text=f"not understood: {problem}", number=_number(text))))
            return
        with _answering(tab, said.number):
            self._perform(said, tab)

    def _perform(self, said: Any, tab: Tab) -> None:
        project, number = self.project, said.number
        match said:
            case m.Hello(waiting=waiting):
                done = self.open_project.done(waiting)
                tab.tell(_text(m.Welcome(session=self.name, done=done, number=number)))
            case m.Do(command=command, live=live, edit=edit):
                before, tab.drags = project.document, live
                try:
                    self.open_project.do(command, edit)
                except BaseException:
                    if project.document is not before:  # done and yet not journalled: seen, and complained of
                        self._changed(live=live)
                    raise
                self._changed(live=live, tab=tab, number=number)
            case m.Seal():
                tab.drags = False
                project.history.seal()
                self.solve(number=number, mine=tab)
                tab.tell(_text(self.state(number)))
            case m.Undo(gesture=gesture):
                tab.drags = False
                self._stepped(project.abandon(gesture) if gesture else project.undo(), tab, number)
            case m.Redo():
                self._stepped(project.redo(), tab, number)
            case m.Grab():
                self.posing.put(self._grab(said), _telling(tab))
            case m.Pull(session=session, seq=seq, place=place, final=final):
                pull = poser.PullTo(session=session, seq=seq, place=place, final=final, number=number)
                self.posing.put(pull, _telling(tab))
            case m.Look(frame=frame):
                self.look = frame
            case m.Cancel():
                if self.solver.cancel():
                    self.board.happened(standing.Stopped())
                    self._tell_all(m.Notice(event="stopped", text="stopped"), besides=tab)
                    tab.tell(_text(m.Notice(event="stopped", text="stopped", number=number)))
                else:
                    tab.tell(_text(m.Notice(event="idle", text="nothing to stop", number=number)))
            case m.Save(path=path, force=force):
                self._save(path, tab, force=force, number=number)
            case m.Open(path=path):
                self._open(self.workspace.file(path), tab, number)
            case m.Export(path=path, options=options, force=force):
                if (state := self.board.standing.state) in UNFINISHED:
                    raise InputError(f"nothing was exported: {UNFINISHED[state]}")
                target = self.workspace.file(path)
                self.workspace.refuse_taken(target, force=force)
                about = {**options, "path": str(target)}
                self._ask(m.Ask(question="export", about=about, number=number), _telling(tab))
            case m.Recover(keep=keep):
                self.open_project.recover(keep=keep)
                self._moved()
                self._changed(tab=tab, number=number)
            case m.Ask(question="files", about=about):
                found = self.workspace.files(every=about.get("every") is True)
                tab.tell(_text(m.Answer(question="files", value=found, number=number)))
            case m.Ask(question="inspect" | "preview", about={"file": str()}):
                self._ask(self._of_a_file(said), _telling(tab), limit=READING)
            case m.Ask(question=question, about=about):
                if question in OURS or "path" in about:
                    raise InputError(f"{question!r} is not a known question")
                self._ask(said, _telling(tab))

    def _of_a_file(self, said: m.Ask) -> m.Ask:
        """A question about a file of the workspace, for who reads it there."""
        file = self.workspace.file(str(said.about["file"]))
        known = {k: v for k, v in said.about.items() if k != "file"}
        known |= {"path": str(file), "shown": self.workspace.shown(file), "beside": True}
        known["entry"] = self.project.assets.shown(file)
        return m.Ask(question=said.question, about=known, number=said.number)

    def _grab(self, said: m.Grab) -> poser.Grab:
        """What the poser needs to know of a grab."""
        return poser.Grab(
            home=self.open_project.home(),
            document=encoded(self.project.document),
            session=said.session,
            q=said.q,
            point=said.point,
            pins=said.pins,
            root=said.root,
            balanced=said.balanced,
            number=said.number,
        )

    def _stepped(self, stepped: bool, tab: Tab, number: int) -> None:
        """A step of undo or redo was taken, or there was none to take."""
        if stepped:
            self._changed(tab=tab, number=number)
        else:
            tab.tell(_text(self.state(number)))

    def _changed(self, *, live: bool = False, tab: Tab | None = None, number: int = 0) -> None:
        self.revision += 1
        # First: it works while the state is written down and read.
        self.solve(live=live, number=number, mine=tab)
        self._state_to_all(tab, number)
        if self._sync is None and self._loop is not None:
            self._sync = self._loop.call_later(SYNC, self._to_disk)

    def _to_disk(self) -> None:
        self._sync = None
        try:
            self.project.sync()
        except (PoiseError, OSError) as problem:
            self._tell_all(m.Problem(text=str(problem)))

    def _ask(self, said: m.Ask, tell: Heard, *, limit: float = 0.0) -> None:
        """Have the solver answer: once, also where it dies or is stopped when it has just answered."""
        answered = False

        def heard(message: m.Told | bytes) -> None:
            nonlocal answered
            final = isinstance(message, m.Answer | m.Problem)
            if not (final and answered):
                answered = answered or final
                tell(message)

        def failed(why: str) -> None:
            heard(m.Problem(text=why, number=said.number))

        task = worker.Question(
            question=said.question,
            about=said.about,
            document=encoded(self.project.document),
            number=said.number,
        )
        self.solver.put(Job(task, heard, limit, failed))

    # Files -------------------------------------------------------------------------------------------

    def _save(self, path: str, tab: Tab, *, force: bool, number: int) -> None:
        saved = self.open_project.save(path, force=force)
        self._moved()
        self._state_to_all()
        where = self.workspace.shown(saved)
        tab.tell(_text(m.Notice(event="saved", text="saved", path=where, number=number)))

    def _moved(self) -> None:
        """Clips are to be found elsewhere: the solver has to know."""
        self.solver.put(Job(self.open_project.home(), lambda message: None))

    def _open(self, path: Path, tab: Tab, number: int) -> None:
        """Go on with another file, once the solver has found that it can be read."""

        def heard(message: m.Told | bytes) -> None:
            match message:
                case m.Answer():
                    with _answering(tab, number):
                        self.open(path, tab, number)
                case m.Problem(text=text):
                    nearer = msgspec.structs.replace(message, text=self.workspace.nearer(text))
                    tab.tell(_text(nearer))
                case m.Progress():
                    tab.tell(_text(message))

        about = {"path": str(path), "beside": True}
        self._ask(m.Ask(question="read", about=about, number=number), heard, limit=READING)

    def open(self, path: Path, tab: Tab | None = None, number: int = 0) -> None:
        """Go on with another file, which answers who asked for it."""
        told = self.open_project.change_to(path)
        self._moved()
        self.board.happened(standing.Opened(self.revision))
        self._changed(tab=tab, number=number)
        for text in told:
            self._tell_all(m.Notice(event="aside", text=text))

    async def taken(self, path: Path) -> str:
        """Look into an upload and go on with it; what is wrong with it, empty where nothing is."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[str] = loop.create_future()

        def heard(message: m.Told | bytes) -> None:
            if not found.done() and isinstance(message, m.Answer | m.Problem):
                wrong = message.text if isinstance(message, m.Problem) else ""
                found.set_result(self.workspace.nearer(wrong))

        self._ask(m.Ask(question="read", about={"path": str(path)}), heard, limit=READING)
        return await found


def _read_methods() -> None:
    """Layers of some kinds are checked by their methods, which take long to read: while nobody waits."""
    from poise.methods.key.sheet import keyframes  # noqa: F401


@contextmanager
def _answering(tab: Tab, number: int) -> Iterator[None]:
    """What goes wrong is the answer to who said it, and to nobody else."""
    try:
        yield
    except PoiseError as problem:
        text = str(problem)
    except OSError as problem:
        text = f"{problem.strerror or problem}"
    except Exception as problem:  # a mistake of ours must not end the session
        traceback.print_exc()
        text = f"an error of Poise itself: {problem!r}"
    else:
        return
    tab.tell(_text(m.Problem(text=text, number=number)))


def _number(text: str) -> int:
    """Of what was not understood, if as much of it is."""
    try:
        return msgspec.json.decode(text, type=_Numbered).number
    except (ValueError, RecursionError):
        return 0


class _Numbered(msgspec.Struct):
    number: int = 0


def _telling(tab: Tab) -> Heard:
    """Whatever is heard goes to a tab."""
    return lambda message: tab.tell(message if isinstance(message, bytes) else _text(message))


def _text(message: m.Told) -> str:
    return encoded(message).decode()
