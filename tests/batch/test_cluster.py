"""Batches on a real Dask cluster on loopback: a scheduler and several processes, some killed on the way."""

from __future__ import annotations

import json
import os
import sys
import time
from hashlib import sha256

import pytest
from crew import GO_ON, KILL, STOP, Crew

from poise import clips
from poise.batch import Deserted, cluster, run
from poise.batch.ledger import NAME
from poise.batch.local import Lost
from poise.cli import main
from poise.errors import InputError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills and stops processes")

RECIPE = {"output": ".bvh", "steps": [{"do": "resample", "fps": 90}]}


def library(folder, count):
    folder.mkdir()
    for k in range(count):
        clips.get(("wave", "walk", "punch")[k % 3]).save(folder / f"take{k:02}.npz")
    return folder


def test_a_batch_survives_a_killed_worker_and_gives_what_one_process_gives(tmp_path):
    folder = library(tmp_path / "clips", 12)
    with Crew(tmp_path, 2) as crew:

        def kill(done, total, outcome):
            if done == 3:
                crew.signal(KILL)

        summary = run(RECIPE, folder, tmp_path / "many", scheduler=crew.address, progress=kill)
        assert crew.workers[0].wait() == -KILL
    assert summary.count("done") == 12
    alone = run(RECIPE, folder, tmp_path / "one", workers=1)
    assert [o.sha256 for o in summary.outcomes] == [o.sha256 for o in alone.outcomes]
    written = [sha256((tmp_path / "many" / o.output).read_bytes()).hexdigest() for o in alone.outcomes]
    assert written == [o.sha256 for o in alone.outcomes]
    assert run(RECIPE, folder, tmp_path / "many", workers=1).kept == 12, "who did it does not matter"


DEADLY = "__import__('os').kill(__import__('os').getpid(), 9)"


def test_a_clip_that_kills_workers_is_given_up_and_the_rest_is_done(tmp_path):
    with Crew(tmp_path, 2, faithful=True) as crew:
        jobs = [(DEADLY if k == 2 else str(k),) for k in range(6)]
        found = dict(cluster.performed(eval, jobs, crew.address))
    assert found.pop(2) == Lost("its process ended with -9")
    assert found == {k: k for k in (0, 1, 3, 4, 5)}


def test_what_a_worker_cannot_do_is_said(tmp_path):
    with Crew(tmp_path) as crew:
        jobs = [("1",), ("__import__('nothing_of_this_name')",), ("3",)]
        found = dict(cluster.performed(eval, jobs, crew.address))
    assert "nothing_of_this_name" in found.pop(1).reason
    assert found == {0: 1, 2: 3}


def test_what_only_waited_where_workers_died_is_done_all_the_same(tmp_path):
    with Crew(tmp_path, faithful=True) as crew:
        jobs = [(DEADLY,), ("6 * 7",)]  # a worker of one thread is given two: Dask blames both for its death
        found = dict(cluster.performed(eval, jobs, crew.address))
    assert found == {0: Lost("its process ended with -9"), 1: 42}


@pytest.mark.parametrize("how", ["dies", "hangs"])
def test_a_batch_whose_last_worker_is_gone_says_so_and_the_same_command_goes_on(
    how, tmp_path, monkeypatch, capsys
):
    folder, out, recipe = library(tmp_path / "clips", 6), tmp_path / "out", tmp_path / "recipe.json"
    recipe.write_text(json.dumps(RECIPE))
    with Crew(tmp_path) as crew:
        command = ["batch", str(recipe), str(folder), "-o", str(out), "--scheduler", crew.address]

        def gone(done, total, outcome):
            if done == 2:
                crew.signal(KILL if how == "dies" else STOP)

        monkeypatch.setattr(cluster, "PATIENCE", 3.0)
        with pytest.raises(Deserted, match=r"no worker of .*, and the same command goes on") as told:
            run(recipe, folder, out, scheduler=crew.address, progress=gone)
        assert ("it has none" if how == "dies" else "hung") in str(told.value)
        done = len((out / NAME).read_text().splitlines())
        assert (len(told.value.summary.outcomes), told.value.summary.waiting) == (done, 6 - done)
        assert 2 <= done < 6
        if how == "hangs":  # the command as it is typed, while nobody is there
            with pytest.raises(SystemExit) as status:
                main(command)
            assert status.value.code == 4
            said = capsys.readouterr()
            assert "the same command goes on" in said.err
            assert f"{6 - done} still to do" in said.out
            assert "still to do" in (out / "batch.html").read_text()
        monkeypatch.undo()
        crew.signal(GO_ON) if how == "hangs" else crew.hire()
        crew.ready()
        with pytest.raises(SystemExit) as status:
            main([*command, "--json"])
        assert status.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert [o["state"] for o in found["outcomes"]] == ["done"] * 6
    assert found["kept"] == done
    assert sorted(p.name for p in out.glob("*.bvh")) == [f"take{k:02}.bvh" for k in range(6)]


