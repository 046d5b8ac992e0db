"""Jobs on the workers of a running Dask cluster. A worker that dies has its clips done by others."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from poise.batch.local import Job, Lost, overdue
from poise.errors import InputError, MissingDependencyError, PoiseError

PATIENCE = 10.0
"""How long a scheduler may take to answer, and its first worker to come [s]."""
DEADLY = "workers died of it, again and again: out of memory, or a mistake"
ALONE = """
import pickle, sys
function, job = pickle.load(sys.stdin.buffer)
found = function(*job)
open(sys.argv[1], "wb").write(pickle.dumps(found))
"""
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
        client = dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise InputError(f"no Dask scheduler answers at {address}: {problem}") from None
    with client, client.as_current():
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise InputError(f"the Dask scheduler at {address} has no workers: start some") from None
        asked = [(function, *job) if limit == math.inf else (apart, limit, function, *job) for job in jobs]
        futures = {client.submit(*job, pure=False): number for number, job in enumerate(asked)}
        accused: set[int] = set()
        coming = dask.as_completed(futures)
        for future in coming:
            if future.cancelled():
                raise PoiseError(f"the Dask scheduler at {address} is gone; the same command goes on")
            number = futures[future]
            failure: Any = future.exception() if future.status == "error" else None
            if isinstance(failure, dask.scheduler.KilledWorker) and number not in accused:
                # Dask blames all that a dead worker had been given, so also what only waited there.
                accused.add(number)
                again = client.submit(apart, limit, function, *jobs[number], pure=False)
                futures[again] = number
                coming.add(again)
            elif isinstance(failure, dask.scheduler.KilledWorker):
                yield number, Lost(DEADLY)
            elif failure is not None:
                yield number, Lost(f"workers cannot do it: {' '.join(str(failure).split())[:300]}")
            else:
                yield number, future.result()


def apart(limit: float, function: Callable[..., Any], *job: Any) -> Any:
    """The result of a job done by another process, or ``Lost`` if that takes too long or dies."""
    asked = pickle.dumps((function, job))
    with TemporaryDirectory() as place:
        result = Path(place) / "result"
        command = [sys.executable, "-c", ALONE, str(result)]
        try:
            done = subprocess.run(
                command, input=asked, timeout=None if limit == math.inf else limit,
                stdout=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return overdue(limit)
        if done.returncode or not result.exists():
            return Lost(f"its process ended with {done.returncode}")
        return pickle.loads(result.read_bytes())
