"""Frames from key times."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from poise.errors import InputError
from poise.formats.key_times import frame_grid, likely_rate, uniform_rate

RATES = [Fraction(r) for r in (12, 24, 25, 30, 48, 50, 60, 90, 100, 120, 240)]
RATES += [
    Fraction(24000, 1001),
    Fraction(30000, 1001),
    Fraction(60000, 1001),
    Fraction(25, 2),
    Fraction(125, 3),
]


@pytest.mark.parametrize("rate", RATES)
def test_a_rate_that_was_rounded_is_the_rate(rate):
    assert likely_rate(float(np.float32(float(rate)))) == rate
    assert likely_rate(float(rate)) == rate


@pytest.mark.parametrize(("told", "rate"), [(23.976, 24), (29.97, 30), (59.94, 60), (119.88, 120)])
def test_television_in_few_digits(told, rate):
    assert likely_rate(told) == Fraction(rate * 1000, 1001)


def single(times) -> np.ndarray:
    return np.asarray(times, dtype=np.float32).astype(np.float64)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("frames", [12, 100, 5000])
@pytest.mark.parametrize("start", [0.0, 1 / 24, 7.3])
def test_even_keys_give_their_exact_rate(rate, frames, start):
    keys = single([start + float(k / rate) for k in range(frames)])
    grid = frame_grid(keys)
    assert grid.rate == rate
    assert grid.native
    assert np.array_equal(grid.times, keys)  # the file's own key times, bit for bit


def test_keys_on_some_frames_only_still_give_the_rate():
    keys = single(np.array([0, 1, 2, 5, 9, 10, 30]) / 30)
    grid = frame_grid(keys)
    assert (grid.rate, len(grid.times), grid.native) == (30, 31, True)
    assert np.isin(keys, grid.times).all()


def test_rare_keys_are_filled_in_and_met():
    grid = frame_grid(single([0, 1 / 7, 2 / 7]))
    assert grid.native
    assert grid.rate % 7 == 0
    assert 50 <= grid.rate <= 70
    assert np.isin(single([0, 1 / 7, 2 / 7]), grid.times).all()


def test_uneven_keys_are_covered_to_the_end():
    keys = np.array([0, 0.1, 0.333, np.pi / 3])
    grid = frame_grid(keys)
    assert not grid.native
    assert grid.rate == 60
    assert grid.times[-1] >= keys[-1] > grid.times[-2]


def test_wanted_rate():
    grid = frame_grid([0, 1], rate="24000/1001")
    assert grid.rate == Fraction(24000, 1001)
    assert len(grid.times) == 25
    with pytest.raises(InputError, match="too many frames"):
        frame_grid([0, 1e9], rate=1000)


def test_none_and_one():
    assert np.array_equal(frame_grid([]).times, [0.0])
    assert np.array_equal(frame_grid([0.5, 0.5]).times, [0.5])
    assert uniform_rate(np.array([0, 0.1, 0.3])) is None
