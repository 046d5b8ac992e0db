"""``poise warm``: what the roster lists is compiled beforehand, in several processes, once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from poise.kernels import warming
from poise.kernels.roster import Roster, RosterEntry, read, roster, written

PROGRAM = "from poise.cli import main; main()"


def test_the_roster_says_what_it_was_told():
    types = ["int64", {"named": "poise.kinematics.layout:Layout", "of": ["float64[2Cr]", ["none", "int32"]]}]
    asked = [
        ("poise.b:two", [*types, {"omitted": 2.5}], frozenset({"hit", "check"}), 4),
        ("poise.a:one", types, frozenset({"hit"}), 1),
        ("poise.a:one", [types[1], "float64[3A]"], frozenset({"loosen"}), 2),
    ]
    held = read(written(asked))
    assert len(held.tuples) == 1, "named tuples are written once"
    found = {
        (e.kernel, json.dumps(held.expanded(json.loads(e.types))), e.verbs, e.cost) for e in held.entries
    }
    assert found == {(kernel, json.dumps(kinds), verbs, cost) for kernel, kinds, verbs, cost in asked}
    assert {e.kernel for e in held.needed(["hit"])} == {"poise.a:one", "poise.b:two"}
    assert len(held.needed()) == 3
    assert held.verbs == {"hit", "check", "loosen"}


def test_types_come_back_as_numba_has_them():
    from numba import types

    held = read(written([("poise.x:y", ["int64", "float64[2Cr]", ["none", "bool"]], frozenset(), 1)]))
    found = held.signature(held.entries[0])
    assert found[:2] == (types.int64, types.Array(types.float64, 2, "C", readonly=True))
    assert found[2] == types.Tuple((types.none, types.boolean))


def test_every_kernel_of_the_roster_is_there():
    """Renamed kernels and changed tuples are found here, before a wheel lacks them."""
    held = roster()
    for entry in held.entries:
        assert len(held.signature(entry)) <= held.dispatcher(entry).py_func.__code__.co_argcount, entry.kernel


def test_a_kernel_that_is_no_more_is_said_to_be_so():
    held = Roster((RosterEntry("poise.kinematics.forward:gone", "[]", frozenset(), 1),), ())
    with pytest.raises(LookupError, match="forward:gone"):
        held.dispatcher(held.entries[0])


def test_shares_cover_everything_once_and_the_dearest_comes_first():
    todo = [
        RosterEntry(f"poise.m{k % 5}:f{k}", "[]", frozenset(), cost)
        for k, cost in enumerate([1, 8, 2, 1, 4] * 6)
    ]
    shares = warming._shares(todo, 3)
    assert sorted(e.kernel for share in shares for e in share) == sorted(e.kernel for e in todo)
    costs = [sum(e.cost for e in share) for share in shares]
    assert costs == sorted(costs, reverse=True)
    assert len({e.kernel.partition(":")[0] for e in shares[0]}) == 1


def cheap(count: int) -> list[RosterEntry]:
    """A few kernels that compile quickly: numbers out of text."""
    return [each for each in roster().entries if each.kernel.startswith("poise.formats.bvh.")][:count]


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """An empty cache, for this process and those it starts."""
    from poise.kernels import cache

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # kernels are looked for there too
    for each in (cache.folders, cache.own_folders):
        each.cache_clear()
    yield tmp_path
    for each in (cache.folders, cache.own_folders):
        each.cache_clear()


def test_kernels_are_compiled_once(fresh, monkeypatch):
    held = roster()
    few = Roster(tuple(cheap(2)), held.tuples)
    monkeypatch.setattr(warming, "roster", lambda: few)
    told = []
    first = warming.warm(jobs=2, progress=lambda done, total: told.append((done, total)))
    assert (first.total, first.there, first.compiled, first.failed) == (2, 0, 2, {})
    assert told == [(0, 2), (1, 2), (2, 2)]
    again = warming.warm(jobs=2)
    assert (again.there, again.compiled) == (2, 0)
    assert str(again) == "2 of 2 kernels were there"


def test_a_kernel_that_fails_does_not_keep_others_from_being_compiled(fresh, monkeypatch):
    held = roster()
    gone = RosterEntry("poise.kinematics.forward:gone", "[]", frozenset(), 64)
    monkeypatch.setattr(warming, "roster", lambda: Roster((gone, *cheap(1)), held.tuples))
    done = warming.warm(jobs=1)
    assert done.compiled == 1
    assert list(done.failed) == [gone.kernel]
    assert "could not be compiled" in str(done)


def test_unknown_verbs_are_refused():
    command = [sys.executable, "-c", PROGRAM, "warm", "dance"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no kernels are known for 'dance'; verbs that need any:" in done.stderr


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals to groups")
def test_ctrl_c_ends_it_quietly(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "warm", "--jobs", "2"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not list(tmp_path.rglob("*.kernel")):  # it is at work
        assert process.poll() is None
        time.sleep(0.05)
    workers = _children(process.pid)
    assert workers
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert out == ""
    assert err == "poise: stopped; no half-written files remain\n"
    assert not [pid for pid in workers if os.path.exists(f"/proc/{pid}")]
    assert {p.suffix for p in tmp_path.rglob("*") if p.is_file()} == {".kernel"}


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as listed:
        return [int(each) for each in listed.read().split()]
