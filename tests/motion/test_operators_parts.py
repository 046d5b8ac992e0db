"""Trimming, unrolling, reversing and placing."""

from __future__ import annotations

import numpy as np
import pytest
from motion_cases import analytic, apart, biped, crane, forward, sampled, walker

from poise.errors import InputError
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.motion.operators import place, reverse, trim, unroll


@pytest.fixture(scope="module")
def clip():
    character = biped()
    return sampled(character, analytic(character, 11), 30, 31, name="dance")


@pytest.fixture(scope="module")
def cycle():
    character = biped()
    return sampled(character, analytic(character, 11), 30, 30, loop=True, travel=Travel((0.8, 0.1, 0.0), 0.5))


class TestTrim:
    def test_by_frames_both_ends_are_in(self, clip):
        part = trim(clip, frames=(10, 20))
        np.testing.assert_array_equal(part.q, clip.q[10:21])
        assert part.rate == clip.rate

    def test_by_times_on_frames_keeps_bits(self, clip):
        np.testing.assert_array_equal(trim(clip, 0.1, 0.7).q, clip.q[3:22])
        np.testing.assert_array_equal(trim(clip, end=0.5).q, clip.q[:16])
        np.testing.assert_array_equal(trim(clip, start=0.5).q, clip.q[15:])
        np.testing.assert_array_equal(trim(clip).q, clip.q)

    def test_between_frames_is_the_motion_there(self, clip):
        part = trim(clip, 0.21, 0.5)
        assert part.frames == 9  # 0.21 + 8/30 = 0.4767
        np.testing.assert_allclose(part.q, clip.at(0.21 + np.arange(9) / 30), atol=1e-12)

    def test_loops_go_on_beyond_their_ends(self, cycle):
        part = trim(cycle, frames=(-15, 74))
        assert not part.loop
        assert part.travel.still
        assert part.frames == 90
        long = unroll(cycle, 3, closing=False)
        np.testing.assert_array_equal(part.q[15:45], cycle.q)
        assert apart(cycle.character, part.q[15:], long.q[:75]) < 1e-13
        # One cycle earlier, moved on, is the same again.
        on = cycle.travel.apply(cycle.character, part.q[:15], 1)
        assert apart(cycle.character, on, cycle.q[15:]) < 1e-13

    def test_a_whole_loop_closes(self, cycle):
        assert trim(cycle).frames == 31
        assert trim(cycle).duration == cycle.duration

    def test_one_frame(self, clip):
        assert trim(clip, 0.5, 0.5).frames == 1
        assert trim(clip, 0.5, 0.51).frames == 1

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"start": -0.1}, "goes from frame 0 to 30"),
            ({"end": 1.1}, "only loops go on"),
            ({"start": 0.8, "end": 0.2}, "after the end"),
            ({"frames": (0, 31)}, "frame 31"),
            ({"frames": (0.5, 3)}, "whole numbers"),
            ({"frames": 3}, "two frame numbers"),
            ({"frames": (1, 3), "end": 1.0}, "not both"),
            ({"start": float("nan")}, "finite"),
        ],
    )
    def test_errors(self, clip, arguments, words):
        with pytest.raises(InputError, match=words):
            trim(clip, **arguments)


class TestUnroll:
    def test_a_loop_that_turns_walks_on_a_circle(self):
        """Straight steps of length d and a turn of ψ: after k cycles the root is on a circle, closed form."""
        character = biped()
        d, turn, cycles = 0.7, 2 * np.pi / 9, 18
        clip = Clip(character, character.rest_pose()[None], 10, loop=True, travel=Travel((d, 0, 0), turn))
        long = unroll(clip, cycles)
        assert long.frames == cycles + 1
        radius = d / (2 * np.sin(turn / 2))
        centre = np.array([d / 2, d / 2 / np.tan(turn / 2)])
        away = np.linalg.norm(long.q[:, :2] - centre, axis=1)
        np.testing.assert_allclose(away, radius, rtol=1e-13)
        # Two rounds of nine: back where it began, facing the same way.
        np.testing.assert_allclose(long.q[9, :3], long.q[0, :3], atol=1e-13)
        heading = so3.rotate(long.q[:, 3:7], [1.0, 0.0, 0.0])
        expected = turn * np.arange(cycles + 1)
        np.testing.assert_allclose(heading[:, 0], np.cos(expected), atol=1e-12)
        np.testing.assert_allclose(heading[:, 1], np.sin(expected), atol=1e-12)

    def test_it_agrees_with_the_sampler_and_lasts_whole_periods(self, cycle):
        long = unroll(cycle, 4)
        assert long.duration == pytest.approx(4 * cycle.duration, abs=1e-15)
        assert apart(cycle.character, long.q, cycle.at(long.times)) < 1e-13
        np.testing.assert_array_equal(long.q[:30], cycle.q)

    def test_errors(self, clip, cycle):
        with pytest.raises(InputError, match="plain clip"):
            unroll(clip, 2)
        for cycles in (0, 1.5, -1):
            with pytest.raises(InputError, match="whole number of times"):
                unroll(cycle, cycles)


class TestReverse:
    def test_twice_is_the_clip(self, clip, cycle):
        np.testing.assert_array_equal(reverse(reverse(clip)).q, clip.q)
        again = reverse(reverse(cycle))
        np.testing.assert_array_equal(again.q, cycle.q)
        np.testing.assert_allclose(again.travel.translation, cycle.travel.translation, atol=1e-15)
        assert again.travel.yaw == cycle.travel.yaw

    def test_a_loop_walks_back_the_way_it_came(self, cycle):
        back = unroll(reverse(cycle), 3, closing=False).q
        forth = trim(cycle, frames=(-60, 29)).q
        assert apart(cycle.character, back, forth[::-1]) < 1e-12


class TestPlace:
    def test_every_body_moves_rigidly(self, clip):
        yaw, shift = 1.1, np.array([2.0, -3.0, 0.25])
        before, _ = forward(clip.character, clip.q)
        after, _ = forward(clip.character, place(clip, shift, yaw).q)
        c, s = np.cos(yaw), np.sin(yaw)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        np.testing.assert_allclose(after, before @ turn.T + shift, atol=1e-12)

    def test_loops_and_placing_commute_with_unrolling(self, cycle):
        a = unroll(place(cycle, (1, 2, 0), 0.8), 4).q
        b = place(unroll(cycle, 4), (1, 2, 0), 0.8).q
        assert apart(cycle.character, a, b) < 1e-12

    def test_planar_and_fixed_roots(self):
        character = walker()
        clip = sampled(character, analytic(character), 30, 5)
        np.testing.assert_allclose(place(clip, (1, 0, 2)).q[:, :2], clip.q[:, :2] + [1, 2])
        with pytest.raises(InputError, match="planar"):
            place(clip, yaw=0.1)
        with pytest.raises(InputError, match="planar"):
            place(clip, (0, 1, 0))
        character = crane()
        clip = sampled(character, analytic(character), 30, 5)
        assert place(clip) is clip
        with pytest.raises(InputError, match="'base' is fixed"):
            place(clip, (1, 0, 0))
