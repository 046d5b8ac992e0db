"""Following a clip: exactly while undisturbed, back on it in δ seconds after a disturbance."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.timed_pose import TimedPose
from poise.operations.values.disturbance import Impulse, Load, Push


def apart(result, clip):
    """How far the simulation is from the clip, [°] per step (S + 1,)."""
    off = clip.character.manifold.minus(result.trace.q, clip.at(result.trace.times))
    return np.degrees(np.abs(off[:, 6:]).max(axis=1))


@pytest.mark.parametrize("name", ["wave", "walk", "punch"])
def test_an_undisturbed_clip_is_followed(name):
    clip = clips.get(name)
    result = poise.perform(clip)
    assert apart(result, clip).max() < 1e-6
    assert result.clip.rate == clip.rate
    np.testing.assert_allclose(result.clip.q[5], clip.q[5], atol=1e-9)


@pytest.mark.parametrize("recovery", [0.2, 0.3, 0.5])
def test_back_on_the_clip_in_time(recovery):
    clip = clips.get("wave")
    result = poise.perform(
        clip, recovery=recovery, disturbances=[Impulse(0.4, "RightHandCentre", (3.0, 3.0, 0.0))]
    )
    off, t = apart(result, clip), result.trace.times
    assert off[t < 0.4].max() < 1e-6
    assert off[(t > 0.4) & (t < 0.4 + recovery)].max() > 5
    assert off[np.argmin(np.abs(t - 0.4 - recovery))] < 0.01
    assert off[t > 0.4 + recovery].max() < 0.2
    assert result.report.met
    assert [o.name for o in result.report.outcomes] == ["on the clip", "back on the clip after 0.400 s"]


def test_a_short_recovery_is_stiffer():
    clip, blow = clips.get("wave"), Impulse(0.4, "RightHandCentre", (3.0, 3.0, 0.0))
    soft, stiff = (poise.perform(clip, recovery=r, disturbances=[blow]) for r in (0.6, 0.15))
    assert apart(soft, clip).max() > 1.3 * apart(stiff, clip).max()
    assert stiff.torques.peak("RightArm") > soft.torques.peak("RightArm")


def test_recovery_after_a_push_counts_from_its_end():
    clip = clips.get("wave")
    result = poise.perform(clip, disturbances=[Push(0.4, 0.7, "RightHandCentre", (25.0, 0.0, 0.0))])
    off, t = apart(result, clip), result.trace.times
    assert off[(t > 0.45) & (t < 0.7)].max() > 2
    assert off[np.argmin(np.abs(t - 1.0))] < 0.05


def test_pushed_for_long_it_still_follows():
    """Other joints keep to the clip, and the pushed ones near it: nobody waits for the push to end."""
    clip = clips.get("wave")
    result = poise.perform(clip, disturbances=[Push(0.5, 1.5, "Chest", (20.0, 0.0, 0.0))])
    off, t = apart(result, clip), result.trace.times
    assert 0.2 < off[(t > 0.8) & (t < 1.5)].max() < 10
    assert off[np.argmin(np.abs(t - 1.8))] < 0.05
    assert result.report.met


def test_nobody_foresees_a_second_blow():
    clip = clips.get("wave")
    first, second = (Impulse(t, "RightHandCentre", (3.0, 0.0, 0.0)) for t in (0.5, 0.7))
    once, twice = poise.perform(clip, disturbances=[first]), poise.perform(clip, disturbances=[first, second])
    before = once.trace.times < 0.7
    np.testing.assert_array_equal(once.trace.q[before], twice.trace.q[: before.sum()])
    off, t = apart(twice, clip), twice.trace.times
    assert off[np.argmin(np.abs(t - 0.8))] > 1
    assert off[np.argmin(np.abs(t - 1.0))] < 0.01
    assert [o.name for o in twice.report.outcomes] == ["on the clip", "back on the clip after 0.700 s"]
    assert twice.report.met


def test_the_report_says_who_fell_off_the_clip():
    clip = clips.get("wave")
    result = poise.perform(clip, strength=5.0, duration=1.0)
    outcome = result.report.outcomes[0]
    assert not outcome.met
    assert outcome.error == pytest.approx(apart(result, clip).max(), rel=0.5)
    assert "Spine needs" in outcome.reason
    assert "and has 5" in outcome.reason
    assert any("not strong enough" in w for w in result.report.warnings)
    for control in ("composite", "manual"):
        assert not poise.perform(clip, control=control, duration=1.0).report.met


def test_a_blow_too_late_to_be_made_good_is_told():
    clip = clips.get("wave")
    blow = Impulse(0.9, "RightHandCentre", (3.0, 0.0, 0.0))
    result = poise.perform(clip, disturbances=[blow], duration=1.0)
    assert any("before the clip is found again after 0.900 s" in w for w in result.report.warnings)


def test_a_blow_after_the_end_is_told():
    blow = Impulse(5.0, "RightHandCentre", (3.0, 0.0, 0.0))
    result = poise.perform(clips.get("wave"), disturbances=[blow], duration=0.5)
    assert any("not at 5 s" in w for w in result.report.warnings)


def test_a_weight_that_is_known_disturbs_nobody():
    clip = clips.get("wave")
    pack = Load(0.5, "Chest", 5.0, (-0.15, 0.0, 0.1))
    assert apart(poise.perform(clip, disturbances=[pack]), clip).max() < 0.05


def test_a_fixed_root_stays():
    clip = clips.get("walk")
    result = poise.perform(clip, root="fixed", duration=0.6)
    assert np.ptp(result.trace.q[:, :7], axis=0).max() < 1e-9
    assert apart(result, clip).max() < 1e-6
    moved = poise.perform(clip, root="prescribed", duration=0.6).trace
    np.testing.assert_allclose(moved.q[:, :3], clip.at(moved.times)[:, :3], atol=1e-9)


def test_a_weight_that_nobody_knows_of_pulls_for_good():
    clip = clips.get("wave")
    light, heavy = (
        poise.perform(clip, disturbances=[Load(0.5, "RightHand", 2.0, (0, -0.1, 0), known=known)])
        for known in (True, False)
    )
    late = light.trace.times > 1.0
    assert apart(light, clip)[late].max() < 0.05
    assert apart(heavy, clip)[late].max() > 0.5


def test_keys_take_joints_off_the_clip_and_give_them_back():
    clip = clips.get("walk")
    character = clip.character
    up = JointPose.from_degrees(character, {"LeftArm": (10, 0, 0), "LeftForeArm": 20}, name="wave")
    result = poise.perform(clip, [TimedPose(up, 0.6, lead=0.4)], duration=1.2)
    assert result.arrivals[0].error < 0.01
    off = character.manifold.minus(result.trace.q, clip.at(result.trace.times))
    others = np.r_[6 : character.dofs("LeftArm").start, character.dofs("LeftHand").stop : character.nv]
    assert np.degrees(np.abs(off[:, others]).max()) < 1e-6
    arm = np.degrees(np.abs(off[:, character.dofs("LeftArm")]).max(axis=1))
    t = result.trace.times
    assert arm[t < 0.2].max() < 1e-6
    assert arm[t > 0.6 + 0.3 - 1e-9].max() < 0.2
    assert arm.max() > 30
