"""Jobs on the workers of a running Dask cluster. A worker that dies has its clips done by others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from poise.batch.local import Job, Lost
from poise.errors import InputError, MissingDependencyError, PoiseError

PATIENCE = 10.0
"""How long a scheduler may take to answer, and its first worker to come [s]."""
DEADLY = "workers died of it, again and again: out of memory, or a mistake"
REMEDY = "pip install 'poise[cluster]'"


def performed(function: Callable[..., Any], jobs: Sequence[Job], address: str) -> Iterator[tuple[int, Any]]:
    """Results as they come, each with the number of its job; ``Lost`` for one that no worker could do.

    Workers read and write the same folders as this process: give paths that they all know.
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
        futures = {client.submit(function, *job, pure=False): number for number, job in enumerate(jobs)}
        for future in dask.as_completed(futures):
            if future.cancelled():
                raise PoiseError(f"the Dask scheduler at {address} is gone; the same command goes on")
            failure: Any = future.exception() if future.status == "error" else None
            if isinstance(failure, dask.scheduler.KilledWorker):
                yield (
                    futures[future],
                    Lost(DEADLY),
                )
            elif failure is not None:
                yield futures[future], Lost(f"workers cannot do it: {' '.join(str(failure).split())[:300]}")
            else:
                yield futures[future], future.result()
