"""Jobs in processes of this machine. One that dies costs its clip, which is tried again, and no other.

Each process computes on one thread, libraries of linear algebra included: a processor for every clip, and
sums that do not depend on how many processors there are.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from poise.errors import PoiseError
from poise.lifeline import end_with_parent

Job = tuple[Any, ...]
TRIES = 2
"""A clip whose process died is tried this often."""
READY = "ready"
DYING = 5.0
"""A process that has let go of its pipe may take so long to end by itself, and say how [s]."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What libraries look at once, as a process begins."""
GUARD = "; a program that starts a batch does so under: if __name__ == '__main__'"


@dataclass(frozen=True)
class Lost:
    """In place of the result of a job that could not be done."""

    reason: str
    state: str = "crashed"


def overdue(limit: float) -> Lost:
    """In place of the result of a job that took too long; it would again, so it is not tried again."""
    return Lost(f"it took longer than {limit:g} s", "failed")


@dataclass(eq=False)
class _Worker:
    """A process, and the number of the job that it has; None until it has said that it is ready."""

    process: Any
    job: int | None = None
    until: float = math.inf
    """When it must be done with it, on the clock of ``time.monotonic``."""

    def end(self) -> None:
        """Whatever it is at, also where it is stopped."""
        self.process.kill()
        self.process.join()


def performed(
    function: Callable[..., Any], jobs: Sequence[Job], workers: int, limit: float = math.inf
) -> Iterator[tuple[int, Any]]:
    """Results as they come, each with the number of its job; ``Lost`` for one whose processes died, or that
    took longer than ``limit`` [s].

    The processes end with the iterator, whatever they are at, and by themselves if this process dies.
    """
    context = multiprocessing.get_context("spawn")
    waiting = deque(range(len(jobs)))
    tries: Counter[int] = Counter()
    crew: dict[Any, _Worker] = {}
    stillborn = 0
    try:
        while waiting or crew:
            unready = sum(worker.job is None for worker in crew.values())
            for _ in range(min(workers - len(crew), len(waiting) - unready)):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, function), daemon=True)
                with _interrupts_held(), _one_thread():
                    process.start()
                theirs.close()
                crew[ours] = _Worker(process)
            soonest = min(worker.until for worker in crew.values()) - time.monotonic()
            heard: list[Any] = wait(list(crew), None if soonest == math.inf else max(soonest, 0.0))
            now = time.monotonic()
            for pipe in [p for p, worker in crew.items() if worker.until <= now and p not in heard]:
                late = crew.pop(pipe)
                late.end()
                if late.job is not None:
                    yield late.job, overdue(limit)
            for pipe in heard:
                worker = crew[pipe]
                job = worker.job
                try:
                    said = pipe.recv()
                except (EOFError, OSError):
                    del crew[pipe]
                    worker.process.join(DYING)
                    worker.end()
                    if job is None:
                        stillborn += 1
                        if stillborn >= TRIES:
                            status = f"they end with {worker.process.exitcode}{GUARD}"
                            raise PoiseError(f"processes cannot be started: {status}") from None
                    elif tries[job] < TRIES:
                        waiting.append(job)
                    else:
                        yield job, Lost(f"its process died {TRIES} times: out of memory, or a mistake")
                    continue
                if waiting:
                    worker.job, worker.until = waiting.popleft(), time.monotonic() + limit
                    tries[worker.job] += 1
                    with suppress(OSError):  # it has just died: told when next waited for
                        pipe.send(jobs[worker.job])
                else:
                    del crew[pipe]
                    worker.end()
                if job is not None:
                    yield job, said
    finally:
        for worker in crew.values():
            worker.end()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes started meanwhile have libraries that compute on one thread."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started meanwhile do not hear Ctrl+C: their work is ended by who started them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # begun with the first process it would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, function: Callable[..., Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # whoever gave the work has gone
        pipe.send(READY)
        while True:
            pipe.send(function(*pipe.recv()))
