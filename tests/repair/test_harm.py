"""What harms is seen by plain placement, whatever a solver or a check thinks of it."""

from __future__ import annotations

import numpy as np
import pytest
from faults import bump, sunk

import poise
from poise import clips
from poise.character.labels import roles
from poise.manifold import so3
from poise.plausibility.finding import Finding
from poise.repair.harm import harms

CLIP = clips.get("reach")
REPORT = poise.check(CLIP, floor=0.0).report
FOOT = Finding("skate", 50, 70, "left foot", 0.05, "m", 0.0, 0.7, "left foot slides")


def turned(role: str, angle: float, first: int, last: int) -> poise.Clip:
    """A joint turned for a while."""
    q = np.array(CLIP.q)
    body = roles(CLIP.character)[role]
    manifold = CLIP.character.manifold
    d = np.zeros((CLIP.frames, CLIP.character.nv))
    d[:, CLIP.character.dofs(body)] = angle * bump(CLIP.frames, first, last, 10)[:, None]
    return CLIP.with_q(np.where((d != 0).any(axis=1)[:, None], manifold.plus(q, d), q))


def jumping(role: str, angle: float) -> poise.Clip:
    """A joint turned in three frames."""
    span = CLIP.character.coordinates(roles(CLIP.character)[role])
    q = np.array(CLIP.q)
    q[64:67, span] = so3.multiply(q[64:67, span], so3.exp(np.array([angle, 0.0, 0.0])))
    return CLIP.with_q(q)


def test_nothing_changed_harms_nothing():
    assert harms(REPORT, CLIP, [FOOT]) == []


def test_a_joint_that_moves_where_nothing_is_wrong_is_seen():
    found = harms(REPORT, turned("right upper_arm", 0.2, 90, 130), [FOOT])
    assert len(found) == 1
    assert "where nothing is wrong" in found[0].words
    assert 90 <= found[0].first <= found[0].at <= found[0].last <= 130
    assert harms(REPORT, turned("right upper_arm", 0.002, 90, 120), [FOOT]) == []


def test_an_elbow_that_is_thrown_for_a_foot_that_hardly_moves_is_seen():
    found = harms(REPORT, turned("right upper_arm", 0.1, 52, 68), [FOOT])
    assert found
    assert "for a foot that hardly does" in found[0].words


def test_a_joint_that_goes_further_than_a_foot_is_off_is_seen():
    found = harms(REPORT, turned("left thigh", 0.3, 52, 68), [FOOT])
    assert found
    assert "for 5.0 cm" in found[0].words


def test_feet_that_slide_faster_are_seen():
    q = np.array(CLIP.q)
    q[:, :3] += 0.02 * bump(CLIP.frames, 45, 75, 10)[:, None] * [1.0, 0.0, 0.0]
    found = harms(REPORT, CLIP.with_q(q), [FOOT])
    assert found
    assert "slide" in found[0].words


def test_feet_that_sink_deeper_are_seen():
    found = harms(REPORT, sunk(CLIP, 45, 75, 0.02), [FOOT])
    assert found
    assert "deeper" in found[0].words


def test_roughness_is_seen():
    q = np.array(CLIP.q)
    own = roles(CLIP.character)["head"]
    span = CLIP.character.coordinates(own)
    rng = np.random.default_rng(1)
    noise = 0.02 * rng.normal(size=(20, CLIP.character.nv))
    q[52:72] = CLIP.character.manifold.plus(q[52:72], noise * np.isin(CLIP.character.dof_body, [own]))
    assert (q[52:72, span] != CLIP.q[52:72, span]).any()
    found = harms(REPORT, CLIP.with_q(q), [FOOT])
    assert found
    assert "jerk" in found[0].words


def test_a_jump_whose_height_changes_is_seen():
    jump = clips.get("jump")
    report = poise.check(jump).report
    phase = report.flights[0]
    q = np.array(jump.q)
    q[:, 2] += 0.05 * bump(jump.frames, phase.start, phase.end, 8)
    beside = Finding("skate", phase.start, phase.end, "left foot", 0.1, "m", 0.0, 0.7, "left foot slides")
    found = harms(report, jump.with_q(q), [beside])
    assert found
    assert "height" in found[0].words


@pytest.mark.parametrize("frame", [40, 90])
def test_what_is_put_right_is_no_harm(frame):
    """A frame that pops, made anew."""
    q = np.array(CLIP.q)
    q[frame, 3:7] = so3.multiply(q[frame, 3:7], so3.exp(np.array([0.2, 0.0, 0.0])))
    wrong = CLIP.with_q(q)
    before = poise.check(wrong, floor=0.0).report
    assert harms(before, CLIP, before.of("pop")) == []


def test_a_limb_that_is_thrown_is_seen_beside_one_that_is_put_right():
    """An arm that pops is put right, the other is thrown: all joints together jerk less than before."""
    wrong = jumping("left upper_arm", 1.2)
    thrown = jumping("right upper_arm", 0.1)
    before = poise.check(wrong, floor=0.0).report
    pops = before.of("pop")
    assert pops
    assert harms(before, CLIP, pops) == []
    (found,) = harms(before, thrown, pops)
    assert "Right" in found.words
    assert "jerk" in found.words
