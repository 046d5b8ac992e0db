"""Jobs on the workers of a running Dask cluster. A worker that dies has its clips done by others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from poise.batch.local import Job
from poise.errors import InputError, MissingDependencyError

RETRIES = 2
REMEDY = "pip install distributed"


def performed(function: Callable[..., Any], jobs: Sequence[Job], address: str) -> Iterator[tuple[int, Any]]:
    """Results as they come, each with the number of its job; None for one that no worker could do.

    Workers read and write the same folders as this process: give paths that they all know.
    """
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError("distributed", "a batch on a cluster", REMEDY) from None
    dask: Any = distributed
    try:
        client = dask.Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as problem:
        raise InputError(f"no Dask scheduler answers at {address}: {problem}") from None
    with client, client.as_current():
        futures = {
            client.submit(function, *job, pure=False, retries=RETRIES): number
            for number, job in enumerate(jobs)
        }
        for future in dask.as_completed(futures):
            failed = future.status != "finished"
            yield futures[future], None if failed else future.result()
