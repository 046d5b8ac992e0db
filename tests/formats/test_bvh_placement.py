"""Joints placed level by level are where they are one by one."""

from __future__ import annotations

import numpy as np
import pytest

from poise.formats.bvh.placement import place
from poise.manifold import so3


@pytest.mark.parametrize("count", [1, 2, 40])
def test_levels_are_joints_one_by_one(count):
    """x_i = x_p + R_p t_i, R_i = R_p r_i on random trees, two of whose joints may be roots."""
    rng = np.random.default_rng(count)
    parents = [-1, *[int(rng.integers(-1 if i == 2 else 0, i)) for i in range(1, count)]]
    where, turns = rng.normal(size=(5, count, 3)), so3.normalise(rng.normal(size=(5, count, 4)))
    positions, rotations = place(parents, where, turns)
    for i, up in enumerate(parents):
        if up < 0:
            np.testing.assert_array_equal(positions[:, i], where[:, i])
            np.testing.assert_array_equal(rotations[:, i], turns[:, i])
        else:
            over = so3.to_matrix(rotations[:, up])
            there = positions[:, up] + np.einsum("fij,fj->fi", over, where[:, i])
            assert np.abs(positions[:, i] - there).max() < 1e-12
            np.testing.assert_array_equal(rotations[:, i], so3.multiply(rotations[:, up], turns[:, i]))
