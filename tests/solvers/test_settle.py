"""Bounded least squares on problems with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares, lsq_linear

from poise.solvers import Solution, settle


def started(x, along):
    r, j = along(x, None)
    return Solution(x, r, j, 3, 4, 1, (float(np.linalg.norm(r)),), "stalled")


def test_a_linear_problem_within_bounds(rng):
    a, b = rng.normal(size=(6, 4)), 3 * rng.normal(size=6)
    bound = np.array([0.05, 0.1, 0.3, 9.0])

    def along(x, d):
        return a @ x - b, a

    found = settle(along, started(np.full(4, 20.0), along), bound=bound)  # from beyond the bounds
    wanted = lsq_linear(a, b, (-bound, bound), tol=1e-14).x
    assert np.any(np.abs(wanted) > 0.999 * bound)
    np.testing.assert_allclose(found.x, wanted, atol=2e-3)
    assert found.reason == "stationary"
    assert found.iterations > 3


def test_an_arm_stretches_towards_what_it_cannot_reach():
    """Two links of length 1 and a target at distance 3: both must point at it, along a curved valley."""

    def along(x, d):
        t = np.cumsum(x)
        r = np.array([np.cos(t).sum(), np.sin(t).sum()]) - 3 * np.array([np.cos(0.7), np.sin(0.7)])
        each = np.stack([-np.sin(t), np.cos(t)])
        return r, np.stack([each.sum(axis=1), each[:, 1]], axis=1)

    found = settle(along, started(np.array([-1.5, 2.0]), along), bound=np.full(2, 2.5))
    assert float(np.linalg.norm(found.residual)) == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(found.x, [0.7, 0.0], atol=1e-2)


def test_numbers_that_are_none_are_not_believed():
    def along(x, d):
        good = np.array([x[0] - 5.0]), np.array([[1.0]])
        return good if x[0] < 2.0 else (np.array([np.nan]), np.array([[np.nan]]))

    found = settle(along, started(np.zeros(1), along), bound=np.full(1, 9.0))
    assert np.isfinite(found.residual).all()
    assert found.x[0] < 2.0


def test_many_equations_take_few_jacobians(rng):
    """A bent problem of many rows within bounds: as low as a general solver gets, in a dozen Jacobians."""
    a, b = rng.normal(size=(40, 6)), 2 * rng.normal(size=40)
    bound = np.full(6, 0.4)

    def along(x, d):
        return np.tanh(a @ x) - b, a / np.cosh(a @ x)[:, None] ** 2

    begun = started(rng.normal(size=6), along)
    found = settle(along, begun, bound=bound)
    wanted = least_squares(
        lambda x: along(x, None)[0], found.x * 0.9, lambda x: along(x, None)[1], (-bound, bound), xtol=1e-12
    )
    assert float(found.residual @ found.residual) <= 2 * wanted.cost * (1 + 1e-4)
    assert found.jacobians - begun.jacobians <= 16
    assert (np.abs(found.x) <= bound + 1e-9).all()
