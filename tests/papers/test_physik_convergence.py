"""Fig. 12: a pose settles within the paper's 30 to 50 iterations with 0 … 8 pins, cold, and to all digits."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import Kinematics
from poise.methods.key.pose.solver import POSE_WEIGHT
from poise.methods.key.pose.task import weight_of_gain

pins = example("14_pins")
COUNTS = tuple(range(9))


@pytest.fixture(scope="module")
def runs():
    return pins.scene()


def test_no_pins_up_to_eight(runs):
    assert tuple(runs) == COUNTS
    assert all(len(run.solver.tasks) == 2 + count for count, run in runs.items())


def test_iterations(runs):
    """The paper: "between 30 to 50 generally produce convincing motions"; here they give every digit."""
    counts = np.array([int(run.solved.iterations[0]) for run in runs.values()])
    assert all(run.solved.settled[0] for run in runs.values())
    assert counts.max() <= 50
    assert counts.mean() <= 40
    assert max(run.needed(1e-2) for run in runs.values()) <= 40


def test_what_is_hard_is_met_exactly_however_many_pins_pull(runs):
    for run in runs.values():
        centre, inertia = (np.abs(e).max() for e in run.solved.errors[:2])
        assert centre < 1e-12
        assert inertia < 1e-10 * run.targets[1][0]
        assert run.hard[0] > 0.5, "the rest pose is far from it"


def test_the_last_digits_come_quickly(runs):
    """From a hundredth to a millionth of a radian takes fewer evaluations than the way to the hundredth."""
    for run in runs.values():
        assert run.needed(1e-6) - run.needed(1e-2) <= 12
        assert run.away[-1] == 0.0


def test_the_merit_falls_but_where_weights_rise(runs):
    """Weights rise by tens and multipliers change a few times; all other accepted steps lower the merit."""
    for run in runs.values():
        history = run.solved.history
        merit = history[history[:, 3] > 0.0, 0]  # rejected steps leave no row
        rises = np.flatnonzero(np.diff(merit) > 1e-9 * merit[:-1])
        assert len(rises) <= 8
        assert merit[-1] < merit[0], "though the first weights are the lowest"


@pytest.mark.parametrize("count", COUNTS)
def test_it_settles_at_a_minimum(runs, count):
    """Karush, Kuhn and Tucker: what pins and pose pull for, only hard rows and joint limits hold back."""
    run = runs[count]
    character, q = run.solver.character, run.solved.q[0]
    kin = Kinematics(character, q)
    handles = [task.handle.bind(character) for task in run.solver.tasks]
    pull = POSE_WEIGHT * character.manifold.minus(q, character.rest_pose())  # hinges: flat
    for handle, target, gain in list(zip(handles, run.targets, run.gains))[2:]:
        weight = float(weight_of_gain(np.array(gain)))
        pull += weight * handle.error(handle.value(kin), target)[0] @ handle.jacobian(kin)[0]
    hard = np.concatenate([handle.jacobian(kin)[0] for handle in handles[:2]])
    low, high = q < character.lower + 1e-9, q > character.upper - 1e-9
    free = ~(low | high)
    force = np.linalg.lstsq(hard[:, free].T, -pull[free], rcond=None)[0]
    left = pull + force @ hard
    assert np.abs(left[free]).max() < 1e-7 * max(1.0, np.abs(pull).max())
    assert (left[low] > 0).all(), "a limit only pushes back"
    assert (left[high] < 0).all()


def test_the_same_bits_again(runs):
    again = pins.run(runs[4].solver.character, 4)
    assert np.array_equal(again.solved.q, runs[4].solved.q)
