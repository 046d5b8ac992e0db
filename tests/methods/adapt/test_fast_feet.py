"""Feet of clips that are fast throughout: played faster, they stand at the same frames."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from poise import clips
from poise.methods.adapt.plants.detect import WALKER, Touch, detect


def frames_of(clip) -> list[tuple[str, int, int]]:
    """Points that stand, with the first and last frame of each."""
    return sorted(
        (point, round(when.start * clip.fps), round(when.end * clip.fps))
        for plant in detect(clip)
        for point, when in plant.intervals.items()
    )


def test_thresholds_of_fast_points_follow_their_speed():
    """Once faster than a walker's, speeds grow and times shrink with the top speed; lengths stay."""
    size, top = 1.3, 3 * WALKER
    once, twice = Touch().scaled(size, top), Touch().scaled(size, 2 * top)
    ratio = np.array(astuple(twice)) / np.array(astuple(once))
    np.testing.assert_allclose(ratio, [2, 2, 1, 1, 0.5, 0.5])
    assert once.slow == pytest.approx(top / 12)
    assert once.gap == pytest.approx(Touch().gap * WALKER * size / top)


def test_a_walkers_thresholds_are_as_written():
    assert astuple(Touch().scaled(1.0, 0.5)) == astuple(Touch())
    half = Touch().scaled(0.5, 0.5)
    assert (half.slow, half.low, half.stray) == pytest.approx((0.175, 0.03, 0.03))
    assert (half.gap, half.least) == (Touch().gap, Touch().least), "a smaller one takes its time"


@pytest.mark.parametrize("faster", [2, 5])
def test_a_run_played_faster_stands_at_the_same_frames(faster):
    run = clips.get("run")
    quick = run.replaced(rate=2 * run.rate)
    found = frames_of(quick)
    assert len(found) >= 2
    assert frames_of(quick.replaced(rate=faster * quick.rate)) == found
