"""A Dask cluster of plain processes on loopback, each of which a test may kill, stop or replace.

Not Dask's own ``LocalCluster``: it gives a worker up for good that happens to be away 15 s after some earlier
death of it (``distributed.deploy.lost-worker-timeout``), which on a busy machine is any time.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

import pytest

distributed = pytest.importorskip("distributed")

SCHEDULER = """
import asyncio, sys, dask, distributed
from poise.lifeline import end_with_parent
end_with_parent()
dask.config.set({"distributed.scheduler.worker-ttl": sys.argv[2]})
async def main():
    async with distributed.Scheduler(host="127.0.0.1", dashboard=False, scheduler_file=sys.argv[1]) as s:
        await s.finished()
asyncio.run(main())
"""
WORKER = """
import asyncio, sys, distributed
from poise.lifeline import end_with_parent
end_with_parent()
async def main():
    async with distributed.Worker(sys.argv[1], nthreads=1, host="127.0.0.1", dashboard=False) as w:
        await w.finished()
asyncio.run(main())
"""


class Crew:
    """A scheduler and so many workers; with ``faithful`` whoever dies is replaced, as a nanny would."""

    def __init__(self, folder: Path, workers: int = 1, *, faithful: bool = False, ttl: str = "300s") -> None:
        self.folder, file = folder, folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.hired = 0
        self._lock, self._over = threading.Lock(), threading.Event()
        self.scheduler = self._begun(SCHEDULER, str(file), ttl)
        while not file.exists() or not file.read_text():
            assert self.scheduler.poll() is None
            time.sleep(0.05)
        self.address: str = json.loads(file.read_text())["address"]
        for _ in range(workers):
            self.hire()
        if workers:
            self.ready(workers)
        self._keeper = threading.Thread(target=self._keep, daemon=True) if faithful else None
        if self._keeper is not None:
            self._keeper.start()

    def ready(self, workers: int = 1) -> None:
        """Wait until so many are there, however long that takes."""
        with distributed.Client(self.address, timeout="600s", set_as_default=False) as client:
            client.wait_for_workers(workers)

    def hire(self) -> None:
        """One more worker; it comes when it is ready."""
        with self._lock:
            if not self._over.is_set():
                self.workers.append(self._begun(WORKER, self.address))
                self.hired += 1

    def signal(self, number: int, which: int = 0) -> int:
        """Send a worker a signal; its process."""
        with self._lock:
            worker = self.workers[which]
        worker.send_signal(number)
        return worker.pid

    def kill_one(self, rng: random.Random) -> int:
        """Kill one of those that live, as soon as anybody does; its process."""
        while True:
            with self._lock:
                living = [worker for worker in self.workers if worker.poll() is None]
                if living:
                    worker = rng.choice(living)
                    worker.kill()
                    worker.wait()
                    return worker.pid
            time.sleep(0.05)

    def _begun(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
        )  # fmt: skip

    def _keep(self) -> None:
        while not self._over.wait(0.05):
            for worker in [w for w in self.workers if w.poll() is not None]:
                with self._lock:
                    self.workers.remove(worker)
                self.hire()

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._keeper is not None:
            self._keeper.join()
        for process in (*self.workers, self.scheduler):
            process.kill()  # also what is stopped
            process.wait()


STOP, GO_ON, KILL = signal.SIGSTOP, signal.SIGCONT, signal.SIGKILL
