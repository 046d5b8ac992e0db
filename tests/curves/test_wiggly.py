"""Wiggly splines against mpmath, the energy integral, and optimal control on a fine grid of forces."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poise.arrays import Array
from poise.curves import Hermite, Wiggly, oscillation
from poise.errors import InputError

REGIMES = {
    "cubic": (0.0, 0.0),
    "drag": (0.0, 3.0),
    "undamped": (60.0, 0.0),
    "swinging": (60.0, 1.5),
    "critical": (49.0, 7.0),
    "overdamped": (9.0, 20.0),
    "falling": (-12.0, 0.5),
    "stiff": (4e4, 30.0),
}
every_regime = pytest.mark.parametrize("regime", REGIMES.values(), ids=REGIMES.keys())


def exact(stiffness: float, damping: float, time: float) -> tuple[Array, Array, Array]:
    """Φ, G and Γ by Van Loan's exponential with as many digits as that needs."""
    mp = pytest.importorskip("mpmath")
    digits = 40 + int(2 * (abs(damping) + np.sqrt(abs(stiffness))) * time / 2.3)
    with mp.workdps(digits):
        lam, delta, t = mp.mpf(stiffness), mp.mpf(damping), mp.mpf(time)
        both = mp.matrix([[0, -1, 0, 0], [lam, 2 * delta, 0, 1], [0, 0, 0, -lam], [0, 0, 1, -2 * delta]])
        grown = mp.expm(both * t)
        transition = grown[2:4, 2:4].T
        gramian = transition * grown[0:2, 2:4]
        reply = mp.expm(mp.matrix([[0, 1, 0], [-lam, -2 * delta, 1], [0, 0, 0]]) * t)[0:2, 2]
        plain = [np.array(m.tolist(), dtype=np.float64) for m in (transition, gramian, reply)]
    return plain[0], plain[1], plain[2][:, 0]


@pytest.mark.parametrize("stiffness", [-30.0, 0.0, 1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("damping", [0.0, 1e-6, 1.0, 30.0, 1000.0, 2500.0])
def test_gramian_agrees_with_exact_arithmetic(stiffness: float, damping: float) -> None:
    transition, gramian, reply = exact(stiffness, damping, 1.0)
    found = oscillation(stiffness, damping, 1.0)
    size = np.sqrt(np.diag(gramian))
    assert np.abs((found.gramian - gramian) / np.outer(size, size)).max() < 1e-13
    unit = np.array([1.0, max(np.sqrt(abs(stiffness)), 2 * damping, 1.0)])
    scaled = (found.transition - transition) * unit / unit[:, None]
    assert np.abs(scaled).max() < 1e-12 * max(1.0, np.abs(transition * unit / unit[:, None]).max())
    assert_allclose(found.response, reply, atol=1e-12 * np.abs(reply).max())
    factor = found.factor
    assert_allclose((factor @ factor.T) / np.outer(size, size), gramian / np.outer(size, size), atol=1e-13)


@every_regime
def test_effort_is_the_integral_of_the_squared_force(regime: tuple[float, float]) -> None:
    lam, delta = regime
    basis = Wiggly([0.0, 0.3, 0.7], lam, delta)
    c = np.random.default_rng(5).normal(size=basis.size)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    total = 0.0
    for a, b in ((0.0, 0.3), (0.3, 0.7)):
        t = 0.5 * (a + b) + 0.5 * (b - a) * nodes
        x, v, acceleration = (basis.evaluate(t, c, k) for k in range(3))
        total += 0.25 * (b - a) * weights @ (acceleration + 2 * delta * v + lam * x) ** 2
    assert_allclose(0.5 * c @ basis.effort @ c, total, rtol=1e-9)


@every_regime
def test_no_force_on_a_fine_grid_does_better(regime: tuple[float, float]) -> None:
    """Piecewise constant forces, least norm: their effort and path tend to the spline's."""
    lam, delta = regime
    time, steps = 0.5, 4000
    basis = Wiggly([0.0, time], lam, delta)
    c = np.array([0.2, -1.0, 0.5, 2.0])
    step = oscillation(lam, delta, time / steps)
    reach = np.empty((steps, 2))  # state at the end per unit force in each step
    reach[-1] = step.response
    for k in range(steps - 2, -1, -1):
        reach[k] = step.transition @ reach[k + 1]
    wanted = c[2:] - oscillation(lam, delta, time).transition @ c[:2]
    force = reach @ np.linalg.solve(reach.T @ reach, wanted)
    effort = 0.5 * (force @ force) * time / steps
    assert_allclose(0.5 * c @ basis.effort @ c, effort, rtol=1e-4)
    state, path = c[:2], [c[0]]
    for f in force:
        state = step.transition @ state + step.response * f
        path.append(state[0])
    along = basis.evaluate(np.linspace(0, time, steps + 1), c)
    assert np.abs(along - path).max() < 1e-4 * (1 + np.abs(along).max())


def test_without_springs_it_is_the_hermite_cubic() -> None:
    keys, times = [0.0, 0.2, 0.9, 1.0], np.linspace(0, 1, 57)
    for derivative in range(4):
        assert_allclose(
            Wiggly(keys).matrix(times, derivative).toarray(),
            Hermite(keys).matrix(times, derivative).toarray(),
            atol=1e-9,
        )


@every_regime
def test_natural_slopes_make_curvature_continuous(regime: tuple[float, float]) -> None:
    basis = Wiggly([0.0, 0.25, 0.6, 1.0], *regime)
    values = np.random.default_rng(2).normal(size=(4, 3))
    c = basis.natural(values)
    assert_allclose(basis.evaluate(basis.keys, c), values, atol=1e-9)
    e = 1e-7
    left, right = (basis.evaluate(basis.keys[1:-1] + s * e, c, 2) for s in (-1, 1))
    assert_allclose(left, right, atol=1e-4 * np.abs(basis.evaluate(np.linspace(0, 1, 99), c, 2)).max())
    other = c.copy()
    other[3] += 0.1
    assert np.trace(other.T @ basis.effort @ other) > np.trace(c.T @ basis.effort @ c)


def test_swinging_speaks_of_hertz() -> None:
    basis = Wiggly.swinging([0.0, 1.0], 2.0, 1.0)
    assert_allclose([basis.stiffness, basis.damping], [(4 * np.pi) ** 2, 4 * np.pi])
    with pytest.raises(InputError, match="negative"):
        Wiggly([0.0, 1.0], 1.0, -1.0)
