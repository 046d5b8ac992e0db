"""Time warps: identity, inverse, keys, holds, loops, errors."""

from __future__ import annotations

import numpy as np
import pytest
from motion_cases import CHARACTERS, analytic, apart, biped, crane, sampled

from poise.errors import InputError
from poise.motion import Clip, Travel
from poise.motion.operators import reverse, speed, unroll, warp


@pytest.mark.parametrize("name", CHARACTERS)
@pytest.mark.parametrize("loop", [False, True])
def test_identity_is_identical(name, loop):
    character = CHARACTERS[name]()
    clip = sampled(character, analytic(character), 30, 31, loop=loop, travel=Travel((1, 0, 0), 0.2))
    end = clip.duration
    for keys in ([(0, 0), (0.3, 0.3), (0.71, 0.71), (end, end)], [(0.5, 0.5)], [(0, 0), (end, end)]):
        np.testing.assert_array_equal(warp(clip, keys).q, clip.q)
    np.testing.assert_array_equal(warp(clip, lambda t: t).q, clip.q)
    np.testing.assert_array_equal(speed(clip, 1).q, clip.q)


def test_key_times_are_hit_and_the_rest_follows():
    character = crane()
    motion = analytic(character, 4)
    clip = sampled(character, motion, 60, 61)
    warped = warp(clip, [(0.5, 0.8)])
    assert warped.duration == pytest.approx(1.3)
    np.testing.assert_array_equal(warped.q[48], clip.q[30])
    np.testing.assert_array_equal(warped.q[0], clip.q[0])
    np.testing.assert_array_equal(warped.q[-1], clip.q[-1])


def test_equal_sources_hold():
    character = crane()
    clip = sampled(character, analytic(character, 4), 60, 61)
    held = warp(clip, [(0, 0), (0.5, 0.5), (0.5, 1.0), (1.0, 1.5)])
    assert held.frames == 91
    for frame in range(30, 61):
        np.testing.assert_array_equal(held.q[frame], clip.q[30])
    late = warp(clip, [(0.0, 0.5)])
    assert late.frames == 91
    np.testing.assert_array_equal(late.q[:31], np.tile(clip.q[0], (31, 1)))
    np.testing.assert_array_equal(late.q[-1], clip.q[-1])


def test_there_and_back_is_third_order():
    character = biped()
    motion = analytic(character, 12, harmonics=1)

    def forth(t):
        return t + 0.12 * np.sin(np.pi * t)

    def back(s):
        t = np.array(s)
        for _ in range(60):
            t -= (forth(t) - s) / (1 + 0.12 * np.pi * np.cos(np.pi * t))
        return t

    errors = []
    for rate in (30, 60, 120):
        clip = sampled(character, motion, rate, rate + 1)
        again = warp(warp(clip, forth), back)
        errors.append(apart(character, again.q, clip.q))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 2.7).all(), (errors, orders)


def test_velocity_follows_the_chain_rule():
    """d/dt q(u(t)) = q̇(u) u̇, against the analytic motion's own difference quotient."""
    character = crane()
    motion = analytic(character, 5, harmonics=1)
    clip = sampled(character, motion, 240, 241)
    warped = warp(clip, lambda t: t**2, duration=1.0)
    k = 120
    h = 1e-6
    u = (k / 240) ** 2
    q = motion(np.array([u - h, u, u + h]))
    v = (character.manifold.minus(q[2], q[1]) - character.manifold.minus(q[0], q[1])) / (2 * h)
    np.testing.assert_allclose(warped.velocity[k], v * 2 * k / 240, atol=5e-3)


@pytest.mark.parametrize("factor", [2, 0.5, "3/2", 3])
def test_speed(factor):
    character = biped()
    motion = analytic(character, 6, harmonics=1)
    clip = sampled(character, motion, 60, 121)
    fast = speed(clip, factor)
    value = float(fast.rate) and {"3/2": 1.5}.get(factor, factor)
    assert fast.rate == clip.rate
    assert fast.frames == int(120 / value) + 1
    assert apart(character, fast.q, motion(value * fast.times)) < 1e-3
    if value in (2, 3):  # every second or third frame, the bits
        np.testing.assert_array_equal(fast.q, clip.q[:: int(value)])


