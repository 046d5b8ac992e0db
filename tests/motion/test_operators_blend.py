"""Blending and mixing: ends, geodesics, curves of weight, loops that travel differently."""

from __future__ import annotations

import numpy as np
import pytest
from motion_cases import CHARACTERS, analytic, apart, biped, crane, sampled

from poise.errors import InputError
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.motion.operators import blend, mix, unroll


def pair(character, rate=30, frames=21, **more):
    return [sampled(character, analytic(character, s), rate, frames, **more) for s in (1, 2)]


class TestBlend:
    @pytest.mark.parametrize("name", CHARACTERS)
    def test_ends_are_the_clips_bit_for_bit(self, name):
        a, b = pair(CHARACTERS[name]())
        np.testing.assert_array_equal(blend(a, b, 0).q, a.q)
        np.testing.assert_array_equal(blend(a, b, 1).q, b.q)
        ramp = np.linspace(0, 1, 21)
        mixed = blend(a, b, ramp)
        np.testing.assert_array_equal(mixed.q[0], a.q[0])
        np.testing.assert_array_equal(mixed.q[-1], b.q[-1])

    def test_rotations_move_along_the_geodesic(self):
        a, b = pair(biped())
        manifold = a.character.manifold
        whole = manifold.minus(b.q, a.q)
        for w in (0.25, 0.5, 0.9, 1.4, -0.3):
            part = manifold.minus(blend(a, b, w).q, a.q)
            turns = manifold.rotation_slots[1]
            length = np.linalg.norm(w * whole[:, turns], axis=2).max(axis=1)
            inside = length < np.pi  # a longer way is another rotation vector
            assert inside.sum() > 5
            np.testing.assert_allclose(part[inside], (w * whole)[inside], atol=1e-11)

    def test_it_is_symmetric(self):
        a, b = pair(biped())
        assert apart(a.character, blend(a, b, 0.3).q, blend(b, a, 0.7).q) < 1e-12

    def test_weights_over_time(self):
        a, b = pair(crane())
        w = np.sin(a.times)
        np.testing.assert_array_equal(blend(a, b, np.sin).q, blend(a, b, w).q)
        for k in (3, 11):
            np.testing.assert_array_equal(blend(a, b, w).q[k], blend(a, b, w[k]).q[k])

    def test_other_rates_are_resampled(self):
        character = crane()
        a = sampled(character, analytic(character, 1), 30, 31)
        b = sampled(character, analytic(character, 1), 60, 61)
        assert apart(character, blend(a, b, 0.5).q, a.q) < 1e-14

    def test_errors(self):
        a, b = pair(crane())
        with pytest.raises(InputError, match="has 21 frames and '' 10"):
            blend(a, b.with_q(b.q[:10]), 0.5)
        with pytest.raises(InputError, match="unroll or loop"):
            blend(a, b.replaced(loop=True), 0.5)
        with pytest.raises(InputError, match="weight"):
            blend(a, b, np.ones(5))
        with pytest.raises(InputError, match="weight"):
            blend(a, b, float("nan"))
        other = biped()
        with pytest.raises(InputError, match="cannot blend"):
            blend(a, sampled(other, analytic(other), 30, 21), 0.5)


