"""What is said of a constraint's fate, and targets that are nothing but zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.constraints import Origin, Outcome

MET = Outcome("hand", "at 0.5 s", (1.0,), (1.0,), 2e-4, "m", 1e-3, True, 0.5)


def test_a_miss_says_when_and_why():
    assert str(MET) == "✓ hand: off by 0.0002 m (tolerance 0.001)"
    missed = replace(MET, met=False, error=0.25)
    assert str(missed) == "✗ hand: off by 0.25 m (tolerance 0.001) at 0.500 s"
    assert str(replace(missed, reason="out of reach")).endswith("at 0.500 s: out of reach")


def test_the_origin_is_zero_at_any_time():
    np.testing.assert_array_equal(Origin().at(np.array([0.0, 1.0, 2.5])), np.zeros((3, 1)))
    assert Origin().to_dict() == {"value": 0}
