"""Weights of a filled cell are made not negative without changing how much there is of it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("skfem")

from poise.dynamics.elastic.lattice import GAUSS, _non_negative


def test_the_sum_survives_and_nothing_is_negative():
    at, weight = np.polynomial.legendre.leggauss(GAUSS)
    at, weight = 0.5 * (at + 1), 0.5 * weight
    weights = np.einsum("i,j,k->ijk", weight, weight, weight).ravel()
    rng = np.random.default_rng(1)
    fill = rng.uniform(0.3, 1.0, size=(3, GAUSS**3))
    fill[1, 4] = -0.2
    found = _non_negative(fill, at, weights)
    assert (found >= 0).all()
    np.testing.assert_array_equal(found[[0, 2]], fill[[0, 2]])
    assert found[1] @ weights == pytest.approx(fill[1] @ weights, abs=2e-3)