def test_a_worker_that_comes_back_in_time_goes_on(tmp_path, monkeypatch):
    """The last one dies, nobody is there at several looks, then there is another."""
    with Crew(tmp_path) as crew:
        looks = []
        look = cluster._Crew.look

        def counted(self):
            look(self)
            looks.append(dict(self._heard))
            if len(looks) > 2 and not looks[-1] and crew.hired == 1:
                crew.hire()

        monkeypatch.setattr(cluster, "LOOK", 0.2)
        monkeypatch.setattr(cluster._Crew, "look", counted)
        results = cluster.performed(time.sleep, [(0.1,)] * 8, crew.address)
        next(results)
        crew.signal(KILL)
        assert len(list(results)) == 7
    assert {} in looks
    assert crew.hired == 2


def test_what_a_hung_worker_had_is_done_by_the_others(tmp_path):
    """Once the scheduler has not heard of it for as long as it is set to wait."""
    with Crew(tmp_path, 2, ttl="3s") as crew:
        results = cluster.performed(time.sleep, [(0.2,)] * 12, crew.address)
        next(results)
        crew.signal(STOP)
        assert len(list(results)) == 11


@pytest.mark.parametrize("how", ["dies", "hangs"])
def test_a_scheduler_that_goes_away_is_said(how, tmp_path, monkeypatch):
    with Crew(tmp_path) as crew:
        results = cluster.performed(time.sleep, [(0.3,)] * 50, crew.address)
        assert next(results)[1] is None
        monkeypatch.setattr(cluster, "PATIENCE", 3.0)
        monkeypatch.setattr(cluster, "ANSWER", 3.0)
        crew.scheduler.send_signal(KILL if how == "dies" else STOP)
        with pytest.raises(Deserted, match=rf"{crew.address} .*the same command goes on"):
            list(results)


def test_a_result_that_dies_with_its_worker_is_made_anew(tmp_path, monkeypatch):
    """A worker keeps what it made until it is fetched; here it dies just before."""
    with Crew(tmp_path) as crew:
        import distributed

        fetch = distributed.Future.result

        def late(self, timeout=None):
            if crew.hired == 1:
                crew.signal(KILL)
                crew.workers[0].wait()
                crew.hire()
            return fetch(self, timeout)

        monkeypatch.setattr(distributed.Future, "result", late)
        assert list(cluster.performed(eval, [("6 * 7",)], crew.address)) == [(0, 42)]
    assert crew.hired == 2


def test_a_result_that_dies_with_the_last_worker_is_not_waited_for_for_ever(tmp_path, monkeypatch):
    with Crew(tmp_path) as crew:
        import distributed

        ask = distributed.Future.exception

        def early(self, *of, **options):
            found = ask(self, *of, **options)
            if crew.workers[0].poll() is None:
                crew.signal(KILL)
                crew.workers[0].wait()
                monkeypatch.setattr(cluster, "ANSWER", 2.0)
            return found

        monkeypatch.setattr(distributed.Future, "exception", early)
        monkeypatch.setattr(cluster, "PATIENCE", 3.0)
        with pytest.raises(Deserted, match=r"it has none|not answered"):
            list(cluster.performed(eval, [("6 * 7",)], crew.address))


def test_a_scheduler_without_workers_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER", 2.0)
    with Crew(tmp_path, 0) as crew, pytest.raises(InputError, match="has no workers"):
        list(cluster.performed(time.sleep, [(1,)], crew.address))


def test_an_address_where_nobody_answers_is_said(monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER", 2.0)
    with pytest.raises(InputError, match="no Dask scheduler"):
        list(cluster.performed(time.sleep, [(1,)], "tcp://127.0.0.1:9"))
    with pytest.raises(InputError, match="no Dask scheduler"):
        list(cluster.performed(time.sleep, [(1,)], "nonsense://x"))


def test_with_a_limit_of_time_each_job_has_a_process_of_its_own(tmp_path):
    assert cluster.apart(600.0, max, 2, 3) == 3
    with Crew(tmp_path) as crew:
        assert list(cluster.performed(time.sleep, [(0.0,)], crew.address, 600.0)) == [(0, None)]
        [(_, late)] = cluster.performed(time.sleep, [(600.0,)], crew.address, 3.0)
    assert isinstance(late, Lost)
    assert (late.state, late.reason) == ("failed", "it took longer than 3 s")
    dead = cluster.apart(600.0, os._exit, 7)
    assert isinstance(dead, Lost)
    assert "ended with 7" in dead.reason
