"""Joint limits of performers: elbows do not bend backwards, whoever controls and whatever hits them."""

import numpy as np
import pytest

import poise
from poise import clips
from poise.character.anatomy import felt_limits
from poise.operations.values.disturbance import Impulse, Push

BLOWS = [
    Impulse(time=0.5, point="RightHand", impulse=(0.0, 40.0, -30.0)),
    Push(start=0.7, end=0.8, point="LeftHand", force=(-600.0, 320.0, 400.0)),
]


def past(clip, allowed=None):
    """Farthest past a limit, or past what was asked for there [deg]."""
    character = clip.character
    rest, neutral = character.dofs(0).stop, character.manifold.neutral()
    lower, upper = (x[rest:] for x in felt_limits(character))
    if allowed is not None:
        asked = character.manifold.minus(allowed, neutral)[:, rest:]
        lower, upper = np.minimum(lower, asked.min(axis=0)), np.maximum(upper, asked.max(axis=0))
    x = character.manifold.minus(clip.q, neutral)[:, rest:]
    return float(np.degrees(np.maximum(np.maximum(x - upper, lower - x), 0.0).max()))


@pytest.mark.parametrize(
    "options", [{}, {"strength": 40.0}, {"control": "composite"}, {"control": "local"}, {"step": 0.005}]
)
def test_blows_bend_no_joint_backwards(options):
    punch = clips.get("punch")
    free = poise.perform(punch, disturbances=BLOWS, joint_limits=False, **options).clip
    kept = poise.perform(punch, disturbances=BLOWS, **options).clip
    assert past(free) > 25
    assert past(kept) <= 2.0


def test_weak_arms_that_fall_keep_to_their_limits():
    free, kept = (
        poise.perform(script="conducting", strength=5.0, joint_limits=x).clip for x in (False, True)
    )
    assert past(free) > 100
    assert past(kept) <= 2.0


def test_who_is_near_no_limit_does_the_same():
    free, kept = (poise.perform(script="conducting", joint_limits=x).clip for x in (False, True))
    np.testing.assert_allclose(kept.q, free.q, atol=1e-12)


def test_poses_beyond_a_limit_are_reached_on_time():
    result = poise.perform(script="ymca")
    assert past(result.clip) > 2.0  # the script asks for it
    assert result.met


def test_the_same_again_to_the_bit():
    punch = clips.get("punch")
    one, two = (poise.perform(punch, disturbances=BLOWS).clip.q for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_the_step_does_not_matter():
    punch = clips.get("punch")
    fine, finer = (poise.perform(punch, disturbances=BLOWS, step=h).clip for h in (0.002, 0.001))
    away = np.abs(punch.character.manifold.minus(fine.q, finer.q)).max()
    freely = [
        poise.perform(punch, disturbances=BLOWS, step=h, joint_limits=False).clip for h in (0.002, 0.001)
    ]
    assert away < 3 * np.abs(punch.character.manifold.minus(freely[0].q, freely[1].q)).max() + 0.02
