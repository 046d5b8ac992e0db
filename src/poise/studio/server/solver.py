"""The server's hold on its solver: what is under way, what waits, what is stopped.

One task at a time is under way. Of waiting solves only the newest is done, and a solve that nobody waits for
any more is cancelled. A solver that does not let go when told to, or takes longer than a task may, is ended
and another one started, as where one dies. Nothing is lost with it, for documents are the server's.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import msgspec

from poise.lifeline import while_parent_lives
from poise.studio.server import worker
from poise.studio.server.messages import TOLD, Told

PATIENCE = 5.0
"""A solver that somebody told to stop may take so long [s]. One whose work is only out of date may take as
long as it wants: it may be compiling, which would only begin again."""
FAREWELL = 1.0
"""How long a solver may take to end when the studio does [s]."""
STILLBORN = 3
"""So many solvers in a row may die before they are ready; then nobody waits for another one."""
CANCELLED = "cancelled"
"""Why nothing came of what somebody stopped, in words; ``Job.cancelled`` says so to programs."""
Heard = Callable[[Told | bytes], None]
"""Hears messages, and packets as bytes."""
_DECODER = msgspec.json.Decoder(TOLD)


@dataclass(eq=False)
class Job:
    """A task, and who hears what comes of it."""

    task: worker.Task
    heard: Heard
    limit: float = 0.0
    """It is given up after so long [s]; 0: never."""
    failed: Callable[[str], None] = lambda why: None
    """Told why nothing came of it."""
    done: Callable[[], None] = lambda: None
    """Called when all of it was heard."""
    cancelled: bool = False
    tries: int = 0


@dataclass(frozen=True, eq=False)
class Process:
    """A solver's process, our end of its pipe, and the number that stops it."""

    process: Any
    pipe: Any
    stop: Any
    pulse: Any
    """Counts while the process runs."""

    @classmethod
    def launched(cls, main: Callable[..., None] | None = None) -> Process:
        """A new one, which does ``main``, left out: the solver's; it gets ready while others do."""
        context = multiprocessing.get_context("spawn")
        stop = context.RawValue("l", 0)  # one writer: no lock, so nothing is left behind
        pulse = context.RawValue("l", 0)
        pipe, theirs = context.Pipe()
        work = (main or worker.main, theirs, stop, pulse)
        process = context.Process(target=while_parent_lives, args=work, daemon=True)
        with _deaf():
            process.start()
        theirs.close()
        return cls(process, pipe, stop, pulse)

    @property
    def life(self) -> tuple[int, float]:
        """What changes while it is at work: its beats and, where the system tells, the time it had [s].

        Compiled work may hold the interpreter for longer than a beat; what stands still has no time either.
        """
        return int(self.pulse.value), processor_time(int(self.process.pid))

    def end(self) -> None:
        """End it at once; whoever reads its pipe finds that out."""
        self.process.kill()
        self.process.join()
        self.process.close()


class Line:
    """Two threads that wait where the server must not: reading a pipe and writing to it.

    A solver may stand still in the middle of a message (stopped, swapped out), or be sent more than a pipe
    holds before it is ready to read.
    """

    def __init__(self, pipe: Any, heard: Callable[[bytes | None], None]) -> None:
        """``heard`` is called in the running event loop; None: there is nobody at the other end any more."""
        self._pipe, self._heard, self._loop = pipe, heard, asyncio.get_running_loop()
        self._letters: SimpleQueue[bytes | None] = SimpleQueue()
        for work in (self._read, self._write):
            threading.Thread(target=work, daemon=True).start()

    def send(self, message: bytes) -> None:
        """Write it when there is room."""
        self._letters.put(message)

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            with suppress(EOFError, OSError):
                while True:
                    self._loop.call_soon_threadsafe(self._heard, self._pipe.recv_bytes())
            self._letters.put(None)
            self._loop.call_soon_threadsafe(self._heard, None)

    def _write(self) -> None:
        with suppress(OSError):  # the reader hears that it is gone
            while (letter := self._letters.get()) is not None:
                self._pipe.send_bytes(letter)


