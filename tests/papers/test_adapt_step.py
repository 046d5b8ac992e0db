"""Fig. 7 and 8: one drag puts a whole foot plant on a step; a displacement map floats to it."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.methods.adapt.plants.detect import move_plant


@pytest.fixture(scope="module")
def module():
    return example("43_adapt_step")


@pytest.fixture(scope="module")
def step(module):
    return module.scene()


def test_the_foot_stands_on_the_step_and_the_others_where_they_were(module, step):
    assert step.ours.report.met, str(step.ours.report)
    assert module.planted(step.ours.clip, step.moved).max() < 5e-4
    assert module.planted(step.before, step.moved)[module.STEP] > 0.15


def test_one_drag_is_enough(module, step):
    """While it goes on all feet stand, to what the eye sees, and come along with the pointer."""
    for k, result in enumerate(step.dragged, 1):
        here = move_plant(step.plants, module.STEP, lift=module.HEIGHT * k / module.MOVES)
        assert module.planted(result.clip, here).max() < (3e-3 if k > 2 else 1e-2), k


def test_a_map_floats(module, step):
    """It is right at one frame, off by most of the step while the foot should stand, and lifts other feet."""
    off = module.planted(step.mapped, step.moved)
    assert off[module.STEP] > 0.8 * module.HEIGHT
    assert np.delete(off, module.STEP).max() > 0.1
    heel = next(iter(step.plants[module.STEP].intervals))
    assert module.path(step.mapped, heel)[:, 2].max() > module.HEIGHT


def test_no_sole_goes_through_the_step(module, step):
    assert step.within(step.ours.clip) < 2e-3
    assert step.within(step.mapped) > 0.1


def test_the_walk_is_still_the_walk(module, step):
    manner = step.ours.report.details["manner"]
    assert manner["knees"][1] < 1.1 * manner["knees"][0]
    assert manner["jerk"][1] < 1.2 * manner["jerk"][0]
    assert not step.ours.report.details["limits"]