class TestLoops:
    def cycle(self, travel, seed=1, frames=24):
        character = biped()
        phase = np.arange(frames) / frames
        q = analytic(character, seed, size=0.2)(phase)
        return Clip(character, travel.apply(character, q, phase), 24, loop=True, travel=travel)

    def test_half_way_between_straight_and_turning_turns_half_as_much(self):
        straight, turning = self.cycle(Travel((1.0, 0, 0))), self.cycle(Travel((0.9, 0.3, 0), 0.6), 2)
        mixed = blend(straight, turning, 0.5)
        assert mixed.loop
        assert mixed.travel.yaw == pytest.approx(0.3, abs=1e-15)
        # Still a loop: the step over the seam is like its neighbours, seen in the unrolled motion.
        v = unroll(mixed, 3).velocity[20:28]
        jump = np.abs(np.diff(v, axis=0)).max(axis=1)
        assert jump.max() < 3 * jump.min() + 0.5
        # A steady walk of two steady walks: on a circle, in closed form.
        steady = [
            Clip(
                c.character,
                c.travel.apply(c.character, np.tile(c.character.rest_pose(), (24, 1)), np.arange(24) / 24),
                24,
                loop=True,
                travel=c.travel,
            )
            for c in (straight, turning)
        ]
        far = unroll(blend(*steady, 0.5), 15).q[:, :2]
        speed = np.linalg.norm(np.diff(far, axis=0), axis=1)
        np.testing.assert_allclose(speed, speed[0], rtol=1e-10)
        turns = np.diff(np.unwrap(np.arctan2(*np.diff(far, axis=0).T[::-1])))
        np.testing.assert_allclose(turns, 0.3 / 24, rtol=1e-8)

    def test_ends_and_equal_travel(self):
        a, b = self.cycle(Travel((1, 0, 0), 0.1)), self.cycle(Travel((0.5, 0, 0), -0.4), 2)
        np.testing.assert_array_equal(blend(a, b, 0).q, a.q)
        np.testing.assert_array_equal(blend(a, b, 1).q, b.q)
        assert blend(a, b, 1).travel.yaw == -0.4
        close = blend(a, b, 1 - 1e-13)
        assert apart(a.character, close.q, b.q) < 1e-11
        np.testing.assert_allclose(close.travel.translation, b.travel.translation, atol=1e-11)
        c = self.cycle(a.travel, 3)
        together = blend(a, c, 0.3)
        assert together.travel is a.travel
        np.testing.assert_array_equal(
            together.q, a.character.manifold.interpolate(a.q, c.q, np.full(24, 0.3))
        )

    def test_mix_agrees_with_blend(self):
        a, b = self.cycle(Travel((1, 0, 0), 0.1)), self.cycle(Travel((0.5, 0, 0.1), -0.4), 2)
        x, y = blend(a, b, 0.3), mix([a, b], [0.7, 0.3])
        assert apart(a.character, x.q, y.q) < 1e-11
        assert x.travel.yaw == pytest.approx(y.travel.yaw)


class TestMix:
    def test_two_clips_are_a_blend(self):
        a, b = pair(biped())
        assert apart(a.character, mix([a, b], [3, 1]).q, blend(a, b, 0.25).q) < 1e-11

    def test_one_clip_is_itself(self):
        a, _ = pair(biped())
        assert apart(a.character, mix([a], [2.0]).q, a.q) < 1e-14

    def test_the_mean_is_where_the_pulls_cancel(self):
        character = biped()
        clips = [sampled(character, analytic(character, 1), 30, 11)]
        rng = np.random.default_rng(0)
        clips += [
            clips[0].with_q(character.manifold.plus(clips[0].q, 0.5 * rng.normal(size=(11, character.nv))))
            for _ in range(3)
        ]
        w = np.array([0.1, 0.2, 0.3, 0.4])
        mean = mix(clips, w)
        pull = sum(wi * character.manifold.minus(c.q, mean.q) for wi, c in zip(w, clips))
        assert np.abs(pull).max() < 1e-12
        order = [2, 0, 3, 1]
        assert apart(character, mix([clips[i] for i in order], w[order]).q, mean.q) < 1e-12

    def test_rotations_about_one_axis_have_the_mean_angle(self):
        character = crane()
        clips = []
        for angle in (0.1, 0.5, 1.2):
            q = character.rest_pose()
            q[:4] = so3.exp([0, 0, angle])
            clips.append(Clip(character, q[None], 30))
        got = so3.log(mix(clips, [1, 1, 2]).q[0, :4])
        np.testing.assert_allclose(got, [0, 0, (0.1 + 0.5 + 2.4) / 4], atol=1e-13)

    def test_errors(self):
        a, b = pair(crane())
        for weights, words in (([1.0], "shape"), ([-1, 2], "negative"), ([0, 0], "all zero")):
            with pytest.raises(InputError, match=words):
                mix([a, b], weights)
        with pytest.raises(InputError, match="nothing to blend"):
            mix([], [])
