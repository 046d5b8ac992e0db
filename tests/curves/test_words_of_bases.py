"""What a basis says of itself: how many functions, over which time, and whether it repeats."""

from __future__ import annotations

from poise.curves import BSpline

KEYS = [0.0, 0.5, 1.5, 2.0]


def test_a_basis_says_its_size_its_span_and_whether_it_repeats():
    assert repr(BSpline.at_keys(KEYS)) == "BSpline(6 functions, -1.5 … 3.5 s)"
    assert repr(BSpline.at_keys(KEYS, ends="periodic")) == "BSpline(3 functions, 0 … 2 s, periodic)"
