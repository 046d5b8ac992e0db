"""Residuals and their derivatives, against one constraint at a time and against central differences."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.seen import is_path_rate
from poise.methods.loosen.simulate.shared_runs import runs_of


def problem_of(constraints, **options):
    """The problem ``hit`` would solve."""
    punch = clips.get("punch")
    return poise.hit(punch, constraints, "relaxed", 0.3, iterations=0, **options).problem


@pytest.fixture(scope="module")
def mixed():
    """Positions and velocities of both hands at two times, one of them bounded, one of lower priority."""
    return problem_of(
        [
            c.pin("RightHandCentre", (0.6, -0.2, 1.3), 0.7),
            c.at_rest("RightHandCentre", 0.7),
            c.pin("LeftHandCentre", (0.4, 0.3, 1.1), 0.7, priority=1),
            c.pin("RightHandCentre", (0.3, -0.3, 1.0), 1.2, lower=-0.05, upper=0.02, weight=0.5),
            c.moving("RightHandCentre", (0.1, 0.0, 0.4), 1.2),
        ]
    )


def test_constraints_measured_together_are_those_measured_alone(mixed, rng):
    u = 0.05 * rng.normal(size=mixed.unknowns)
    states = mixed.states(u)
    alone = []
    for rows in mixed.rows:
        kin = mixed.poses(states, rows)
        error = rows.constraint.error(kin, rows.times)
        if is_path_rate(rows.constraint):
            where = rows.sight.around
            places = Kinematics(mixed.character, states[where.ravel()]).point(rows.constraint.handle.point)
            places = places.reshape(*where.shape, 3)
            pace = (places[..., 2, :] - places[..., 0, :]) / (2 * mixed.simulator.clip.dt)
            error = pace - rows.constraint.target_at(kin, rows.times)
        alone.append((rows.constraint.violation(error) * rows.weight).ravel())
    np.testing.assert_allclose(mixed.residual(u), np.concatenate(alone), atol=1e-13)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_a_trial_that_runs_away_is_far_off_and_says_nothing_of_slopes(mixed, rng, bad):
    u = 0.05 * rng.normal(size=mixed.unknowns)
    good = mixed.states(u)
    gone = good.copy()
    gone[1, 5] = bad
    measured = mixed.measure(np.stack([good, gone]))
    np.testing.assert_array_equal(measured[0], mixed.residual(u))
    assert np.isinf(measured[1]).all()
    moved = np.array(good)
    moved[1, mixed.limbs.q[-1]] = bad
    sets = np.stack([good, good, moved])[:, :, mixed.limbs.q]
    r, j = mixed.trials._compared(u, sets, mixed.measure, base=1)
    assert np.isfinite(r).all()
    assert np.isfinite(j).all()


def central(problem, u, d, step=1e-4):
    return (problem.residual(u + step * d) - problem.residual(u - step * d)) / (2 * step)


def test_derivatives_of_single_states(rng):
    problem = problem_of([c.pin("RightHandCentre", (0.6, -0.2, 1.3), 0.7)])
    u = 0.05 * rng.normal(size=problem.unknowns)
    r, j = problem.linearised(u)
    np.testing.assert_array_equal(r, problem.residual(u))
    d = rng.normal(size=problem.unknowns)
    d /= np.linalg.norm(d)
    np.testing.assert_allclose(j @ d, central(problem, u, d), atol=1e-4 * np.linalg.norm(j))
    along = problem.linearised(u, d[:, None])
    np.testing.assert_array_equal(along[0], r)
    np.testing.assert_allclose(along[1][:, 0], j @ d, atol=1e-4 * np.linalg.norm(j))


def test_derivatives_of_runs_are_near(mixed, rng):
    """Trials that go on from one state to the next stand for windows that begin anew: nearly the same."""
    u = 0.05 * rng.normal(size=mixed.unknowns)
    r, j = mixed.linearised(u)
    np.testing.assert_allclose(r, mixed.residual(u), atol=1e-12)
    exact = np.stack([central(mixed, u, d) for d in np.eye(mixed.unknowns)], axis=1)
    assert np.linalg.norm(j - exact) < 0.15 * np.linalg.norm(exact)
    d = np.linalg.qr(rng.normal(size=(mixed.unknowns, 3)))[0]
    np.testing.assert_allclose(mixed.linearised(u, d)[1], j @ d, atol=0.02 * np.linalg.norm(j))


def test_runs_cover_their_windows():
    h = 0.01
    times = np.array([1.0, 0.5, 0.52, 0.48, 2.003, 0.505])
    steps = np.array([30, 30, 40, 30, 20, 30])
    runs = runs_of(times, steps, h)
    together = {frozenset(int(k) for k in run) for run in runs.members}
    assert frozenset({3, 1, 2}) in together or frozenset({3, 1}) in together
    for k, t in enumerate(times):
        rows = runs.grid[runs.start[k] : runs.end[k] + 1]
        np.testing.assert_allclose(rows, t + np.arange(-steps[k], 1) * h, atol=1e-12)
    for run, a, b in zip(runs.members, runs.bounds[:-1], runs.bounds[1:]):
        assert np.all(np.diff(times[run]) > 0)
        assert np.all((runs.start[run] >= a) & (runs.end[run] < b))