class TestLoops:
    def make(self):
        character = biped()
        travel = Travel((0.6, 0.1, 0.0), 0.5)
        phase = np.arange(60) / 60
        q = travel.apply(character, analytic(character, 7, harmonics=1)(phase), phase)
        return Clip(character, q, 60, loop=True, travel=travel)

    def test_the_warp_repeats_and_the_seam_is_smooth(self):
        clip = self.make()
        warped = warp(clip, [(0.25, 0.3), (0.75, 0.6)])
        assert warped.loop
        assert warped.frames == 60
        assert warped.travel is clip.travel
        np.testing.assert_allclose(warped.q[18], clip.q[15], atol=1e-14)
        np.testing.assert_allclose(warped.q[36], clip.q[45], atol=1e-14)
        v = warped.velocity
        back = warped.travel.turn(clip.character, v[:1], 1)
        v = np.concatenate([v, back])
        steps = np.abs(np.diff(v, axis=0)).max(axis=1)
        assert steps[-1] < 2 * np.median(steps)

    def test_a_key_one_period_on_sets_the_period(self):
        clip = self.make()
        slow = warp(clip, [(0, 0), (0.5, 1.0), (1.0, 1.5)])
        assert slow.frames == 90
        np.testing.assert_allclose(slow.q[60], clip.q[30], atol=1e-14)
        even = warp(clip, [(0, 0), (1.0, 2.0)])
        assert even.frames == 120
        np.testing.assert_array_equal(even.q[::2], clip.q)

    def test_a_shift_of_phase_travels_along(self):
        clip = self.make()
        late = warp(clip, [(0.0, 0.25)])
        a, b = unroll(late, 3), unroll(clip, 3)
        assert apart(clip.character, a.q[15:], b.q[:-15]) < 1e-12

    def test_functions_must_go_round_once(self):
        clip = self.make()
        with pytest.raises(InputError, match="exactly one cycle"):
            warp(clip, lambda t: 0.9 * t)
        np.testing.assert_allclose(warp(clip, lambda t: 0.5 * t, duration=2).q[::2], clip.q, atol=1e-15)

    def test_speed_keeps_the_seam(self):
        clip = self.make()
        assert speed(clip, 2).frames == 30
        np.testing.assert_array_equal(speed(clip, 2).q, clip.q[::2])
        fitted = speed(clip, 1.7)
        assert fitted.frames == 35
        assert fitted.rate == 60


def test_reverse_undoes_a_mirrored_warp():
    character = crane()
    clip = sampled(character, analytic(character, 8), 60, 61)
    a = reverse(warp(clip, [(0, 0), (0.4, 0.6), (1, 1)]))
    b = warp(reverse(clip), [(0, 0), (0.6, 0.4), (1, 1)])
    assert apart(character, a.q, b.q) < 1e-5  # cubics start from the earlier frame: rotations differ a little


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ([], "at least one key"),
        ([(0, 0), (0.5, 0.7), (0.4, 0.8)], "must increase"),
        ([(0, 0), (0.5, 0.7), (0.6, 0.7)], "must increase"),
        ([(0, 0), (2.0, 1.0)], "must lie in the clip"),
        ([(0.2, 0.0)], "starts at 0 s"),
        ([(0.0, -1.0), (1, 1)], "starts at 0 s"),
        ([(0, 0, 0)], "shape"),
        (lambda t: -t, "backwards"),
        (lambda t: np.sin(9 * t), "backwards"),
        (lambda t: t[:3], "shape"),
        (lambda t: t * np.nan, "finite"),
    ],
)
def test_errors(keys, words):
    character = crane()
    clip = sampled(character, analytic(character), 30, 31)
    with pytest.raises(InputError, match=words):
        warp(clip, keys)


def test_more_errors():
    character = crane()
    clip = sampled(character, analytic(character), 30, 31)
    with pytest.raises(InputError, match="positive"):
        speed(clip, 0)
    with pytest.raises(InputError, match="reverse"):
        speed(clip, -1)
    with pytest.raises(InputError, match="0 s or more"):
        warp(clip, lambda t: t, duration=-1)
    with pytest.raises(InputError, match="follows from the keys"):
        warp(clip, [(0, 0)], duration=2)
    one = Clip(character, character.rest_pose()[None], 30)
    assert warp(one, [(0, 0)]).frames == 1
    assert speed(one, 2).frames == 1
    assert warp(one, [(0, 0), (0, 1)]).frames == 31
