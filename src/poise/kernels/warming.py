"""Compiling kernels before anybody waits for them: shares of the roster in several processes.

Each process compiles what belongs to a few modules, so that helpers are compiled once there, and keeps it
where every later run finds it. Processes do not disturb one another or whoever uses kernels meanwhile: a
kernel is a file of its own, written whole or not at all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from poise.kernels.roster import Roster, RosterEntry, roster
from poise.lifeline import lines_until_gone

Progress = Callable[[int, int], None]


@dataclass
class Warmed:
    """What was done."""

    total: int
    """Kernels that were wanted."""
    there: int
    """Of those, how many were there already."""
    compiled: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """By kernel, why it could not be compiled."""

    def __str__(self) -> str:
        told = f"{self.there} of {self.total} kernels were there"
        if self.compiled:
            told += f", {self.compiled} were compiled"
        for kernel, why in self.failed.items():
            told += f"\n  {kernel} could not be compiled: {why}"
        return told


def warm(
    verbs: Sequence[str] = (), *, jobs: int = 1, progress: Progress = lambda done, total: None
) -> Warmed:
    """Compile the kernels of these verbs, or all, that no cache has; ``progress`` hears (done, total)."""
    from poise.kernels.stock import missing

    held = roster()
    wanted = held.needed(verbs)
    todo = missing(held, wanted)
    result = Warmed(len(wanted), len(wanted) - len(todo))
    progress(result.there, result.total)
    if not todo:
        return result
    shares, lock, workers = deque(_shares(todo, jobs)), threading.Lock(), []

    def heard(kernel: str, problem: str) -> None:
        with lock:
            if problem:
                result.failed[kernel] = problem
            else:
                result.compiled += 1
            progress(result.there + result.compiled + len(result.failed), result.total)

    try:
        workers = [_Worker(shares, heard) for _ in range(min(jobs, len(shares)))]
        for worker in workers:
            worker.join()
    finally:
        for worker in workers:
            worker.end()
    return result


def _shares(todo: Sequence[RosterEntry], jobs: int) -> list[list[RosterEntry]]:
    """By module, the dearest first; a module that would keep all others waiting is divided."""
    most = max(1, sum(each.cost for each in todo) // max(1, 2 * jobs))
    modules: dict[str, list[RosterEntry]] = {}
    for entry in sorted(todo, key=lambda each: -each.cost):
        modules.setdefault(entry.kernel.partition(":")[0], []).append(entry)
    shares: list[list[RosterEntry]] = []
    for entries in modules.values():
        share: list[RosterEntry] = []
        for entry in entries:
            if share and sum(each.cost for each in share) + entry.cost > most:
                shares.append(share)
                share = []
            share.append(entry)
        shares.append(share)
    return sorted(shares, key=lambda share: -sum(each.cost for each in share))


class _Worker:
    """A process that compiles, and a thread that hands it shares."""

    def __init__(self, shares: deque[list[RosterEntry]], heard: Callable[[str, str], None]) -> None:
        self._shares, self._heard = shares, heard
        self._process = subprocess.Popen(
            [sys.executable, "-m", "poise.kernels.warming"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl+C is its starter's to hear
        )
        self._thread = threading.Thread(target=self._feed, daemon=True)
        self._thread.start()

    def _feed(self) -> None:
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in is not None
        assert pipe_out is not None
        while True:
            try:
                share = self._shares.popleft()
            except IndexError:
                return
            for entry in share:
                try:
                    pipe_in.write(json.dumps(entry.key) + "\n")
                    pipe_in.flush()
                    problem = json.loads(pipe_out.readline())
                except (OSError, ValueError):
                    self._heard(entry.kernel, "the process that compiled it ended")
                    return
                self._heard(entry.kernel, problem)

    def join(self) -> None:
        """Wait until nothing is left to do; Ctrl+C is heard."""
        while self._thread.is_alive():
            self._thread.join(0.2)

    def end(self) -> None:
        """Nobody wants anything any more."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def compile_entry(held: Roster, entry: RosterEntry) -> None:
    """Compile one kernel, or find it; ``LookupError`` where there is no such kernel any more."""
    dispatcher: Any = held.dispatcher(entry)
    dispatcher.compile(held.signature(entry))


def _serve(asked: Iterable[str], answers: IO[str]) -> None:
    """What a worker does: a line names a kernel, a line answers with the problem, if there is one."""
    held = roster()
    known = {entry.key: entry for entry in held.entries}
    for line in asked:
        try:
            kernel, types = json.loads(line)
            compile_entry(held, known[kernel, types])
            problem = ""
        except Exception as caught:  # one kernel that fails must not keep the others from being compiled
            problem = f"{type(caught).__name__}: {caught}".splitlines()[0]
        answers.write(json.dumps(problem) + "\n")
        answers.flush()


def be_humble() -> None:
    """Give way to whatever else the machine has to do."""
    if hasattr(os, "nice"):
        os.nice(19)


if __name__ == "__main__":
    _serve(lines_until_gone(sys.stdin), sys.stdout)
