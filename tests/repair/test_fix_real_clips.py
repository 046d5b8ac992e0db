"""Captures with faults of their own, and with faults put into them: found, mended, and nothing else moved."""

from __future__ import annotations

import numpy as np
import pytest
from faults import hurried, kicked, slid, sunk
from test_fix import changed, jerk

import poise
from poise.kinematics import Kinematics
from poise.methods.adaptation import manner
from poise.plausibility import check
from poise.repair import fix
from poise.repair.judgement import scores

RIGHT = ["RightFoot", "RightToeBase", "RightToeBase_end"]
LEG = ["RightUpLeg", "RightLeg", "RightFoot", "RightToeBase"]


@pytest.fixture(scope="module")
def capture(shared_data):
    def load(name: str, **options) -> poise.Clip:
        return poise.load(shared_data / "cmu_cgspeed_bvh" / f"{name}.bvh", **options)

    return load


@pytest.fixture(scope="module")
def jump(capture):
    """The jump, free of its own small slide."""
    clean = fix(capture("16_01", drop_tpose="auto")).clip
    assert not check(clean).findings
    return clean


@pytest.fixture(scope="module")
def broken(jump):
    """A sink of 5 cm, a kick in the air, a foot that slides after landing, a flight 1.3 times too fast."""
    wrong = kicked(sunk(jump, 20, 70, 0.05), 132, 170, 0.3)
    wrong = slid(wrong, RIGHT, LEG, 250, 285, np.array([0.09, 0.02, 0.0]))
    return hurried(wrong, 128, 174, 1.3)


@pytest.fixture(scope="module")
def mended(broken):
    return fix(broken[0])


def test_every_fault_is_found_and_mended(broken, mended):
    before = check(broken[0])
    for kind in ("gravity", "penetration", "spin", "skate"):
        assert before.of(kind), kind
    assert mended.mended, str(mended)
    assert {"time", "floor", "skate", "spin"} <= {o.repair for o in mended.outcomes if o.done}
    assert not mended.after.findings, str(mended.after)
    assert mended.after.pace.gravity == pytest.approx(9.81, rel=0.05)
    assert "the flight played 1.3" in mended.outcomes[0].words


def test_frames_that_were_right_are_the_same(broken, mended):
    wrong, _ = broken
    frames = changed(mended, wrong)
    more = mended.clip.frames - wrong.frames
    blend = 20  # frames, a sixth of a second
    faulty = [(20, 70), (128, 174), (250 - 11 + more, mended.clip.frames)]
    for f in frames:
        assert any(a - blend <= f <= b + blend for a, b in faulty), f
    np.testing.assert_array_equal(mended.clip.q[90:108], wrong.q[90:108])
    np.testing.assert_array_equal(mended.clip.q[195 + more : 215 + more], wrong.q[195:215])


def test_no_phase_is_less_plausible_than_it_was(broken, mended):
    at = np.rint(mended.sources).astype(int)
    for phase in mended.before.phases:
        inside = (at >= phase.start) & (at <= phase.end)
        assert mended.after.curve[inside].min() >= phase.score
    assert (scores(mended.after) >= scores(mended.before)[at]).all()


def test_repairs_have_no_seams(jump, broken, mended):
    assert jerk(mended.clip) <= max(jerk(jump), jerk(broken[0])) * 1.001
    assert manner(mended.clip).knees <= 1.05 * max(manner(jump).knees, manner(broken[0]).knees)

    # About the seams themselves: the velocity of the centre of mass jumps no more than in the clean capture.
    def steps(clip):
        return np.linalg.norm(np.diff(Kinematics(clip.character, clip.q).com, 2, axis=0), axis=1) / clip.dt

    assert steps(mended.clip).max() <= 1.1 * steps(jump).max()


@pytest.mark.parametrize("name", ["88_01", "143_01"])
def test_clips_that_play_twice_too_fast_are_brought_down_to_earth(capture, name):
    clip = capture(name)  # with the rest pose before the motion
    result = fix(clip)
    assert result.clip.rate == 60
    assert result.after.pace.gravity == pytest.approx(9.81, rel=0.05)
    assert result.mended, str(result)
    assert result.after.plausible
    np.testing.assert_array_equal(result.clip.q[0], clip.q[0])
    again = check(result.clip)
    assert again.plausible
    assert again.pace.gravity == pytest.approx(9.81, rel=0.06)


def test_a_slide_of_three_centimetres_in_a_walk(capture):
    walk = fix(capture("02_01", drop_tpose="auto")).clip
    contact = next(c for c in check(walk).contacts if c.part == "right foot" and c.start > 60)
    wrong = slid(walk, RIGHT, LEG, contact.start + 25, contact.start + 45, np.array([0.0, 0.03, 0.0]))
    before = check(wrong)
    assert before.of("skate")
    result = fix(wrong)
    assert result.mended, str(result)
    assert not result.after.of("skate")
    assert (scores(result.after) >= scores(before) - 1e-9).all()
    assert manner(result.clip).knees <= 1.05 * manner(wrong).knees


@pytest.mark.parametrize("name", ["02_01", "80_08"])
def test_everyday_captures_only_gain(capture, name):
    clip = capture(name, drop_tpose="auto")
    result = fix(clip)
    assert result.after.score >= result.before.score
    at = np.rint(result.sources).astype(int)
    assert (scores(result.after) >= scores(result.before)[at] - 0.02).all()
    assert manner(result.clip).knees <= 1.05 * manner(clip).knees
