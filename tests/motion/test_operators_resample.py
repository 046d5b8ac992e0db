"""Resampling: exact rates, bits, order of convergence, loops."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from motion_cases import CHARACTERS, analytic, apart, biped, crane, sampled

from poise.character import Body, Character, Joint
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.motion.operators import resample, unroll


@pytest.mark.parametrize("name", CHARACTERS)
@pytest.mark.parametrize("loop", [False, True])
def test_four_times_and_back_is_the_same_bits(name, loop):
    character = CHARACTERS[name]()
    clip = sampled(
        character, analytic(character), "24000/1001", 33, loop=loop, travel=Travel((0.4, 0.1, 0), 0.3)
    )
    up = resample(clip, clip.rate * 4)
    assert up.frames == (132 if loop else 129)
    assert up.rate == Fraction(96000, 1001)
    assert up.duration == clip.duration
    back = resample(up, "24000/1001")
    assert back.rate == clip.rate
    np.testing.assert_array_equal(back.q, clip.q)
    assert resample(clip, clip.rate) is clip


@pytest.mark.parametrize("name", CHARACTERS)
def test_cubic_converges_at_third_order_or_better(name):
    character = CHARACTERS[name]()
    motion = analytic(character, 3)
    errors = []
    for rate in (20, 40, 80):
        fine = resample(sampled(character, motion, rate, rate + 1), 960)
        errors.append(apart(character, fine.q, motion(fine.times)))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 2.8).all(), (errors, orders)
    assert errors[-1] < 2e-3


def test_linear_converges_at_second_order():
    character = biped()
    motion = analytic(character, 3)
    errors = [
        apart(
            character,
            (fine := resample(sampled(character, motion, r, r + 1), 960, "linear")).q,
            motion(fine.times),
        )
        for r in (40, 80)
    ]
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.2


def test_frame_rates_of_one_motion_agree():
    character = biped()
    motion = analytic(character, 5, harmonics=1)
    at24 = [resample(sampled(character, motion, rate, rate * 2 + 1), 24) for rate in (30, 60, 120)]
    assert len({c.frames for c in at24}) == 1
    truth = motion(at24[0].times)
    errors = [apart(character, c.q, truth) for c in at24]
    assert errors[0] < 2e-2
    assert errors[1] < errors[0] / 6
    assert errors[2] < errors[1] / 6


def test_rotations_by_many_turns_go_the_short_way_between_frames():
    """A spin sampled at 30 fps, its quaternions' signs scrambled: Euler wraps and signs do not matter."""
    character = crane()
    rng = np.random.default_rng(1)

    def motion(t):
        q = np.tile(character.rest_pose(), (len(t), 1))
        q[:, :4] = so3.exp(np.multiply.outer(t, [0.0, 0.0, 2 * np.pi * 3]))
        return q

    clip = sampled(character, motion, 30, 61)
    signs = clip.q.copy()
    signs[:, :4] *= rng.choice([-1.0, 1.0], size=(61, 1))
    fine = resample(clip.with_q(signs), 300)
    assert apart(character, fine.q, motion(fine.times)) < 1e-12


def test_plain_clips_end_at_the_last_frame_within_them():
    character = crane()
    motion = analytic(character)
    clip = sampled(character, motion, 30, 20)  # 19/30 s
    new = resample(clip, 24)
    assert new.frames == 16  # 15/24 = 0.625 <= 0.6333
    covered = resample(clip, 24, cover=True)
    assert covered.frames == 17
    np.testing.assert_array_equal(covered.q[-1], clip.q[-1])
    np.testing.assert_array_equal(covered.q[:-1], new.q)


def test_exact_ntsc_rates_do_not_drift():
    character = crane()
    motion = analytic(character, harmonics=1, base=0.5)
    clip = sampled(character, motion, 30, 30 * 100 + 1)
    ntsc = resample(clip, "30000/1001")
    assert ntsc.frames == int(Fraction(3000, 30) * Fraction(30000, 1001)) + 1
    assert ntsc.times[-1] == float((ntsc.frames - 1) * Fraction(1001, 30000))
    assert apart(character, ntsc.q, motion(ntsc.times)) < 1e-3


class TestLoops:
    def make(self, frames=32, rate=30):
        character = biped()
        motion = analytic(character, 7, base=rate / frames)
        return character, motion, sampled(character, motion, rate, frames, loop=True)

    def test_whole_numbers_of_frames_keep_the_period_exactly(self):
        _, _, clip = self.make(30, 30)
        new = resample(clip, 24)
        assert new.loop
        assert new.frames == 24
        assert Fraction(new.frames) / new.rate == Fraction(clip.frames) / clip.rate
        assert new.source is None

    def test_otherwise_the_rate_is_kept_and_the_cycle_fitted(self):
        character, motion, clip = self.make(32, 30)  # 25.6 frames at 24
        new = resample(clip, 24)
        assert (new.rate, new.frames, new.loop) == (24, 26, True)
        assert "fitted to 26 frames" in new.source.notes[-1]
        assert apart(character, new.q, motion(np.arange(26) / 26 * clip.duration)) < 0.02
        # The seam is a step like any other.
        steps = character.manifold.minus(np.roll(new.q, -1, axis=0), new.q)
        truth = np.array([motion(np.array([k, k + 1]) / 26 * clip.duration) for k in range(26)])
        expected = character.manifold.minus(truth[:, 1], truth[:, 0])
        assert np.abs(steps - expected).max() < 0.03

    def test_or_the_period_is_kept_and_the_rate_fitted(self):
        _, _, clip = self.make(32, 30)
        new = resample(clip, 24, keep="period")
        assert new.frames == 26
        assert Fraction(new.frames) / new.rate == Fraction(32, 30)
        np.testing.assert_array_equal(new.q, resample(clip, 24).q)

    def test_travel_is_kept_and_the_unrolled_loop_agrees(self):
        character, _, clip = self.make(30, 30)
        clip = clip.replaced(travel=Travel((0.5, 0.1, 0.0), 0.4))
        long = unroll(resample(clip, 60), 3)
        fine = resample(unroll(clip, 3), 60)
        assert long.frames == fine.frames
        inner = slice(2, -2)  # the plain clip has one-sided velocities at its ends
        assert apart(character, long.q[inner], fine.q[inner]) < 1e-12

    def test_a_loop_of_one_frame_stays_one(self):
        character = crane()
        clip = Clip(character, character.rest_pose()[None], 30, loop=True)
        assert resample(clip, 12).frames == 1
        assert resample(clip, 90).frames == 3


def test_one_frame_and_nonsense():
    character = Character("dot", [Body("dot", None, Joint.fixed())])
    clip = Clip(character, np.zeros((1, 0)), 30)
    assert resample(clip, 60).frames == 1
    with pytest.raises(InputError, match="positive"):
        resample(clip, -3)
    with pytest.raises(UnknownNameError, match="quadratic"):
        resample(clip, 60, "quadratic")
    with pytest.raises(UnknownNameError, match="rate, period"):
        resample(clip, 60, keep="frames")
