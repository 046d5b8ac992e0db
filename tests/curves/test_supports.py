"""Supports of cardinal functions: nothing lies outside, none is longer than the curve, few hold all of it."""

from __future__ import annotations

import numpy as np
import pytest

from poise.curves import Hermite, InterpolatingCubic, Linear

KINDS = [(kind, ends) for kind in (InterpolatingCubic, Hermite, Linear) for ends in kind.ENDS]


@pytest.mark.parametrize(("kind", "ends"), KINDS, ids=lambda each: getattr(each, "__name__", each))
@pytest.mark.parametrize("count", [4, 5, 7, 12, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 60, 90])
def test_supports_hold_all_and_little_more(kind, ends, count):
    """Of keys at uneven times. Cardinal functions of cubics fall by 2 + √3 from key to key."""
    rng = np.random.default_rng(count)
    keys = np.concatenate([[0.0], np.cumsum(rng.uniform(0.5, 1.5, count - 1))])
    basis = kind(keys, ends=ends)
    period = keys[-1]
    times = np.linspace(0.0, period, 1501)[:-1]
    values = basis.matrix(times).toarray()
    left, right = basis.supports.T
    assert (right > left).all()
    assert (right - left <= period * (1 + 1e-12)).all(), "no longer than the curve is"
    for k in range(basis.size):
        # A support that goes round the end of a loop may begin before 0 or end after the period.
        inside = np.zeros(len(times), dtype=bool)
        for turn in (-1, 0, 1) if ends == "periodic" else (0,):
            inside |= (times + turn * period >= left[k]) & (times + turn * period <= right[k])
        assert np.abs(values[~inside, k]).max(initial=0.0) < 1e-12
    if count == 90:
        assert np.median(right - left) < 0.75 * period, "far away nothing is felt"
