"""Captures with faults of their own, and with one put in: found and mended, and nothing gets worse."""

from __future__ import annotations

import numpy as np
import pytest
from faults import slid

import poise
from poise.methods.adapt.plants.quality import manner
from poise.motion import operators
from poise.repair.accept import scores

RIGHT = ["RightFoot", "RightToeBase", "RightToeBase_end"]
LEG = ["RightUpLeg", "RightLeg", "RightFoot", "RightToeBase"]


@pytest.fixture(scope="module")
def capture(shared_data):
    def load(name: str, **options) -> poise.Clip:
        return poise.load(shared_data / "cmu_cgspeed_bvh" / f"{name}.bvh", **options)

    return load


@pytest.mark.parametrize("name", ["88_01", "143_01"])
def test_clips_that_play_twice_too_fast_are_brought_down_to_earth(capture, name):
    clip = capture(name)  # with the rest pose before the motion
    result = poise.fix(clip)
    assert result.clip.rate == 60
    # Short hops tell gravity to 15 %, and are left as they are.
    assert result.after.pace.gravity == pytest.approx(9.81, rel=0.15)
    assert all(f.score > 0.9 for o in result.outcomes for f in o.left), str(result)
    assert result.after.plausible
    np.testing.assert_array_equal(result.clip.q[0], clip.q[0])
    again = poise.check(result.clip).report
    assert again.plausible
    assert again.pace.gravity == pytest.approx(9.81, rel=0.15)


def only_gains(result):
    at = np.rint(result.sources).astype(int)
    assert result.after.score >= result.before.score
    assert (scores(result.after) >= scores(result.before)[at] - 0.02).all()
    assert manner(result.clip).knees <= 1.05 * manner(result.before.physics.clip).knees


def test_a_walk_gains_and_a_slide_of_three_centimetres_in_it_is_taken_back(capture):
    first = poise.fix(capture("02_01", drop_tpose="auto"))
    only_gains(first)
    walk = first.clip
    contact = next(c for c in first.after.contacts if c.part == "right foot" and c.start > 60)
    wrong = slid(walk, RIGHT, LEG, contact.start + 25, contact.start + 45, np.array([0.0, 0.03, 0.0]))
    result = poise.fix(wrong, ["skate"])
    assert result.before.of("skate")
    assert result.met, str(result)
    assert (scores(result.after) >= scores(result.before) - 1e-9).all()
    only_gains(result)


def test_an_everyday_capture_only_gains(capture):
    """Somebody who stands, and shifts from foot to foot."""
    only_gains(poise.fix(operators.trim(capture("80_08", drop_tpose="auto"), frames=(0, 299))))