@dataclass(eq=False)
class Solver:
    """Start and close it within the event loop."""

    greet: Callable[[], worker.Task]
    """What a new process has to know first."""
    said: Callable[[str, worker.Task | None], None]
    """Told why there is a new process, and what the last one was at."""
    idle: Callable[[], None] = lambda: None
    """Called when nothing is left to do."""
    early: Process | None = None
    """A process that was launched before there was anything to do."""
    waiting: deque[Job] = field(default_factory=deque)
    busy: Job | None = None
    starts: int = 0
    _stillborn: int = 0
    _given_up: bool = False
    _process: Process | None = None
    _line: Line | None = None
    _loop: asyncio.AbstractEventLoop | None = None
    _clock: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start the process."""
        self._loop, self._given_up = asyncio.get_running_loop(), False
        fresh, self.early = self.early or Process.launched(), None

        def heard(said: bytes | None) -> None:
            if self._process is fresh:  # not one that is gone
                self._hear(said)

        self._process, self._line = fresh, Line(fresh.pipe, heard)
        self.starts += 1
        self.waiting.appendleft(Job(self.greet(), lambda message: None))
        self._next()

    @property
    def pid(self) -> int:
        """Of the process."""
        assert self._process is not None
        return int(self._process.process.pid)

    @property
    def life(self) -> object:
        """Something that changes as long as the process is at work; None where there is nothing to do."""
        return self._process.life if self._process is not None and self.busy is not None else None

    def replace_frozen(self, seconds: float) -> None:
        """Another process for one that stands still; what it was at is done again."""
        self._again(f"nothing was heard of it for {seconds:.0f} s", died=True)

    def close(self) -> None:
        """End the process."""
        if self._process is None:
            return
        self.waiting.clear()
        self._process.stop.value += 1
        if self._line is not None:
            self._line.send(worker.END)
        self._process.process.join(timeout=FAREWELL)
        self._bury()

    def put(self, job: Job) -> None:
        """Do it when its turn comes."""
        self.waiting.append(job)
        if self._given_up:
            self.start()  # whoever wants something finds out whether one can live now
        self._next()

    def solve(self, job: Job) -> None:
        """Make a document: other solves that wait are forgotten, and one under way gives way.

        Only while something is dragged a quick one is let finish, else nothing would be seen of it.
        """
        self._drop(worker.Solve, worker.Weigh)
        busy = self.busy.task if self.busy is not None else None
        live = isinstance(job.task, worker.Solve) and job.task.live
        if isinstance(busy, worker.Solve) and not (busy.live and live):
            self._interrupt()
        self.put(job)

    def cancel(self) -> bool:
        """Stop what is under way and forget the solves that wait; False where there is nothing to stop."""
        wanted = any(isinstance(job.task, worker.Solve) for job in self.waiting)
        self._drop(worker.Solve, worker.Weigh)
        if self.busy is None or not isinstance(self.busy.task, worker.Solve | worker.Question):
            return wanted  # the rest is nobody's wish, and a tab may be waiting for it
        self._interrupt()
        self._watch(PATIENCE, "it did not stop when told to")
        return True

    def _drop(self, *kinds: type) -> None:
        self.waiting = deque(job for job in self.waiting if not isinstance(job.task, kinds))

    def _interrupt(self) -> None:
        if self.busy is not None and not self.busy.cancelled:
            self.busy.cancelled = True
            if self._process is not None:
                self._process.stop.value += 1

    # The process -----------------------------------------------------------------------------------

    def _next(self) -> None:
        if self.busy is not None or self._line is None:
            return
        if not self.waiting:
            self.idle()
            return
        self.busy = self.waiting.popleft()
        if self.busy.limit:
            self._watch(self.busy.limit, f"it took longer than {self.busy.limit:g} s")
        self._line.send(worker.encode(self.busy.task))

    def _hear(self, said: bytes | None) -> None:
        """What the process says goes to who asked."""
        if said is None:
            self._again("it ended by itself", died=True)
        elif said == worker.DONE:
            self._done()
        elif self.busy is not None:
            self.busy.heard(_DECODER.decode(said[1:]) if said[:1] == worker.TEXT else said[1:])

    def _done(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        job, self.busy = self.busy, None
        self._stillborn = 0
        if job is not None:
            job.done()
            if job.cancelled:
                job.failed(CANCELLED)
        self._next()

    def _watch(self, seconds: float, why: str) -> None:
        assert self._loop is not None
        if self._clock is not None:
            self._clock.cancel()
        self._clock = self._loop.call_later(seconds, self._kill, why)

    def _kill(self, why: str) -> None:
        self._clock = None
        self._again(why)

    def _again(self, why: str, *, died: bool = False) -> None:
        """Start anew. What was under way is tried once more if the process ``died`` by itself."""
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        self._bury()
        job, self.busy = self.busy, None
        if job is not None:
            job.tries += 1
            greeting = isinstance(job.task, worker.Home)
            if died and job.tries < 2 and not job.cancelled and not greeting:
                self.waiting.appendleft(job)
            else:
                job.failed(CANCELLED if job.cancelled else f"the solver had to be started again: {why}")
            self._stillborn += greeting
        if self._stillborn >= STILLBORN:
            self._give_up()
            return
        self.said(f"the solver was started again: {why}", job.task if job is not None else None)
        self.start()

    def _bury(self) -> None:
        if self._process is not None:
            self._process.end()
        self._process = self._line = None

    def _give_up(self) -> None:
        """Nothing that waits will be done."""
        self._given_up = True
        lost, self.waiting = self.waiting, deque()
        for job in lost:
            job.failed("the solver cannot be started: look at what the studio's own window says")


def processor_time(pid: int) -> float:
    """What a process has had of the processors [ticks]; 0 where the system does not tell."""
    try:
        told = (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()
        )
        return float(told[11]) + float(told[12])
    except (OSError, IndexError, ValueError):
        return 0.0


class _deaf:
    """Processes started within do not hear Ctrl+C: not even before their first line of Python."""

    def __enter__(self) -> None:
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._before = signal.signal(signal.SIGINT, signal.SIG_IGN)

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._before)
