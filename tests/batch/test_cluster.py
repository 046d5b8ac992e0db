"""Batches on a real Dask cluster on loopback: a scheduler and several processes, some killed on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from hashlib import sha256

import pytest

from poise import clips
from poise.batch import cluster, run
from poise.batch.local import Lost
from poise.errors import InputError, PoiseError

distributed = pytest.importorskip("distributed")
RECIPE = {"output": ".bvh", "steps": [{"do": "convert", "fps": 90}]}
CLIPS = 24


@pytest.fixture
def crew():
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


def test_a_batch_survives_a_killed_worker_and_gives_what_one_process_gives(crew, tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    for k in range(CLIPS):
        clips.get(("wave", "walk", "punch")[k % 3]).save(folder / f"take{k:02}.npz")
    victim = next(iter(crew.run(os.getpid).values()))
    killed = []

    def kill(done, total, outcome):
        if done == 3:
            os.kill(victim, signal.SIGKILL)
            killed.append(done)

    summary = run(RECIPE, folder, tmp_path / "many", scheduler=crew.scheduler.address, progress=kill)
    assert killed
    assert summary.count("done") == CLIPS
    alone = run(RECIPE, folder, tmp_path / "one", workers=1)
    assert [o.sha256 for o in summary.outcomes] == [o.sha256 for o in alone.outcomes]
    written = [sha256((tmp_path / "many" / o.output).read_bytes()).hexdigest() for o in alone.outcomes]
    assert written == [o.sha256 for o in alone.outcomes]
    assert run(RECIPE, folder, tmp_path / "many", workers=1).kept == CLIPS, "who did it does not matter"


DEADLY = "__import__('os').kill(__import__('os').getpid(), 9)"


def _wrong(number: int) -> int:
    if number == 1:
        raise RuntimeError("no such library here")
    return number


def test_a_clip_that_kills_workers_is_given_up_and_the_rest_is_done(crew):
    jobs = [(DEADLY if k == 2 else str(k),) for k in range(6)]
    found = dict(cluster.performed(eval, jobs, crew.scheduler.address))
    assert found.pop(2) == Lost("its process ended with -9")
    assert found == {k: k for k in (0, 1, 3, 4, 5)}
    crew.wait_for_workers(1, timeout=30)
    found = dict(cluster.performed(_wrong, [(k,) for k in range(3)], crew.scheduler.address))
    assert "no such library here" in found.pop(1).reason
    assert found == {0: 0, 2: 2}


def test_what_only_waited_where_workers_died_is_done_all_the_same():
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
    ) as local:
        jobs = [(DEADLY,), ("6 * 7",)]  # a worker of one thread is given two: Dask blames both for its death
        found = dict(cluster.performed(eval, jobs, local.scheduler_address))
    assert found == {0: Lost("its process ended with -9"), 1: 42}


def test_a_scheduler_that_goes_away_or_has_no_workers_is_said(tmp_path, monkeypatch):
    file = tmp_path / "scheduler.json"
    program = f"""
import asyncio, distributed
async def main():
    async with distributed.Scheduler(host="127.0.0.1", dashboard=False, scheduler_file={str(file)!r}) as s:
        await s.finished()
asyncio.run(main())
"""
    scheduler = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    try:
        while not file.exists() or not file.read_text():
            assert scheduler.poll() is None
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        monkeypatch.setattr(cluster, "PATIENCE", 2.0)
        with pytest.raises(InputError, match="has no workers"):
            list(cluster.performed(time.sleep, [(1,)], address))
        monkeypatch.undo()
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1"],
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            results = cluster.performed(time.sleep, [(0.3,)] * 50, address)
            assert next(results)[1] is None
            scheduler.kill()
            with pytest.raises(PoiseError, match="is gone; the same command goes on"):
                list(results)
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
    finally:
        scheduler.kill()
        scheduler.wait()


def test_an_address_where_nobody_answers_is_said():
    with pytest.raises(InputError, match="no Dask scheduler"):
        list(cluster.performed(time.sleep, [(1,)], "tcp://127.0.0.1:9"))
    with pytest.raises(InputError, match="no Dask scheduler"):
        list(cluster.performed(time.sleep, [(1,)], "nonsense://x"))


def test_with_a_limit_of_time_each_job_has_a_process_of_its_own():
    assert cluster.apart(60.0, max, 2, 3) == 3
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
    ) as local:
        found = dict(cluster.performed(time.sleep, [(0,), (600,)], local.scheduler_address, 3.0))
    assert found[0] is None
    assert isinstance(found[1], Lost)
    assert (found[1].state, found[1].reason) == ("failed", "it took longer than 3 s")
    dead = cluster.apart(60.0, os._exit, 7)
    assert isinstance(dead, Lost)
    assert "ended with 7" in dead.reason
