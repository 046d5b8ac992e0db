"""The least-norm solver on problems with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solvers import Known, least_norm


def numeric(function):
    def jacobian(x, r):
        step = 1e-7
        return np.stack(
            [(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))], 1
        )

    return jacobian


def test_a_linear_problem_gives_the_least_norm_solution(rng):
    a, b = rng.normal(size=(3, 7)), rng.normal(size=3)
    found = least_norm(lambda x: a @ x - b, lambda x, r: a, np.zeros(7), radius=100.0)
    assert found.reason == "met"
    assert found.iterations <= 2
    np.testing.assert_allclose(found.x, np.linalg.pinv(a) @ b, atol=1e-9)


def test_from_elsewhere_it_is_drawn_to_the_least_norm(rng):
    a, b = rng.normal(size=(3, 7)), rng.normal(size=3)
    found = least_norm(lambda x: a @ x - b, lambda x, r: a, rng.normal(size=7), radius=100.0)
    np.testing.assert_allclose(found.x, np.linalg.pinv(a) @ b, atol=1e-9)


def circle(x):
    return np.array([x[0] ** 2 + x[1] ** 2 - 4.0, x[2] - x[0] * x[1]])


def test_convergence_is_superlinear():
    found = least_norm(circle, numeric(circle), np.array([1.0, 0.5, 0.0]), accuracy=1e-13)
    assert found.reason == "met"
    sizes = np.array([h for h in found.history if h > 1e-14])
    rates = sizes[1:] / sizes[:-1]
    assert rates[-1] < 0.1 * rates[0]
    np.testing.assert_allclose(circle(found.x), 0, atol=1e-12)


def test_a_known_jacobian_saves_measuring_one():
    first = least_norm(circle, numeric(circle), np.array([1.0, 0.5, 0.0]))
    again = least_norm(circle, numeric(circle), first.x + 1e-3, known=Known(first.jacobian))
    assert again.reason == "met"
    assert again.jacobians <= first.jacobians


def test_an_impossible_problem_settles_in_least_squares():
    # x cannot be 1 and 3; the middle is best, and no number is ever lost.
    def torn(x):
        return np.array([np.tanh(x[0]) - 0.2, np.tanh(x[0]) - 0.6])

    found = least_norm(torn, numeric(torn), np.array([0.0]))
    assert found.reason in ("stationary", "stalled")
    assert np.tanh(found.x[0]) == pytest.approx(0.4, abs=1e-3)


def test_a_function_that_breaks_down_is_survived():
    def edgy(x):
        return np.array([x[0] - 5.0]) if x[0] < 2.0 else np.array([np.nan])

    found = least_norm(edgy, lambda x, r: np.array([[1.0]]), np.array([0.0]))
    assert np.isfinite(found.x).all()
    assert found.x[0] < 2.0
    assert found.reason != "met"


def test_derivatives_along_the_row_space_are_enough(rng):
    """Curved constraints on many unknowns: as few steps as with whole Jacobians, at m derivatives each."""
    a, curved = rng.normal(size=(2, 9)), 0.1 * rng.normal(size=(2, 9, 9))
    asked = []

    def residual(x):
        return a @ x + np.einsum("mij,i,j->m", curved, x, x) - 1.0

    def along(x, d):
        j = a + np.einsum("mij,j->mi", curved + np.swapaxes(curved, 1, 2), x)
        asked.append(9 if d is None else d.shape[1])
        return residual(x), j if d is None else j @ d

    def jacobian(x, r):
        return along(x, None)[1]

    found = least_norm(residual, jacobian, np.zeros(9), along=along, accuracy=1e-12)
    assert found.reason == "met"
    assert asked[0] == 9
    assert set(asked[1 : found.iterations + 1]) <= {1, 2}
    assert found.iterations <= 6
