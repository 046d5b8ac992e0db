"""Smoothing and despiking: frequency response in closed form, what passes unchanged, glitches."""

from __future__ import annotations

import numpy as np
import pytest
from motion_cases import CHARACTERS, analytic, apart, biped, crane, sampled

from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.motion.operators import despike, smooth, unroll
from poise.motion.operators.smooth import gaussian_weights


def hinge_loop(hertz, rate=60, seconds=4, amplitude=0.7):
    """A hinge that swings in a sine, in a loop of whole periods."""
    character = crane()
    t = np.arange(rate * seconds) / rate
    q = np.tile(character.rest_pose(), (len(t), 1))
    q[:, 4] = amplitude * np.sin(2 * np.pi * hertz * t + 0.3)
    return Clip(character, q, rate, loop=True)


class TestResponse:
    @pytest.mark.parametrize("hertz", [0.5, 2.0, 5.0, 12.0, 25.0])
    @pytest.mark.parametrize("sigma", [0.004, 0.02, 0.05, 0.2])
    def test_a_sine_is_scaled_by_the_closed_form(self, hertz, sigma):
        clip = hinge_loop(hertz)
        s = (sigma * 60) ** 2
        gain = np.exp(-s * (1 - np.cos(2 * np.pi * hertz / 60)))
        np.testing.assert_allclose(smooth(clip, sigma=sigma).q[:, 4], gain * clip.q[:, 4], atol=2e-10)

    @pytest.mark.parametrize("rate", [30, 60, 120, 480])
    def test_the_cutoff_is_at_half_power_at_every_rate(self, rate):
        clip = hinge_loop(4.0, rate)
        np.testing.assert_allclose(smooth(clip, cutoff=4.0).q[:, 4], clip.q[:, 4] / np.sqrt(2), atol=2e-10)

    def test_it_tends_to_the_gaussian(self):
        clip = hinge_loop(3.0, 480)
        gain = np.exp(-((2 * np.pi * 3.0 * 0.05) ** 2) / 2)
        got = np.abs(smooth(clip, sigma=0.05).q[:, 4]).max() / np.abs(clip.q[:, 4]).max()
        assert got == pytest.approx(gain, rel=1e-4)

    def test_a_ball_about_one_axis_is_filtered_like_a_hinge(self):
        clip = hinge_loop(3.0)
        axis = np.array([0.36, 0.48, 0.8])
        q = clip.q.copy()
        q[:, :4] = so3.multiply(so3.exp([0.4, -0.2, 0.9]), so3.exp(clip.q[:, 4:] * axis))
        out = smooth(clip.with_q(q), sigma=0.05)
        angle = so3.log(so3.multiply(so3.conjugate(so3.exp([0.4, -0.2, 0.9])), out.q[:, :4]))
        np.testing.assert_allclose(angle, out.q[:, 4:] * axis, atol=1e-11)

    def test_smoothing_twice_adds_variances(self):
        clip = hinge_loop(3.0)
        twice = smooth(smooth(clip, sigma=0.03), sigma=0.04)
        np.testing.assert_allclose(twice.q, smooth(clip, sigma=0.05).q, atol=1e-9)


class TestUnchanged:
    @pytest.mark.parametrize("name", CHARACTERS)
    def test_held_poses_and_steady_motion(self, name, rng):
        character = CHARACTERS[name]()
        start = character.manifold.random(rng)
        held = Clip(character, np.tile(start, (20, 1)), 30)
        assert apart(character, smooth(held, sigma=0.2).q, held.q) < 1e-14
        # Constant velocity, in every joint at once, several turns within the neighbourhood.
        v = rng.normal(size=character.nv) * 12.0
        steady = Clip(character, character.manifold.plus(start, np.multiply.outer(np.arange(60) / 30, v)), 30)
        for sigma in (0.05, 0.3):
            assert apart(character, smooth(steady, sigma=sigma).q, steady.q) < 1e-10

    def test_ends_stay(self):
        character = biped()
        clip = sampled(character, analytic(character, 3), 60, 61)
        out = smooth(clip, cutoff=3.0)
        assert apart(character, out.q[[0, -1]], clip.q[[0, -1]]) < 1e-12
        assert apart(character, out.q, clip.q) > 0.05

    def test_a_walk_on_a_circle_in_a_loop(self):
        """Steady travel is steady motion: only what repeats is filtered, without a seam."""
        character = biped()
        travel = Travel((0.8, 0.2, 0.0), 0.5)
        phase = np.arange(30) / 30
        q = analytic(character, 4, size=0.2)(phase)
        clip = Clip(character, travel.apply(character, q, phase), 30, loop=True, travel=travel)
        out = smooth(clip, sigma=0.04)
        assert out.loop
        long = smooth(unroll(clip, 9), sigma=0.04).q[120:151]
        assert apart(character, unroll(smooth(clip, sigma=0.04)).q, travel.apply(character, long, -4)) < 1e-8

    def test_other_joints_keep_their_bits(self):
        character = biped()
        clip = sampled(character, analytic(character, 5), 60, 41)
        out = smooth(clip, sigma=0.05, joints=["left arm", "head"])
        for i, body in enumerate(character.bodies):
            here = character.coordinates(i)
            same = np.array_equal(out.q[:, here], clip.q[:, here])
            assert same == (
                ((body.side, body.limb) != ("left", "arm") and body.limb != "head") or body.joint.nq == 0
            )
        with pytest.raises(UnknownNameError):
            smooth(clip, sigma=0.05, joints="wings")

    def test_signs_of_quaternions_do_not_matter(self, rng):
        character = biped()
        clip = sampled(character, analytic(character, 6), 60, 41)
        q = clip.q.copy()
        slots = character.manifold.rotation_slots[0]
        q[:, slots] *= rng.choice([-1.0, 1.0], size=(41, len(slots), 1))
        assert apart(character, smooth(clip.with_q(q), sigma=0.05).q, smooth(clip, sigma=0.05).q) < 1e-12


