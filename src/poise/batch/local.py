"""Jobs in processes of this machine. One that dies costs its clip, which is tried again, and no other."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

Job = tuple[Any, ...]
TRIES = 2
"""A clip whose process died is tried this often."""


def performed(function: Callable[..., Any], jobs: Sequence[Job], workers: int) -> Iterator[tuple[int, Any]]:
    """Results as they come, each with the number of its job; None for one whose process died."""
    waiting = deque((number, 1) for number in range(len(jobs)))
    crew: dict[Connection, tuple[Any, tuple[int, int] | None]] = {}
    context = multiprocessing.get_context("spawn")

    def hire() -> None:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, function), daemon=True)
        process.start()
        theirs.close()
        crew[ours] = (process, None)

    def give(pipe: Connection) -> None:
        process, _ = crew[pipe]
        if waiting:
            task = waiting.popleft()
            crew[pipe] = (process, task)
            pipe.send(jobs[task[0]])
        else:
            crew[pipe] = (process, None)

    try:
        for _ in range(max(1, min(workers, len(jobs)))):
            hire()
        for pipe in list(crew):
            give(pipe)
        while any(task is not None for _, task in crew.values()):
            busy: Any = wait([p for p, (_, task) in crew.items() if task is not None])
            for pipe in busy:
                process, task = crew[pipe]
                assert task is not None
                try:
                    result = pipe.recv()
                except (EOFError, OSError):
                    pipe.close()
                    process.join()
                    del crew[pipe]
                    hire()
                    if task[1] < TRIES:
                        waiting.append((task[0], task[1] + 1))
                    else:
                        yield task[0], None
                    for idle in [p for p, (_, t) in crew.items() if t is None]:
                        give(idle)
                    continue
                give(pipe)
                yield task[0], result
    finally:
        for pipe, (process, _) in crew.items():
            pipe.close()
            process.terminate()
        for process, _ in crew.values():
            process.join()


def _work(pipe: Connection, function: Callable[..., Any]) -> None:
    while True:
        try:
            job = pipe.recv()
            pipe.send(function(*job))
        except (EOFError, OSError, KeyboardInterrupt):
            return
