"""Following a clip: exactly while undisturbed, back on it in δ seconds after a disturbance."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.methods.timing import Impulse, Key, Load, Pose, Push, play


def apart(result, clip):
    """How far the simulation is from the clip, [°] per step (S + 1,)."""
    off = clip.character.manifold.minus(result.trace.q, clip.at(result.trace.times))
    return np.degrees(np.abs(off[:, 6:]).max(axis=1))


@pytest.mark.parametrize("name", ["wave", "walk", "punch"])
def test_an_undisturbed_clip_is_followed(name):
    clip = clips.get(name)
    result = play(clip)
    assert apart(result, clip).max() < 1e-6
    assert result.clip.rate == clip.rate
    np.testing.assert_allclose(result.clip.q[5], clip.q[5], atol=1e-9)


@pytest.mark.parametrize("recovery", [0.2, 0.3, 0.5])
def test_back_on_the_clip_in_time(recovery):
    clip = clips.get("wave")
    result = play(clip, recovery=recovery, perturbations=[Impulse(0.4, "RightHandCentre", (3.0, 3.0, 0.0))])
    off, t = apart(result, clip), result.trace.times
    assert off[t < 0.4].max() < 1e-6
    assert off[(t > 0.4) & (t < 0.4 + recovery)].max() > 5
    assert off[np.argmin(np.abs(t - 0.4 - recovery))] < 0.01
    assert off[t > 0.4 + recovery].max() < 0.2
    assert result.report.met
    assert "back on the clip" in result.report.outcomes[0].name


def test_a_short_recovery_is_stiffer():
    clip, blow = clips.get("wave"), Impulse(0.4, "RightHandCentre", (3.0, 3.0, 0.0))
    soft, stiff = (play(clip, recovery=r, perturbations=[blow]) for r in (0.6, 0.15))
    assert apart(soft, clip).max() > 1.3 * apart(stiff, clip).max()
    assert stiff.torques.peak("RightArm") > soft.torques.peak("RightArm")


def test_recovery_after_a_push_counts_from_its_end():
    clip = clips.get("wave")
    result = play(clip, perturbations=[Push(0.4, 0.7, "RightHandCentre", (25.0, 0.0, 0.0))])
    off, t = apart(result, clip), result.trace.times
    assert off[(t > 0.45) & (t < 0.7)].max() > 2
    assert off[np.argmin(np.abs(t - 1.0))] < 0.05


def test_a_weight_that_nobody_knows_of_pulls_for_good():
    clip = clips.get("wave")
    light, heavy = (
        play(clip, perturbations=[Load(0.5, "RightHand", 2.0, (0, -0.1, 0), known=known)])
        for known in (True, False)
    )
    late = light.trace.times > 1.0
    assert apart(light, clip)[late].max() < 0.05
    assert apart(heavy, clip)[late].max() > 0.5


def test_keys_take_joints_off_the_clip_and_give_them_back():
    clip = clips.get("walk")
    character = clip.character
    up = Pose.from_degrees(character, {"LeftArm": (10, 0, 0), "LeftForeArm": 20}, name="wave")
    result = play(clip, [Key(up, 0.6, lead=0.4)], duration=1.2)
    assert result.arrivals[0].error < 0.01
    off = character.manifold.minus(result.trace.q, clip.at(result.trace.times))
    others = np.r_[6 : character.dofs("LeftArm").start, character.dofs("LeftHand").stop : character.nv]
    assert np.degrees(np.abs(off[:, others]).max()) < 1e-6
    arm = np.degrees(np.abs(off[:, character.dofs("LeftArm")]).max(axis=1))
    t = result.trace.times
    assert arm[t < 0.2].max() < 1e-6
    assert arm[t > 0.6 + 0.3 - 1e-9].max() < 0.2
    assert arm.max() > 30
