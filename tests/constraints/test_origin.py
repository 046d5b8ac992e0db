"""Targets as data: a plain zero is the origin of whatever handle it is for, any other number is itself."""

from __future__ import annotations

import numpy as np

from poise.constraints import Fixed, Origin, Path, Target


def test_zero_is_the_origin_and_one_is_one():
    assert isinstance(Target.from_dict({"value": 0}), Origin)
    one = Target.from_dict({"value": 1})
    assert isinstance(one, Fixed)
    np.testing.assert_array_equal(one.at(np.array([0.0, 3.0])), [[1.0], [1.0]])
    path = Target.from_dict({"times": [0.0, 1.0], "values": [[0.0], [2.0]]})
    assert isinstance(path, Path)
    np.testing.assert_allclose(path.at(np.array([0.25])), [[0.5]])
