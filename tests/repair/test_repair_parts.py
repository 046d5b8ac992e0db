"""The pieces that repairs are made of: blends, stretches of time, loops, judgement."""

from __future__ import annotations

import numpy as np
import pytest
from faults import kicked, sunk

import poise
from poise import clips
from poise.contacts.flight_times import Seam, eased_length, new_frames, old_frames, stretched
from poise.motion import operators
from poise.repair.accept import condemned, impossible, worse
from poise.repair.blend import ease, fade
from poise.repair.rounds import folded, unrolled


def test_ease_has_no_slope_and_no_curvature_at_its_ends():
    h = 1e-4
    for end in (0.0, 1.0):
        a, b, c = ease([end - h, end, end + h])
        assert abs(c - a) / (2 * h) < 1e-6
        assert abs(a - 2 * b + c) / h**2 < 0.01
    assert ease(0.5) == pytest.approx(0.5)


def test_eased_length_is_the_integral_of_ease():
    x = np.linspace(-0.5, 2.0, 20001)
    by_hand = np.concatenate([[0.0], np.cumsum(0.5 * (ease(x)[1:] + ease(x)[:-1]) * np.diff(x))])
    np.testing.assert_allclose(eased_length(x), by_hand, atol=1e-7)


def test_fade_is_one_where_held_zero_far_away_and_smooth_in_short_gaps():
    held = np.zeros(80, dtype=bool)
    held[20:30] = held[40:45] = True
    weight = fade(held, 9)
    assert (weight[held] == 1).all()
    assert (weight[:11] == 0).all()
    assert (weight[54:] == 0).all()
    assert np.abs(np.diff(weight, 2)).max() < 0.08  # a kink would be 0.2
    assert (fade(np.zeros(5, dtype=bool), 3) == 0).all()


@pytest.mark.parametrize("width", [0.0, 6.0])
def test_time_is_stretched_between_seams_and_runs_on_in_whole_frames(width):
    seams = [Seam(20.3, width, 0.3), Seam(60.3, width, -0.3)]
    frames = old_frames(seams, np.arange(110.0))
    np.testing.assert_allclose(new_frames(seams, frames), np.arange(110.0), atol=1e-9)
    np.testing.assert_array_equal(frames[:17], np.arange(17.0))
    np.testing.assert_array_equal(frames[76:], np.arange(76.0, 110.0) - 12)
    np.testing.assert_allclose(np.diff(frames[28:66]), 1 / 1.3, atol=1e-9)


def test_a_stretched_clip_keeps_the_bits_of_frames_outside():
    clip = clips.get("jump")
    out, frames = stretched(clip, [Seam(69.5, 0.0, 0.5), Seam(97.5, 0.0, -0.5)])
    assert out.frames == clip.frames + 14
    np.testing.assert_array_equal(out.q[:70], clip.q[:70])
    np.testing.assert_array_equal(out.q[112:], clip.q[98:])
    assert frames[-1] == clip.frames - 1


@pytest.mark.parametrize("name", ["walk", "run"])
def test_what_is_added_to_three_rounds_is_folded_into_the_loop(name):
    loop = clips.get(name)
    long = unrolled(loop)
    np.testing.assert_allclose(long.q[loop.frames : 2 * loop.frames], loop.q, atol=1e-12)
    q = np.array(long.q)
    q[2 * loop.frames - 3 : 2 * loop.frames + 4, 2] += 0.01  # over the end of the middle round
    out = folded(loop, long.with_q(q))
    raised = np.flatnonzero((out.q != loop.q).any(axis=1))
    assert set(raised) == {*range(4), *range(loop.frames - 3, loop.frames)}
    np.testing.assert_allclose(out.q[raised, 2] - loop.q[raised, 2], 0.01)


def test_a_repair_that_brings_in_a_fault_is_found_out():
    clip = clips.get("jump")
    same = np.arange(clip.frames, dtype=float)
    right, low, spun = (
        poise.check(clip).report,
        poise.check(sunk(clip, 20, 50, 0.06)).report,
        poise.check(kicked(clip, 72, 96, 0.4)).report,
    )

    def said(before, after, sources=same):
        found = worse(before, after, sources)
        return "" if found is None else found.words

    assert said(right, right) == ""
    assert said(low, right) == ""
    assert "sinks" in said(right, low)
    assert 20 <= worse(right, low, same).frame <= 50
    barely = poise.check(sunk(clip, 20, 50, 0.0265)).report
    assert 0.9 < min(f.score for f in barely.of("penetration")) < 0.95
    assert "sinks" in said(right, barely), "a phase without fault bears none, however small"
    assert "jumps at take-off" in said(right, spun) or "spin changes" in said(right, spun)
    assert spun.of("spin")
    flat = clips.get("planar_jump")
    fast = poise.check(operators.speed(flat, 2)).report
    slow = poise.check(operators.speed(flat, 2).replaced(rate=30)).report
    assert said(fast, slow, same[:79]) == ""
    assert "falls with" in said(slow, fast, same[:79])
    assert "gravity" in impossible(slow, fast)
    assert impossible(fast, slow) == ""


def test_what_is_only_told_may_come_up_where_something_was_mended():
    clip = clips.get("jump")
    right, told, wrong = (poise.check(sunk(clip, 20, 50, d), floor=0.0).report for d in (0.0, 0.04, 0.1))
    assert condemned(right, told) is None
    assert condemned(wrong, wrong) is None
    assert "sinks" in condemned(right, wrong).words
    elsewhere = poise.check(sunk(clip, 110, 150, 0.1), floor=0.0).report
    assert condemned(wrong, elsewhere) is not None, "another time is another fault"


def test_unknown_repairs_are_named():
    with pytest.raises(poise.errors.InputError, match=r"may.*foot.*feet"):
        poise.fix(clips.get("jump"), ["foot"])
