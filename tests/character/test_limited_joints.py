"""A joint is limited if any of its degrees of freedom is, on either side."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Joint, JointKind

FREE = np.full(3, np.inf)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_one_limit_is_enough(axis, side):
    bound = np.array(FREE)
    bound[axis] = 0.5
    lower, upper = (-bound, FREE) if side == "lower" else (-FREE, bound)
    assert Joint(JointKind.BALL, (0, 0, 1), lower, upper).limited


def test_none_is_none():
    assert not Joint.ball().limited
    assert not Joint.fixed().limited
