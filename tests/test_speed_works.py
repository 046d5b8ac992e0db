"""The works that are timed are those that their rows speak of."""

from __future__ import annotations

import os
from types import SimpleNamespace

import numpy as np
import pytest

from poise.kinematics import Kinematics
from poise.speed import machine
from poise.speed.adapting import AdaptWork
from poise.speed.duel import DisagreementError, Duel, apart
from poise.speed.dynamics import DynamicsWork
from poise.speed.kinematics import TIPS, KinematicsWork, character_of_balls
from poise.speed.loosening import STEP, smooth_motion
from poise.speed.peer import Peer
from poise.speed.posing import POSES, PoseWork


def test_a_merit_is_a_part_of_the_others():
    work = object.__new__(AdaptWork)
    work.__dict__.update(found=SimpleNamespace(coefficients=2.0), merit=lambda x: x, scipy=lambda: 4.0)
    duel = work.duel()
    assert (duel.difference(), duel.within, duel.unit) == (0.5, 1.05, "call")


def test_a_step_of_posing_is_one_of_all_iterations():
    solved = SimpleNamespace(iterations=np.array([3, 4]), errors=[np.array([1e-12, -2e-11]), np.array([1.0])])
    work = object.__new__(PoseWork)
    work.solve = lambda: solved
    duel = work.duel(lambda: None)
    assert (duel.items, duel.difference(), duel.within, duel.unit) == ((7.0, 1.0), 2e-11, 1e-9, "step")
    assert POSES == 64


def test_states_times_steps_are_steps():
    pytest.importorskip("mujoco")
    work = DynamicsWork(states=2, steps=3)
    duel = work.simulating()
    assert (duel.items, duel.unit) == ((6.0, 6.0), "step")
    duel.agree()
    inside = work.mujoco_loop(inside=True)
    assert apart(work.simulation(1)(), inside()) < 1e-7
    assert (work.q.shape[0], work.v.shape, work.tau.shape) == (
        2,
        (2, work.character.nv),
        (2, work.character.nv),
    )
    assert 0.5 < np.std(work.v) < 1.5


def test_the_character_of_balls_is_the_one_that_is_told():
    who = character_of_balls()
    assert (len(who.bodies), who.nv) == (25, 78)
    assert who.total_mass == pytest.approx(50.0)
    places = dict(zip(who.names, Kinematics(who, who.rest_pose()[None]).positions[0]))
    left, right, foot, arm = (places[name] for name in ("left arm4", "right arm4", "left leg4", "left arm0"))
    assert left * [1, -1, 1] == pytest.approx(right)
    assert arm - places["spine2"] == pytest.approx([0, 0.2, 0])
    assert foot - places["pelvis"] == pytest.approx([0, 0.5, -1.5])
    assert places["spine3"] - places["pelvis"] == pytest.approx([0, 0, 0.6])


def test_kinematics_are_of_the_tips_off_their_bodies():
    work = KinematicsWork(frames=3)
    work.ours()
    kin = Kinematics(work.character, work.q)
    for k, name in enumerate(TIPS):
        i = work.character.index(name)
        tip = kin.positions[:, i] + kin.rotations[:, i] @ [0.1, 0.0, -0.05]
        assert work.bundle.points[:, k] == pytest.approx(tip)
    assert work.bundle.com == pytest.approx(kin.com)


def test_a_smooth_motion_is_one():
    who = character_of_balls()
    q = smooth_motion(who, 200)
    assert q.shape == (200, who.nq)
    assert np.array_equal(q, smooth_motion(who, 200))
    speed = who.manifold.velocity(q, STEP)
    assert 0.3 < np.abs(speed[:, 3:]).max() < 8.0, "of about a hertz"
    change = np.abs(np.diff(speed, axis=0)).max() / STEP
    assert change < 60.0


@pytest.mark.parametrize(("processors", "load"), [(2, 2.0), (None, 4.0)])
def test_a_load_is_told_for_each_core(processors, load, monkeypatch):
    monkeypatch.setattr(os, "getloadavg", lambda: (4.0, 9.0, 9.0))
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    assert machine.load() == load
    monkeypatch.delattr(os, "getloadavg")
    assert machine.load() == 0.0


def test_a_machine_is_busy_from_its_bound_on():
    assert machine.warning(machine.BUSY - 1e-9) == ""
    assert f"({machine.BUSY:.1f} processes for each core)" in machine.warning(machine.BUSY)


def test_difference_is_over_size_where_that_is_more_than_one():
    assert apart([1.0, 300.0], [1.5, 200.0]) == pytest.approx(0.5)
    assert apart([[0.1], [0.0]], [[0.0], [0.0]]) == pytest.approx(0.1)
    Duel(int, int, lambda: 0.1, 0.1).agree()
    with pytest.raises(DisagreementError, match=r"2\.0e-01, more than 1e-01"):
        Duel(int, int, lambda: 0.2, 0.1).agree()
    assert (Duel(int, int, float, 0.0).items, Duel(int, int, float, 0.0).note()) == ((1.0, 1.0), "")


def test_peers_say_why_they_are_not_there(tmp_path, monkeypatch):
    (tmp_path / "broken_peer.py").write_text("raise ImportError('no such symbol')")
    monkeypatch.syspath_prepend(tmp_path)
    assert Peer("x", ("json", "broken_peer")).missing() == "broken_peer cannot be loaded: no such symbol"
    assert Peer("x", ("json", "nobody_of_that_name")).missing() == "nobody_of_that_name is not installed"
    assert Peer("x", ("json",)).missing() == ""
    assert Peer("x").version == Peer("x", distribution="nobody-of-that-name").version == ""
    assert Peer("x", distribution="numpy").version == np.__version__
