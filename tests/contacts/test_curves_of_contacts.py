"""What contacts are found from: filtered curves by their closed form, stretches frame by frame."""

from __future__ import annotations

import numpy as np
import pytest

from poise.contacts.needed import kept, low_passed, widened


@pytest.mark.parametrize(("cutoff", "rate"), [(5.0, 120.0), (10.0, 240.0), (0.5, 60.0)])
def test_a_sine_at_the_cut_off_falls_to_half_its_power(cutoff, rate):
    """H = exp(−s (1 − cos(2π f / rate))) with 2π σ · cut-off = √(ln 2), s = (σ rate)²: 1/√2 there."""
    s = np.log(2.0) * (rate / (2 * np.pi * cutoff)) ** 2
    t = np.arange(int(12 * rate / cutoff)) / rate
    for part, roughly in ((1.0, 2**-0.5), (0.5, 2**-0.125), (2.0, 0.25), (0.0, 1.0)):
        wave = np.cos(2 * np.pi * part * cutoff * t)
        found = low_passed(wave[:, None], cutoff, 1 / rate)[:, 0]
        middle = slice(len(t) // 3, -len(t) // 3)
        left = np.exp(-s * (1 - np.cos(2 * np.pi * part * cutoff / rate)))
        assert left == pytest.approx(roughly, abs=0.01)
        np.testing.assert_allclose(found[middle], left * wave[middle], atol=1e-6)


def test_steady_motion_goes_on_as_it_went():
    """Reflected through its ends a line is a line; mirrored, its ends bend."""
    line = np.linspace(-1.0, 3.0, 50)[:, None] * [1.0, -2.0]
    np.testing.assert_allclose(low_passed(line, 5.0, 1 / 60, through=True), line, atol=1e-12)
    assert abs(low_passed(line, 5.0, 1 / 60)[0] - line[0]).max() > 0.01
    assert low_passed(line.reshape(50, 1, 2), 5.0, 1 / 60).shape == (50, 1, 2)


def test_what_a_rate_cannot_hold_is_not_filtered():
    noise = np.random.default_rng(1).normal(size=(20, 2))
    assert np.array_equal(low_passed(noise, 14.0, 1 / 30), noise)
    assert np.array_equal(low_passed(noise[:1], 5.0, 1 / 30), noise[:1])
    assert not np.array_equal(low_passed(noise, 13.0, 1 / 30), noise)


@pytest.mark.parametrize(("cutoff", "dt"), [(1e-300, 0.01), (1e-9, 0.01), (10.0, 1e-9), (5.0, 1e-12)])
def test_filters_far_wider_than_a_curve_take_no_longer(cutoff, dt):
    """Nearly flat weights: what is left of a curve that swings about 3 stays within its swing."""
    curve = 3.0 + np.sin(np.arange(40.0))[:, None]
    found = low_passed(curve, cutoff, dt)
    assert np.ptp(found) < 0.1 * np.ptp(curve)
    assert abs(found.mean() - 3.0) < 0.2


@pytest.mark.parametrize("seed", range(4))
def test_states_hold_from_their_beginning_to_their_end_both_ways(seed):
    """Frame by frame: held if some beginning is connected to it by frames that do not end it."""
    rng = np.random.default_rng(seed)
    begins, ends = rng.random((30, 3)) < 0.15, rng.random((30, 3)) < 0.2
    found = kept(begins, ends)
    for k in range(3):
        for f in range(30):
            after = any(begins[b, k] and not ends[b + 1 : f + 1, k].any() for b in range(f + 1))
            expected = after
            for b in range(f, 30):  # backwards, from whatever holds later
                later = any(begins[a, k] and not ends[a + 1 : b + 1, k].any() for a in range(b + 1))
                expected |= later and not ends[f:b, k].any()
            assert found[f, k] == expected, (f, k)


@pytest.mark.parametrize("frames", [0, 1, 3, 40])
def test_stretches_grow_by_so_many_frames_on_either_side(frames):
    rng = np.random.default_rng(frames)
    mask = rng.random((25, 2, 2)) < 0.1
    found = widened(mask, frames)
    for f in range(25):
        assert np.array_equal(found[f], mask[max(f - frames, 0) : f + frames + 1].any(axis=0))
