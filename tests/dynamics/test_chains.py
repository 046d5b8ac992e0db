"""Windows of a soft body run side by side are those that are run alone, forces of second order included."""

from __future__ import annotations

import numpy as np

from poise.dynamics.elastic.chains import run_along, run_chains


def test_side_by_side_as_alone():
    rng = np.random.default_rng(7)
    rows, m, h = 12, 4, 0.01
    table = np.concatenate(
        [0.3 * rng.normal(size=(rows, 2 * m, 2 * m)), rng.normal(size=(rows, 2 * m, 1))], axis=2
    )
    pulls = 5.0 * rng.normal(size=(6, m))  # of the first three modes by pairs
    start, count = np.array([0, 2, 2, 5]), np.array([12, 9, 4, 7])
    begin = rng.normal(size=(4, 2, m))
    together = np.empty((4, 2 * m))
    run_chains(0, 4, table, pulls, h, start, count, begin, together)
    for k, (first, steps) in enumerate(zip(start, count)):
        rest = np.zeros((2, 2 * m))
        rest[:, :m] = begin[k]
        alone = np.empty((steps + 1, 2, 2 * m))
        run_along(np.ascontiguousarray(table[first : first + steps]), pulls, h, rest, alone)
        np.testing.assert_allclose(together[k], alone[-1].sum(axis=0), rtol=1e-9, atol=1e-9)


def test_second_order_is_what_the_first_pulls():
    """z answers with −f(x), f being a sum over all pairs of the first modes."""
    m, h = 2, 0.1
    table = np.zeros((1, 4, 5))
    table[0, :, :4] = np.eye(4)
    pulls = np.array([[1.0, 0.0], [0.0, 10.0], [0.0, 0.0]])  # x₀², x₁ x₀, x₁²
    begin = np.array([[3.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    out = np.empty((2, 2, 4))
    run_along(table, pulls, h, begin, out)
    np.testing.assert_allclose(out[-1, 1], [0.0, 0.0, -h * 9.0, -h * 60.0])
    windows = np.empty((1, 4))
    run_chains(0, 1, table, pulls, h, np.array([0]), np.array([1]), begin[None, :, :m].copy(), windows)
    np.testing.assert_allclose(windows[0], out[-1].sum(axis=0))
