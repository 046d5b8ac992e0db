"""The smallest change within bounds: against a general optimiser, in bent states, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from poise.solvers import least_norm_within
from poise.solvers.bounds_least_norm import least_distance


@pytest.mark.parametrize("seed", range(6))
def test_least_distance_is_what_a_general_optimiser_finds(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(9, 5)), rng.normal(size=9)
    inside = least_distance(a, b)
    wanted = minimize(
        lambda y: 0.5 * y @ y, np.zeros(5), jac=lambda y: y, method="SLSQP",
        constraints={"type": "ineq", "fun": lambda y: b - a @ y, "jac": lambda y: -a},
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    if not wanted.success:
        assert inside is None or (a @ inside <= b + 1e-9).all()
        return
    np.testing.assert_allclose(inside, wanted.x, atol=1e-6)


def test_nothing_is_done_where_bounds_are_kept_and_nothing_found_where_they_exclude_each_other():
    np.testing.assert_array_equal(least_distance(np.ones((1, 2)), np.ones(1)), np.zeros(2))
    assert least_distance(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([-1.0, -1.0])) is None
    assert least_distance(np.zeros((1, 2)), np.array([-1.0])) is None


def bent(x):
    """Nearly linear states."""
    return np.array([x[0] + 0.05 * x[1] ** 2, x[1] - 0.03 * x[0] * x[1], x[0] - x[1], x[2]])


def above(zs):
    """Bounds that are bent as well: outside a ball, and a near copy of it."""
    gap = 1.0 - np.linalg.norm(zs[:, :2] + 1.5, axis=1)
    return np.stack([3.0 - np.linalg.norm(zs[:, :2] + 1.5, axis=1), gap, 0.2 - zs[:, 0] + 0.01 * zs[:, 3]], 1)


def test_bent_states_are_kept_within_bent_bounds_by_the_smallest_change():
    calls = []

    def states(x):
        calls.append(x)
        return bent(x)

    found = least_norm_within(states, above, np.zeros(3), accuracy=1e-9)
    assert found.reason == "met"
    assert found.iterations <= 6
    assert len(calls) == found.iterations + 1 + 3  # one of each iteration, the start, three trials
    assert (above(bent(found.x)[None])[0] <= 1e-9).all()
    wanted = minimize(
        lambda x: x @ x, [0.7, 0.6, 0.0], method="SLSQP", options={"ftol": 1e-14},
        constraints={"type": "ineq", "fun": lambda x: -above(bent(x)[None])[0]},
    )  # fmt: skip
    assert np.linalg.norm(found.x) == pytest.approx(np.linalg.norm(wanted.x), rel=0.02)


def test_what_cannot_be_is_told():
    found = least_norm_within(
        lambda x: x, lambda zs: np.stack([1 - zs[:, 0], 1 + zs[:, 0]], 1), np.zeros(2), accuracy=1e-9
    )
    assert found.reason == "stationary"
    far = least_norm_within(
        lambda x: x, lambda zs: 9 - zs[:, :1], np.zeros(2), accuracy=1e-9, allowed=lambda x: abs(x[0]) < 5
    )
    assert far.reason == "stationary"
