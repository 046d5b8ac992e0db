"""What an interval weighs: its seconds, at any frame rate; instants weigh the same at all of them."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise import constraints as c
from poise.methods.adapt.rows.rows import PER_SECOND, STRENGTH, block_of
from poise.motion import operators

JUMP = clips.get("jump")
RATES = (15, 30, 60, 240)


@pytest.mark.parametrize("rate", RATES)
def test_an_interval_weighs_its_seconds(rate):
    clip = operators.resample(JUMP, rate)
    block = block_of(c.pin("RightHandCentre", [0.3, 0, 1], (0.4, 1.4)), clip)
    # Both ends are frames of their own: the sum counts half a frame more on each side than the integral.
    seconds = len(block.times) / rate
    assert seconds == pytest.approx(1.0 + 1 / rate)
    np.testing.assert_allclose(block.weight * len(block.times), STRENGTH * PER_SECOND * seconds)


def test_an_instant_weighs_the_same_at_any_rate():
    weights = [
        block_of(c.pin("RightHandCentre", [0.3, 0, 1], 0.5), operators.resample(JUMP, rate)).weight
        for rate in RATES
    ]
    np.testing.assert_allclose(weights, STRENGTH)


def test_weight_priority_and_units_are_factors():
    plain = block_of(c.pin("RightHandCentre", [0.3, 0, 1], 0.5), JUMP).weight
    heavy = block_of(c.pin("RightHandCentre", [0.3, 0, 1], 0.5, weight=3.0), JUMP).weight
    np.testing.assert_allclose(heavy, 3 * plain)
    for priority, share in ((1, 0.1), (2, 0.01), (3, 0.01)):
        lower = block_of(c.pin("RightHandCentre", [0.3, 0, 1], 0.5, priority=priority), JUMP).weight
        np.testing.assert_allclose(lower, share * plain)
