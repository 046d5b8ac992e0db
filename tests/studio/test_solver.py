"""The server's hold on its solver: newest first, stopped when told to, ended when it does not listen."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from poise.studio.server import solver as solving
from poise.studio.server import worker
from poise.studio.server.browser_tab import PACKETS, Tab
from poise.studio.server.messages import Progress
from poise.studio.server.solver import Job, Solver

HOME = worker.Home(folder=".", blobs={})


def word(what: str) -> bytes:
    return worker.TEXT + msgspec.json.encode(Progress(what=what, part=0.5))


def stand_in(pipe: Connection, stop: Any, pulse: Any) -> None:
    """A worker that does what a question says: answers, waits, hangs or dies."""
    decoder = msgspec.msgpack.Decoder(worker.Task)
    while (asked := pipe.recv_bytes()) != worker.END:
        task = decoder.decode(asked)
        begun = stop.value
        what = task.question if isinstance(task, worker.Question) else ""
        if isinstance(task, worker.Solve):
            what = task.document.decode()
        if what in ("wait", "hang", "slow"):
            pipe.send_bytes(word("begun"))
        if what == "die":
            os._exit(1)
        if what == "half":  # of a message: it says that 100 bytes follow
            os.write(pipe.fileno(), struct.pack("!i", 100) + worker.TEXT + b"hal")
            os.kill(os.getpid(), signal.SIGSTOP)
        if what.startswith("deaf"):
            os.kill(os.getpid(), signal.SIGSTOP)
        if what == "hang":
            time.sleep(3600)
        if what == "slow":
            time.sleep(1.5)
        while what == "wait" and stop.value == begun:
            time.sleep(0.005)
        pipe.send_bytes(word(what))
        pipe.send_bytes(worker.DONE)


class Held:
    """A solver, and everything that was heard."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.failed: list[str] = []
        self.said: list[str] = []
        self.solver = Solver(lambda: HOME, lambda why, lost: self.said.append(why))

    def job(self, what: str, *, solve: bool = False, limit: float = 0.0) -> Job:
        task: worker.Task = worker.Question(question=what, about={}, document=b"")
        if solve:
            task = worker.Solve(revision=0, document=what.encode())
        return Job(task, lambda m: self.heard.append(m.what), limit, self.failed.append)

    async def begun(self) -> None:
        """Until what takes long is under way."""
        while "begun" not in self.heard:
            await asyncio.sleep(0.01)
        self.heard.remove("begun")

    async def rest(self, seconds: float = 240.0) -> None:
        """Until nothing is left to do."""
        end = time.monotonic() + seconds
        while self.solver.busy is not None or self.solver.waiting:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)


def held(body: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test's body within an event loop with a solver."""
    monkeypatch.setattr(worker, "main", stand_in)

    async def run() -> None:
        found = Held()
        found.solver.start()
        try:
            await body(found)
        finally:
            found.solver.close()

    asyncio.run(run())


def test_of_solves_that_wait_only_the_newest_is_done(monkeypatch):
    async def body(found: Held) -> None:
        found.solver.put(found.job("question"))
        for k in range(5):
            found.solver.solve(found.job(f"solve {k}", solve=True))
        await found.rest()
        assert found.heard == ["question", "solve 4"]

    held(body, monkeypatch)


def test_a_solve_that_nobody_wants_any_more_gives_way(monkeypatch):
    async def body(found: Held) -> None:
        found.solver.solve(found.job("wait", solve=True))
        await found.begun()
        found.solver.solve(found.job("newer", solve=True))
        await found.rest()
        assert found.heard == ["wait", "newer"]
        assert found.failed == ["cancelled"]
        assert found.said == []

    held(body, monkeypatch)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
@pytest.mark.parametrize("what", ["half", "deaf" + 2**22 * "."], ids=["writing", "reading"])
def test_a_solver_that_stands_still_in_a_message_holds_nobody_up(what, monkeypatch):
    """Whichever way the message goes, the server goes on; told to stop, it gets a new solver."""
    monkeypatch.setattr(solving, "PATIENCE", 0.5)

    async def body(found: Held) -> None:
        os.kill(found.solver.pid, signal.SIGSTOP)  # more than a pipe holds waits for it
        found.solver.solve(found.job(what, solve=True))
        os.kill(found.solver.pid, signal.SIGCONT)
        while found.solver.waiting:  # until it is ready, and has the task
            await asyncio.sleep(0.01)
        ticks = 0
        while ticks < 50:
            await asyncio.sleep(0.01)
            ticks += 1
        found.solver.cancel()
        while not found.failed:
            await asyncio.sleep(0.01)
        assert found.failed == ["cancelled"]
        assert found.said == ["the solver was started again: it did not stop when told to"]
        found.solver.put(found.job("after"))
        await found.rest()
        assert found.heard == ["after"]

    held(body, monkeypatch)


def test_while_something_is_dragged_answers_are_let_come_and_the_release_waits_for_none(monkeypatch):
    async def body(found: Held) -> None:
        def job(what: str, *, live: bool) -> Job:
            made = found.job(what, solve=True)
            made.task = worker.Solve(revision=0, document=what.encode(), live=live)
            return made

        found.solver.solve(job("slow", live=True))
        await found.begun()
        found.solver.solve(job("newer", live=True))
        await found.rest()
        assert found.heard == ["slow", "newer"]
        assert found.failed == []
        found.solver.solve(job("wait", live=True))
        await found.begun()
        found.solver.solve(job("released", live=False))
        await found.rest()
        assert found.heard[2:] == ["wait", "released"]
        assert found.failed == ["cancelled"]

    held(body, monkeypatch)


def test_work_that_is_only_out_of_date_may_end_in_its_own_time(monkeypatch):
    monkeypatch.setattr(solving, "PATIENCE", 0.05)

    async def body(found: Held) -> None:
        found.solver.solve(found.job("slow", solve=True))
        await found.begun()
        found.solver.solve(found.job("newer", solve=True))
        await found.rest()
        assert found.heard == ["slow", "newer"]
        assert found.solver.starts == 1

    held(body, monkeypatch)


def test_one_that_does_not_listen_is_ended(monkeypatch):
    monkeypatch.setattr(solving, "PATIENCE", 0.2)

    async def body(found: Held) -> None:
        found.solver.solve(found.job("hang", solve=True))
        await found.begun()
        assert found.solver.cancel()
        found.solver.put(found.job("after"))
        await found.rest()
        assert found.failed == ["cancelled"]
        assert found.heard == ["after"]
        assert found.solver.starts == 2

    held(body, monkeypatch)


def test_a_solve_that_waits_for_the_process_to_be_ready_is_stopped_too(monkeypatch):
    async def body(found: Held) -> None:
        assert not found.solver.cancel()  # nothing is wanted yet
        found.solver.solve(found.job("first", solve=True))
        assert found.solver.cancel()
        await found.rest()
        assert found.heard == []

    held(body, monkeypatch)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="holds processes")
