"""Going on from an earlier answer is for targets that moved in space: anything else is asked afresh."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import hit as search
from poise.methods.loosen.hit.hit import same_but_targets
from poise.operations.hit import Hit

PUNCH = clips.get("punch")
FRAME = 51
PLACE = Kinematics(PUNCH.character, PUNCH.q).point("RightHandCentre")[FRAME]


def fist(frame: int = FRAME, **options) -> c.Constraint:
    return c.pin("RightHandCentre", PLACE, float(PUNCH.times[frame]), **options)


@pytest.fixture(scope="module")
def first():
    return poise.hit(PUNCH, [fist()], "relaxed", 0.3)


def test_only_targets_may_differ(first):
    other_place = c.pin("RightHandCentre", PLACE + 0.01, float(PUNCH.times[FRAME]))
    assert same_but_targets(first.problem, PUNCH, [other_place])
    for name, asked in {
        "time": [fist(FRAME + 4)],
        "handle": [c.pin("LeftHandCentre", PLACE, float(PUNCH.times[FRAME]))],
        "priority": [fist(priority=1)],
        "number": [fist(), fist(FRAME + 4)],
        "norm": [fist(norm=True)],
    }.items():
        assert not same_but_targets(first.problem, PUNCH, asked), name
    assert not same_but_targets(first.problem, PUNCH.with_q(PUNCH.q), [fist()]), "another clip"


def test_a_target_moved_in_time_is_met_at_its_new_time(first):
    """The answer is the one found without a start, to the bit."""
    moved = [fist(FRAME + 4)]
    warm = search(PUNCH, moved, Hit(constraints=(), window=0.3), start=first)
    cold = poise.hit(PUNCH, moved, "relaxed", 0.3)
    np.testing.assert_array_equal(warm.solution.x, cold.solution.x)
    there = Kinematics(PUNCH.character, warm.clip.q[FRAME + 4]).point("RightHandCentre")[0]
    assert np.linalg.norm(there - PLACE) < 1e-8
