"""Flights that fall too fast may last longer: time first, then the smallest change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise.contacts.flight_times import RAMP, Seam, stretched
from poise.kinematics import Kinematics

FIRST, LAST = 70, 97
"""Of the bundled jump's flight."""


def hurried(clip: poise.Clip, ratio: float) -> poise.Clip:
    """The flight so many times as fast, eased in and out."""
    start, end = (Seam(at, RAMP * clip.fps, 0.0) for at in (FIRST - 0.5, LAST + 0.5))
    longer = round((1 / ratio - 1) * (end.at - start.at)) / (end.at - start.at)
    return stretched(clip, [replace(start, jump=longer), replace(end, jump=-longer)])[0]


def gravity(clip: poise.Clip) -> float:
    """Of the middle of the flight, by a parabola of the test's own [m/s²]."""
    height = Kinematics(clip.character, clip.q).com[:, 2]
    top = int(height.argmax())
    t = clip.dt * np.arange(-7, 8)
    return float(-2 * np.polyfit(t, height[top - 7 : top + 8], 2)[0])


@pytest.mark.parametrize("ratio", [1.3, 0.85])
def test_a_flight_lasts_as_long_as_it_must(ratio):
    given = hurried(poise.clips.get("jump"), ratio)
    assert gravity(given) == pytest.approx(9.81 * ratio**2, rel=0.1)
    result = poise.ground(given, floor=0.0, stretch_flights=True)
    assert result.changed
    assert result.left.share <= 0.01
    assert gravity(result.clip) == pytest.approx(9.81, rel=0.03)
    assert (result.clip.frames > given.frames) == (ratio > 1)
    assert "the flight played" in result.summary
    assert len(result.retimed.frames) == result.clip.frames
    assert result.retimed.frames[0] == 0
    assert result.retimed.frames[-1] == given.frames - 1
    assert (np.diff(result.retimed.frames) > 0).all()
    unasked = poise.ground(given, floor=0.0)
    assert unasked.retimed is None
    assert unasked.clip.frames == given.frames
    assert unasked.outcome == "not this motion" or unasked.cost.rms > result.cost.rms


def test_flights_that_fall_right_are_left_alone():
    jump = poise.clips.get("jump")
    result = poise.ground(jump, floor=0.0, stretch_flights=True)
    assert result.outcome == "carried"
    assert result.retimed is None
    np.testing.assert_array_equal(result.clip.q, jump.q)