@pytest.mark.parametrize("task", [worker.Everything(), worker.Weigh()])
def test_what_somebody_waits_for_without_having_wished_it_is_not_stopped(monkeypatch, task):
    async def body(found: Held) -> None:
        await found.rest()
        os.kill(found.solver.pid, signal.SIGSTOP)
        found.solver.put(Job(task, lambda m: found.heard.append(m.what)))
        assert not found.solver.cancel()
        os.kill(found.solver.pid, signal.SIGCONT)
        await found.rest()
        assert found.heard == [""]
        assert found.solver.starts == 1

    held(body, monkeypatch)


def test_a_task_may_not_take_longer_than_its_limit(monkeypatch):
    async def body(found: Held) -> None:
        found.solver.put(found.job("hang", limit=0.2))
        found.solver.put(found.job("after"))
        await found.rest()
        assert "longer than 0.2 s" in found.failed[0]
        assert found.solver.starts == 2  # it is not tried again: only what a death took with it is
        assert found.heard[-1] == "after"

    held(body, monkeypatch)


def test_what_kills_it_is_tried_twice_and_not_for_ever(monkeypatch):
    async def body(found: Held) -> None:
        found.solver.put(found.job("die"))
        found.solver.put(found.job("after"))
        await found.rest()
        assert found.heard == ["after"]
        assert found.solver.starts == 3
        assert len(found.failed) == 1

    held(body, monkeypatch)


def test_a_slow_tab_keeps_all_text_and_gets_the_stage_anew():
    async def body() -> None:
        late: list[Tab] = []
        tab = Tab(late.append)
        tab.catch_up()
        for k in range(40):
            tab.tell(f"text {k}")
            tab.change(bytes(PACKETS // 16))
        heard = [await tab.next() for _ in range(len(tab))]
        assert [m for m in heard if isinstance(m, str)] == [f"text {k}" for k in range(40)]
        assert sum(isinstance(m, bytes) for m in heard) <= 16
        assert late == []
        waiting = asyncio.create_task(tab.next())
        await asyncio.sleep(0)
        assert late == [tab]
        tab.change(b"a change of what it does not have")
        assert len(tab) == 0
        tab.catch_up()
        tab.change(b"a change")
        assert await waiting == b"a change"

    asyncio.run(body())


def test_a_tab_that_reads_nothing_at_all_is_let_go():
    async def body() -> None:
        tab = Tab(lambda tab: None)
        for _ in range(5000):
            tab.tell("text")
        assert await tab.next() is None

    asyncio.run(body())


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="other systems keep no such account")
def test_holes_between_small_things_go_back_to_the_system():
    def own() -> int:
        lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))  # [kB]

    small = [np.ones(1024) for _ in range(8000)]  # 8 kB each
    few = small[::40]
    del small
    before = own()
    worker._give_back()
    assert before - own() > 20_000
    assert len(few) == 200