def test_noise_falls_and_motion_stays(rng):
    character = biped()
    motion = analytic(character, 7, harmonics=1)
    clip = sampled(character, motion, 120, 121)
    noisy = clip.with_q(character.manifold.plus(clip.q, 0.02 * rng.normal(size=(121, character.nv))))
    out = smooth(noisy, cutoff=6.0)
    inner = slice(10, -10)
    before = character.manifold.minus(noisy.q, clip.q)[inner].std()
    after = character.manifold.minus(out.q, clip.q)[inner].std()
    assert after < before / 2


@pytest.mark.parametrize("asked", [{"cutoff": 1e-300}, {"cutoff": 1e-7}, {"sigma": 1e300}, {"sigma": 1e5}])
def test_filters_as_wide_as_years_are_refused(asked):
    """They would take gigabytes, or for ever."""
    with pytest.raises(InputError, match="leaves nothing of a motion"):
        smooth(hinge_loop(2.0), **asked)


def test_weights_are_those_of_the_discrete_gaussian_however_many_are_wanted():
    """Σ k = 1 and Σ n² k = s (the variance); cut short, they keep their ratios."""
    for variance in (0.3, 4.0, 400.0):
        k = gaussian_weights(variance)
        n = np.arange(len(k))
        assert k[0] + 2 * k[1:].sum() == pytest.approx(1.0, abs=1e-14)
        assert 2 * (n**2 @ k) == pytest.approx(variance, rel=1e-6)
        few = gaussian_weights(variance, 3)
        assert len(few) == 4
        np.testing.assert_allclose(few / few[0], k[:4] / k[0], rtol=1e-12)


def test_short_clips_and_errors():
    character = crane()
    one = Clip(character, character.rest_pose()[None], 30)
    assert smooth(one, sigma=1.0) is one
    short = sampled(character, analytic(character), 30, 3)
    assert smooth(short, sigma=1.0).frames == 3
    loop = short.replaced(loop=True)
    flat = smooth(loop, sigma=3.0)  # far wider than the loop: nothing but the mean is left
    assert np.abs(character.manifold.minus(flat.q[1:], flat.q[:-1])).max() < 1e-9
    assert flat.q[0, 4] == pytest.approx(loop.q[:, 4].mean())
    for options, words in (
        ({}, "either a cutoff"),
        ({"cutoff": 3, "sigma": 1}, "either a cutoff"),
        ({"cutoff": 15}, "nothing is faster than 15 Hz"),
        ({"cutoff": -1}, "positive"),
        ({"sigma": -1}, "0 s or more"),
    ):
        with pytest.raises(InputError, match=words):
            smooth(short, **options)


class TestDespike:
    def broken(self, frames, *, loop=False, size=1.2, count=90):
        character = biped()
        motion = analytic(character, 8, size=0.3, harmonics=1)
        clip = sampled(character, motion, 90, count, loop=loop)
        rng = np.random.default_rng(5)
        q = clip.q.copy()
        arm, root = character.coordinates("LeftArm"), character.coordinates("pelvis")
        for f in frames:
            axis = rng.normal(size=3)
            q[f, arm] = so3.multiply(q[f, arm], so3.exp(size * axis / np.linalg.norm(axis)))
            q[f, root.start : root.start + 3] += 0.5 * axis / np.linalg.norm(axis)
        return character, clip, clip.with_q(q)

    @pytest.mark.parametrize("frames", [[20], [20, 21], [3, 40, 85], [0], [89]])
    def test_glitches_go_and_nothing_else_changes(self, frames):
        character, clip, broken = self.broken(frames)
        mended = despike(broken)
        assert apart(character, broken.q, clip.q) > 0.4
        assert apart(character, mended.q, clip.q) < 0.05
        good = np.setdiff1d(np.arange(90), frames)
        np.testing.assert_array_equal(mended.q[good], clip.q[good])
        legs = character.coordinates("LeftUpLeg")
        np.testing.assert_array_equal(mended.q[:, legs], clip.q[:, legs])

    def test_loops_are_mended_across_the_seam(self):
        character, clip, broken = self.broken([0, 89], loop=True)
        assert apart(character, despike(broken).q, clip.q) < 0.02

    @pytest.mark.parametrize("name", CHARACTERS)
    def test_clean_motion_keeps_its_bits(self, name):
        character = CHARACTERS[name]()
        for seed in range(5):
            clip = sampled(character, analytic(character, seed), 60, 61)
            np.testing.assert_array_equal(despike(clip).q, clip.q)

    def test_only_the_chosen_joints(self):
        character, clip, broken = self.broken([20])
        mended = despike(broken, joints="LeftArm")
        arm = character.coordinates("LeftArm")
        assert np.abs(mended.q[20, arm] - clip.q[20, arm]).max() < 0.01
        np.testing.assert_array_equal(mended.q[:, :3], broken.q[:, :3])

    def test_errors_and_short_clips(self):
        _, clip, _ = self.broken([])
        with pytest.raises(InputError, match="window"):
            despike(clip, window=0)
        with pytest.raises(InputError, match="threshold"):
            despike(clip, threshold=-1)
        two = clip.with_q(clip.q[:2])
        assert despike(two) is two
