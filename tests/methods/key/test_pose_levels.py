"""Strict levels: each as well as those above allow, none moved by what is below."""

from __future__ import annotations

import numpy as np
import pytest
from pose_problems import planar, slides, spatial

from poise.handles import CentreOfMass, PointPosition
from poise.kinematics import Kinematics
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task
from solvers.test_prioritised import lexicographic


@pytest.mark.parametrize("seed", range(6))
def test_a_linear_character_is_solved_as_the_lexicographic_oracle_does(seed):
    """Slides only: points are linear, and levels that conflict have a closed answer."""
    rng = np.random.default_rng(seed)
    character = slides(rng, 8)
    points = [PointPosition(f"b{i}", axes) for i, axes in ((7, "xy"), (7, "yz"), (5, "xyz"), (6, "xz"))]
    tasks = [Task(points[0], 0), Task(points[1], 1), Task(points[2], 3), Task(points[3], None, 50.0)]
    pose = rng.normal(size=character.nq)
    targets = [rng.normal(size=h.dim) for h in points]  # y of b7 is asked for twice: levels 0 and 1 conflict
    solved = PoseSolver(character, tasks).solve(pose, pose, targets)
    assert solved.settled.all()
    kin = Kinematics(character, np.zeros(character.nq))
    rows = [h.jacobian(kin)[0] for h in points]
    wanted = [t - h.value(kin)[0] for h, t in zip(points, targets)]
    last = np.vstack([np.sqrt(50.0) * rows[3], np.sqrt(0.1) * np.eye(character.nv)])
    goal = np.concatenate([np.sqrt(50.0) * wanted[3], np.sqrt(0.1) * pose])
    oracle = lexicographic([*zip(rows[:3], wanted[:3]), (last, goal)], np.zeros(character.nv))
    for k in range(3):
        np.testing.assert_allclose(solved.errors[k][0], rows[k] @ oracle - wanted[k], atol=2e-9)
    np.testing.assert_allclose(solved.q[0], oracle, atol=1e-4)


WEIGHTS = [1.0, 1e3, 1e6]


@pytest.mark.parametrize("make", [planar, spatial])
def test_nothing_below_moves_a_level_that_can_be_met(make):
    made = make()
    tasks = [Task(made.tasks[0].handle, 0), Task(made.tasks[1].handle, 1), Task(made.tasks[2].handle, 2)]
    targets = [made.targets[0] + 0.05, made.targets[1] * 0.9, made.targets[2] + 0.1]
    for weight in WEIGHTS:
        pull = Task(made.tasks[3].handle, None, weight)
        solver = PoseSolver(made.character, [*tasks, pull])
        solved = solver.solve(made.q, made.q, [*targets, made.targets[3] + 3.0])
        assert solved.settled.all()
        for error in solved.errors[:3]:
            assert np.abs(error).max() < 1e-8  # of inertia, in kg·m²
        assert np.abs(solved.errors[0]).max() < 1e-9


@pytest.mark.parametrize("make", [planar, spatial])
def test_a_level_out_of_reach_is_not_moved_by_those_below(make):
    """The centre stays, a hand reaches for what is too far; a foot below it pulls harder and harder the other
    way.

    Where the foot is let go again, from the pose found, the hand must not come any nearer: it had all it
    could get.
    """
    made = make()
    axes = made.tasks[0].handle.axes
    tasks = [Task(CentreOfMass(axes), 0), Task(made.tasks[2].handle, 1)]
    targets = [made.targets[0], made.targets[2] + 1.0]
    foot, away = made.tasks[4].handle, made.targets[4] - 1.5
    for weight in (1.0, 100.0, 1e3, 1e5):
        both = PoseSolver(made.character, [*tasks, Task(foot, None, weight)])
        solved = both.solve(made.q, made.q, [*targets, away])
        assert solved.settled.all()
        assert np.abs(solved.errors[0]).max() < 1e-9
        assert np.linalg.norm(solved.errors[1]) > 0.1
        free = PoseSolver(made.character, tasks).solve(solved.q, solved.q, targets)
        np.testing.assert_allclose(free.errors[1], solved.errors[1], atol=1e-9)


def test_three_levels_out_of_reach_come_in_their_order():
    """One foot stands, the other is called too far forward, a hand too far back."""
    made = planar()
    left, right, hand = (PointPosition(n, "xz") for n in ("LeftHeel", "RightHeel", "LeftHand"))
    kin = Kinematics(made.character, made.q)
    value = {h: h.value(kin)[0] for h in (left, right, hand)}
    tasks = [Task(left, 0), Task(right, 1), Task(hand, 2)]
    targets = [value[left], value[right] + [3.0, 0.0], value[hand] + [-3.0, 0.0]]
    found = []
    for count in (2, 3):
        solved = PoseSolver(made.character, tasks[:count]).solve(made.q, made.q, targets[:count])
        assert solved.settled.all()
        assert np.abs(solved.errors[0]).max() < 1e-9
        found.append(solved.errors[1][0])
    np.testing.assert_allclose(found[0], found[1], atol=2e-9)
    # With the order turned round the hand is nearer and the foot farther.
    other = [Task(left, 0), Task(hand, 1), Task(right, 2)]
    turned = PoseSolver(made.character, other).solve(made.q, made.q, [targets[0], targets[2], targets[1]])
    assert np.linalg.norm(turned.errors[1]) < np.linalg.norm(solved.errors[2]) - 0.1
    assert np.linalg.norm(turned.errors[2]) > np.linalg.norm(found[1]) + 0.1


def test_levels_are_only_an_order():
    """Levels 0, 1 and 3, 17 are the same; and so is one level where all can be met."""
    made = planar().moved(0, [0.05, -0.05])
    wanted = made.solve()
    for levels in ((0, 1), (3, 17), (2, 1)):
        tasks = [Task(t.handle, level) for t, level in zip(made.tasks[:2], levels)]
        solver = PoseSolver(made.character, [*tasks, *made.tasks[2:]])
        np.testing.assert_array_equal(solver.solve(made.q, made.q, made.targets).q, wanted.q)


@pytest.mark.parametrize("make", [planar, spatial])
def test_one_level_that_contradicts_itself_misses_as_much_whatever_is_below(make):
    """Centre of mass and a hand too far away are one level; the miss is the same from the pose found."""
    made = make()
    tasks = [Task(made.tasks[0].handle, 0), Task(made.tasks[2].handle, 0)]
    targets = [made.targets[0], made.targets[2] + 1.0]
    foot, away = made.tasks[4].handle, made.targets[4] - 1.5
    for weight in (1.0, 1e3, 1e5):
        both = PoseSolver(made.character, [*tasks, Task(foot, None, weight)])
        solved = both.solve(made.q, made.q, [*targets, away])
        assert solved.settled.all()
        free = PoseSolver(made.character, tasks).solve(solved.q, solved.q, targets)
        miss = [np.linalg.norm(np.concatenate([e[0] for e in s.errors[:2]])) for s in (solved, free)]
        assert miss[1] > 0.1
        assert abs(miss[0] - miss[1]) < 1e-9
