"""Lifts are smoothed over a moment, at any frame rate, and envelopes go as far as what they envelop."""

from __future__ import annotations

import numpy as np
import pytest

from poise.repair.depth import _envelope, _smooth


@pytest.mark.parametrize("fps", [120, 240, 480])
def test_a_jerk_spreads_over_fifteen_milliseconds(fps):
    """The variance of what an impulse becomes is that of the smoothing."""
    way = np.zeros(2 * fps + 1)
    way[fps] = 1.0
    found = _smooth(way, 1 / fps)
    t = (np.arange(len(way)) - fps) / fps
    assert found.sum() == pytest.approx(1.0)
    assert np.sqrt(found @ t**2) == pytest.approx(0.015, rel=0.02)


def test_an_envelope_goes_as_far_up_and_down():
    rng = np.random.default_rng(3)
    way = np.repeat(rng.normal(size=12), 10) * (np.arange(120) % 40 < 20)
    found = _envelope(way, 1 / 60)
    up, down = _envelope(np.maximum(way, 0), 1 / 60), _envelope(np.minimum(way, 0), 1 / 60)
    np.testing.assert_allclose(found, up + down, atol=1e-12)
    assert (up >= np.maximum(way, 0) - 0.06).all()
    assert (down <= np.minimum(way, 0) + 0.06).all()
