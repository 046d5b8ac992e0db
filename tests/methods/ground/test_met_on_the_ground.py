"""What a report tells of a grounded motion is so on the ground, or the motion stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.constraints import pin
from poise.kinematics import Kinematics


def test_a_mark_that_is_hit_is_hit_by_the_clip_that_is_handed_out():
    reach = clips.get("reach")
    hand = reach.character.index("RightHand")
    place = Kinematics(reach.character, reach.q[40:41]).positions[0, hand] + [0.1, 0.0, 0.05]
    mark = pin("RightHand", place, 40 / 60)
    made = poise.hit(reach, [mark], "loose", grounded=True)
    there = Kinematics(reach.character, made.clip.q[40:41]).positions[0, hand]
    (told,) = made.report.outcomes
    assert told.error == pytest.approx(np.linalg.norm(there - place), abs=1e-9)
    assert told.met == (told.error <= told.tolerance)
    if made.ground is None:  # grounding would miss it
        assert not made.met
        assert "would be off by" in made.report.warnings[-1]
        np.testing.assert_array_equal(made.clip.q, poise.hit(reach, [mark], "loose").clip.q)


def test_feet_and_limbs_of_a_retarget_are_measured_on_the_ground():
    made = poise.retarget(clips.get("jump"), "biped180", grounded=True)
    told = {o.name: o for o in made.report.outcomes}
    for demand in made.demands:
        now = poise.constraints.report.measure(demand, made.clip)
        assert told[demand.name].met <= (now.error <= 1.01 * now.tolerance), (demand.name, now.error)
    lines = [line.outcome() for line in made.table]
    assert all(told[line.name].error == pytest.approx(line.error) for line in lines)
    if made.ground is None:
        assert not made.met
        assert "would be off by" in made.report.warnings[-1]
