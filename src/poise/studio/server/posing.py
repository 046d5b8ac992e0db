"""The server's hold on its poser: who pulls, one pull at a time, of those that wait only the newest."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

import msgspec

from poise.studio.server import messages as m
from poise.studio.server import poser, worker
from poise.studio.server.solver import Line, Process

_DECODER = msgspec.json.Decoder(m.TOLD)
Tell = Callable[[m.Told | bytes], None]


class Posing:
    """Starts the process when somebody poses for the first time, and again where it died."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._line: Line | None = None
        self._waiting: deque[tuple[poser.Task, Tell]] = deque()
        self._busy: tuple[poser.Task, Tell] | None = None
        self.starts = 0

    @property
    def pid(self) -> int:
        """Of the process; 0 where there is none."""
        return int(self._process.process.pid) if self._process is not None else 0

    def put(self, task: poser.Task, tell: Tell) -> None:
        """Do it when its turn comes; a pull takes the place of those before it that wait."""
        if isinstance(task, poser.PullTo):
            kept = (each for each in self._waiting if not _older(each[0], task))
            self._waiting = deque(kept)
        self._waiting.append((task, tell))
        if self._process is None:
            self._start()
        self._next()

    def close(self) -> None:
        """End the process."""
        if self._line is not None:
            self._line.send(worker.END)
        self._bury()

    def _start(self) -> None:
        asyncio.get_running_loop()  # only there can one be heard
        fresh = Process.launched(poser.main)

        def heard(said: bytes | None) -> None:
            if self._process is fresh:
                self._hear(said)

        self._process, self._line = fresh, Line(fresh.pipe, heard)
        self.starts += 1

    def _bury(self) -> None:
        if self._process is not None:
            self._process.end()
        self._process = self._line = None

    def _next(self) -> None:
        if self._busy is None and self._waiting and self._line is not None:
            self._busy = self._waiting.popleft()
            self._line.send(poser.encode(self._busy[0]))

    def _hear(self, said: bytes | None) -> None:
        if said is None:  # it died: what was held is lost, and the next grab has another process
            self._bury()
            left = [*([self._busy] if self._busy is not None else []), *self._waiting]
            grabs = [(task, tell) for task, tell in left[1:] if isinstance(task, poser.Grab)]
            self._busy, self._waiting = None, deque()
            for task, tell in left:
                if (task, tell) not in grabs:
                    tell(m.Problem(text="posing was interrupted: grab it once more", number=task.number))
            for task, tell in grabs:
                self.put(task, tell)
        elif said == worker.DONE:
            self._busy = None
            self._next()
        elif self._busy is not None:
            self._busy[1](_DECODER.decode(said[1:]) if said[:1] == worker.TEXT else said[1:])


def _older(one: poser.Task, other: poser.PullTo) -> bool:
    """Whether a pull is made needless by another one."""
    return isinstance(one, poser.PullTo) and one.session == other.session and not one.final
