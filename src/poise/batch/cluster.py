"""Jobs on the workers of a running Dask cluster. A worker that dies has its clips done by others; where all
are gone for good, so is the batch, until it is begun again."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from poise.batch.local import Job, Lost, overdue
from poise.batch.outcome import Deserted
from poise.errors import InputError, MissingDependencyError

ANSWER = 30.0
"""How long a scheduler may take to answer, and its first worker to come [s]."""
PATIENCE = 120.0
"""A batch under way ends when no worker was heard from for so long [s]."""
LOOK = 1.0
"""While nothing comes back, workers are looked for this often [s]."""
DEADLY = "workers died of it, again and again: out of memory, or a mistake"
ALONE = """
import pickle, sys
from poise.lifeline import end_with_input
end_with_input()
function, job = pickle.load(open(sys.argv[1], "rb"))
found = function(*job)
open(sys.argv[2], "wb").write(pickle.dumps(found))
"""
GOES_ON = "start workers, and the same command goes on"
REMEDY = "pip install 'poise[cluster]'"


def performed(
    function: Callable[..., Any], jobs: Sequence[Job], address: str, limit: float = math.inf
) -> Iterator[tuple[int, Any]]:
    """Results as they come, each with the number of its job; ``Lost`` for one that no worker could do, or
    that took longer than ``limit`` [s].

    Workers read and write the same folders as this process: give paths that they all know. Nobody can stop
    what a worker is at: with a limit each job has a process of its own there, which takes a second to start.
    """
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError("distributed", "a batch on a cluster", REMEDY) from None
    dask: Any = distributed
    try:
        client = dask.Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise InputError(f"no Dask scheduler answers at {address}: {problem}") from None
    with client, client.as_current():
        try:
            client.wait_for_workers(1, timeout=ANSWER)
        except TimeoutError:
            raise InputError(f"the Dask scheduler at {address} has no workers; start one") from None
        crew = _Crew(client, address)
        finished: SimpleQueue[Any] = SimpleQueue()
        waiting: dict[Any, int] = {}
        accused: set[int] = set()

        def submit(number: int, *asked: Any) -> None:
            future = client.submit(*asked, pure=False)
            waiting[future] = number
            future.add_done_callback(finished.put)

        for number, job in enumerate(jobs):
            submit(number, *((function, *job) if limit == math.inf else (apart, limit, function, *job)))
        while waiting:
            try:
                future = finished.get(timeout=LOOK)
            except Empty:
                crew.look()
                continue
            if future.cancelled():
                raise Deserted(f"the Dask scheduler at {address} is gone; {GOES_ON}")
            try:
                failure = future.exception(timeout=ANSWER)
                found = future.result(timeout=ANSWER) if failure is None else None
            except TimeoutError:  # the worker that had it died after it was done: it is made anew
                finished.put(future)
                crew.look()
                continue
            except Exception as problem:  # made anew it failed, or it cannot be read here
                failure, found = problem, None
            number = waiting.pop(future)
            if failure is None:
                yield number, found
            elif not isinstance(failure, dask.scheduler.KilledWorker):
                yield number, Lost(f"workers cannot do it: {' '.join(str(failure).split())[:300]}")
            elif number in accused:
                yield number, Lost(DEADLY)
            else:  # Dask blames all that a dead worker had been given, so also what only waited there
                accused.add(number)
                submit(number, apart, limit, function, *jobs[number])


class _Crew:
    """The workers of a scheduler, as it hears from them: each says every second or so that it is there.

    Clocks of several machines are not compared: a worker is there if it has said so since the last look.
    """

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self._heard: dict[str, float] = {}
        self._last = time.monotonic()

    def look(self) -> None:
        """See who is there; raise where nobody was for too long."""
        try:
            known = self.client.sync(self.client.scheduler.identity, callback_timeout=ANSWER)["workers"]
        except (OSError, AttributeError, TypeError):  # it answers no more, or the client has let go of it
            known = None
        heard = {name: told["last_seen"] for name, told in (known or {}).items()}
        if heard.items() - self._heard.items():
            self._last = time.monotonic()
        self._heard = heard
        away = time.monotonic() - self._last
        if away < PATIENCE:
            return
        if known is None:
            raise Deserted(
                f"the Dask scheduler at {self.address} has not answered for {away:.0f} s; {GOES_ON}"
            )
        said = "its workers are hung" if known else "it has none"
        raise Deserted(f"no worker of {self.address} was heard from for {away:.0f} s: {said}; {GOES_ON}")


def apart(limit: float, function: Callable[..., Any], *job: Any) -> Any:
    """The result of a job done by another process, or ``Lost`` if that takes too long or dies.

    It ends with this one, whose pipe it holds on to: nothing is said through it.
    """
    with TemporaryDirectory() as place:
        asked, result = Path(place) / "asked", Path(place) / "result"
        asked.write_bytes(pickle.dumps((function, job)))
        command = [sys.executable, "-c", ALONE, str(asked), str(result)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            try:
                status = process.wait(None if limit == math.inf else limit)
            except BaseException as problem:
                process.kill()
                if isinstance(problem, subprocess.TimeoutExpired):
                    return overdue(limit)
                raise
        if status or not result.exists():
            return Lost(f"its process ended with {status}")
        return pickle.loads(result.read_bytes())
