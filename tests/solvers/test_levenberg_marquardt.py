"""Damped steps that only ever lessen the error: against zeros and least misses that are known."""

import numpy as np
import pytest

from poise.solvers.levenberg_marquardt import Damping, lessen

DAMPING = Damping(1e-3, 0.1, 1e-12, 1e6)


def rosenbrock(x):
    """Zero at (1, 1), at the end of a bent valley."""
    return np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]]), np.array([[-20 * x[0], 10.0], [-1.0, 0.0]])


def circle_and_line(x):
    """A circle of radius 1 and a line at distance 2: nearest to both, by least squares, at y where
    (y² − 1) 2 y + (y − 2) = 0 on x = 0."""
    return np.array([x @ x - 1, x[1] - 2]), np.array([2 * x, [0.0, 1.0]])


def solved(function, start, **options):
    sizes = []

    def look(x):
        r = function(x)[0]
        sizes.append(float(np.linalg.norm(r)))
        return sizes[-1], r

    def step(x, r, damping):
        j = function(x)[1]
        return x - np.linalg.solve(j.T @ j + damping * np.eye(2), j.T @ r)

    given = {"iterations": 200, "enough": 1e-13, **options}
    return lessen(np.asarray(start, dtype=float), look, step, DAMPING, **given), sizes


@pytest.mark.parametrize("start", [(-1.2, 1.0), (5.0, -3.0), (0.0, 0.0)])
def test_a_zero_at_the_end_of_a_bent_valley_is_found(start):
    found, _ = solved(rosenbrock, start)
    np.testing.assert_allclose(found.x, [1.0, 1.0], atol=1e-12)
    assert found.size == np.linalg.norm(found.seen) < 1e-13


def test_a_least_miss_is_where_the_gradient_vanishes():
    found, _ = solved(circle_and_line, (0.3, 0.5), gain=1e-15)
    (y,) = (root.real for root in np.roots([2.0, 0.0, -1.0, -2.0]) if abs(root.imag) < 1e-12)
    np.testing.assert_allclose(found.x, [0.0, y], atol=1e-6)


def test_the_error_never_grows_and_the_least_seen_is_the_answer():
    for start in [(-1.2, 1.0), (40.0, -30.0)]:
        found, sizes = solved(rosenbrock, start, iterations=12)
        assert found.size == min(sizes)
        assert len(sizes) <= 13


def test_what_no_step_lessens_ends_by_damping():
    calls = []

    def step(x, seen, damping):
        calls.append(damping)
        return x + 1.0

    found = lessen(0.0, lambda x: (1.0 + x, None), step, DAMPING, iterations=10**6, enough=0.0)
    assert found.x == 0.0
    np.testing.assert_allclose(calls, 10.0 ** np.arange(-3, 7))


def test_below_rounding_the_first_refusal_ends_it():
    calls = []

    def step(x, seen, damping):
        calls.append(damping)
        return x + 1.0

    lessen(0.0, lambda x: (1.0 + x, None), step, DAMPING, iterations=50, enough=0.0, rounding=2.0)
    assert calls == [DAMPING.first]
