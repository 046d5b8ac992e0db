"""Fig. 9: a door knob at the end of a walk; feet that may move take longer steps."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example


@pytest.fixture(scope="module")
def module():
    return example("44_adapt_door_knob")


@pytest.fixture(scope="module")
def door(module):
    return module.scene()


def test_the_hand_is_at_the_knob_either_way(module, door):
    for result in (door.fixed, door.free):
        assert np.linalg.norm(module.path(result.clip, module.HAND)[-1] - door.knob) < 1e-4
        assert result.report.met
    assert np.linalg.norm(module.path(door.before, module.HAND)[-1] - door.knob) > 0.8


def test_no_foot_skids(module, door):
    for result in (door.fixed, door.free):
        assert module.planted(result.clip, result.plants).max() < 5e-4
        assert result.report.details["manner"]["slide"][1] < 1e-3


def test_it_takes_longer_steps(door):
    before, after = door.steps(door.plants), door.steps(door.free.plants)
    assert (after > before + 0.02).all()
    assert after.sum() > before.sum() + 0.15
    assert door.free.plants[0].place == door.plants[0].place  # the first was not free


def test_longer_steps_save_half_the_bow(door):
    assert 0.1 < door.bow(door.free.clip) < 0.6 * door.bow(door.fixed.clip)
    assert door.free.descents[0].cost < 0.75 * door.fixed.descents[0].cost
