"""Dense parts of the prioritised solver, against numpy, and multipliers against a lexicographic oracle."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solvers.prioritised import (
    HEAVIEST,
    add_squares,
    bounded_step,
    damped_step,
    expected_fall,
    factor,
    next_level,
    substitute,
)


def definite(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T + 0.1 * np.eye(n)


def lexicographic(levels, x):
    """Least squares of each (A, b) in the null space of all before it, as near to x as can be."""
    free = np.eye(len(x))
    for a, b in levels:
        u, s, vt = np.linalg.svd(a @ free)
        rank = int((s > 1e-9 * np.linalg.norm(a)).sum())
        x = x + free @ vt[:rank].T @ ((u.T @ (b - a @ x))[:rank] / s[:rank])
        free = free @ vt[rank:].T
        if not free.shape[1]:
            break
    return x


@pytest.mark.parametrize("n", [1, 2, 3, 8, 21, 40])
def test_factor_and_substitution_solve_as_numpy_does(rng, n):
    a, b = definite(rng, n), rng.normal(size=n)
    u, x = np.triu(a), b.copy()
    assert factor(u)
    substitute(u, x)
    np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.triu(u).T @ np.triu(u), a, atol=1e-12 * n)


@pytest.mark.parametrize("place", [0, 1, 4, 6])
def test_a_matrix_that_is_not_positive_definite_is_refused(rng, place):
    a = definite(rng, 7)
    a[place, place] = -1.0
    assert not factor(np.triu(a))


def test_squares_are_added_to_the_lower_triangle(rng):
    j, w, h = rng.normal(size=(5, 9)), rng.uniform(0, 2, 5), definite(rng, 9)
    j[:, 4:7] = 0.0
    out = np.tril(h)
    add_squares(j, w, out)
    np.testing.assert_allclose(out, np.tril(h + j.T @ (w[:, None] * j)), atol=1e-12)


def test_a_step_with_prescribed_components_solves_the_kkt_system(rng):
    n, damping = 9, 0.3
    h, g = definite(rng, n), rng.normal(size=n)
    locked = np.array([0, 1, 0, 0, 1, 0, 0, 0, 1])
    told, d = np.where(locked, rng.normal(size=n), 0.0), np.empty(n)
    assert damped_step(np.tril(h), g, damping, locked, told, np.empty((n, n)), d)
    a = np.eye(n)[locked == 1]
    kkt = np.block([[h + damping * np.eye(n), a.T], [a, np.zeros((3, 3))]])
    np.testing.assert_allclose(
        d, np.linalg.solve(kkt, np.concatenate([-g, told[locked == 1]]))[:n], atol=1e-10
    )


def test_a_heavy_row_is_met_as_a_kkt_constraint_would(rng):
    """The penalty's step with its multiplier is the dense KKT step once the multiplier has settled."""
    n, hard, soft = 12, rng.normal(size=(3, 12)), rng.normal(size=(6, 12))
    e, s, p = rng.normal(size=3), rng.normal(size=6), 0.1
    base = p * np.eye(n) + soft.T @ soft
    kkt = np.block([[base, hard.T], [hard, np.zeros((3, 3))]])
    wanted = np.linalg.solve(kkt, -np.concatenate([soft.T @ s, e]))[:n]
    weight, multiplier, d = 1e4, np.zeros(3), np.empty(n)
    for _ in range(4):
        h = base + weight * hard.T @ hard
        g = soft.T @ s + hard.T @ (multiplier + weight * e)
        assert damped_step(np.tril(h), g, 0.0, np.zeros(n, dtype=np.int64), np.zeros(n), np.empty((n, n)), d)
        multiplier += weight * (e + hard @ d)
    np.testing.assert_allclose(d, wanted, atol=1e-10)
    assert np.abs(e + hard @ d).max() < 1e-12


def test_bounded_steps_pass_no_bound_and_fall_as_expected(rng):
    n = 10
    for _ in range(40):
        h, g = definite(rng, n), rng.normal(size=n)
        x = rng.uniform(-1, 1, n)
        lower, upper = x - rng.uniform(0, 0.5, n), x + rng.uniform(0, 0.5, n)
        free, d = (rng.uniform(size=n) > 0.2).astype(np.int64), np.empty(n)
        used = bounded_step(
            np.tril(h), g, 0.0, x, lower, upper, free, np.empty(n, dtype=np.int64), np.empty(n), np.empty((n,
            n)), d
        )  # fmt: skip
        assert used == 0.0
        assert (x + d >= lower - 1e-12).all()
        assert (x + d <= upper + 1e-12).all()
        assert (d[free == 0] == 0).all()
        fall = expected_fall(np.tril(h), g, d)
        assert fall == pytest.approx(-(g @ d + 0.5 * d @ h @ d), abs=1e-12)


def test_directions_that_curve_downwards_are_damped_or_put_on_their_bound():
    h, g = np.diag([1.0, -5.0]), np.array([1.0, 1.0])
    scratch = np.empty(2, dtype=np.int64), np.empty(2), np.empty((2, 2))
    free, d, far = np.ones(2, dtype=np.int64), np.empty(2), np.full(2, 1e9)
    used = bounded_step(h, g, 0.0, np.zeros(2), -far, far, free, *scratch, d)
    assert used > 5.0
    assert (d < 0).all()
    near = np.array([1e9, 0.1])
    used = bounded_step(h, g, 0.0, np.zeros(2), -near, near, free, *scratch, d)
    assert used == 0.0, "what ends on its bound needs no damping"
    np.testing.assert_allclose(d, [-1.0, -0.1])


def settle(a, b, levels, pose, p, soft, *, limit=200):
    """The linear problem solved by multipliers alone, as ``next_level`` directs: each point is exact."""
    rank = np.concatenate([np.full(len(x), k) for k, x in enumerate(levels)])
    count = len(levels)
    heavy = 1e3 * 1e3 ** np.arange(count - 1, -1, -1.0)
    missed, multiplier, shift = np.full(count, 1e300), np.zeros(len(b)), np.zeros(len(b))
    top, live, x = 0, np.ones(len(b), dtype=np.int64), pose
    still, d, most = np.zeros(len(x), dtype=np.int64), np.empty(len(x)), HEAVIEST * heavy[0]
    for _ in range(limit):
        faint = 1e-4 if top < count else 1.0
        w = heavy[rank] * np.where(rank > top, faint, 1.0)
        h = faint * (p * np.eye(len(pose)) + soft[0].T @ soft[0]) + a.T @ (w[:, None] * a)
        for _ in range(4):  # h spans fifteen orders of magnitude: refined step by step, as the solver does
            pull = p * (x - pose) + soft[0].T @ (soft[0] @ x - soft[1])
            g = faint * pull + a.T @ (multiplier + w * (a @ x - b - shift))
            assert damped_step(np.tril(h), g, 0.0, still, np.zeros(len(x)), np.empty(h.shape), d)
            x = x + d
        e = a @ x - b
        now = next_level(top, True, rank, live, e, w, 1e-10, multiplier, shift, heavy, most, missed)
        if now > count:
            return x, shift
        top = now if now >= 0 else top
    raise AssertionError("multipliers did not settle")


@pytest.mark.parametrize("seed", range(12))
def test_levels_come_out_as_the_lexicographic_oracle_has_them(seed):
    """Three or four levels, some repeated with other targets: those conflict, and the lower one gives way."""
    rng = np.random.default_rng(seed)
    n, sizes = 10, [(2, 3, 2), (3, 3, 2, 2), (2, 2, 2)][seed % 3]
    rows = [rng.normal(size=(m, n)) for m in sizes]
    rows[1][0] = rows[0][0]  # the same row again: level 1 cannot have its way
    rows[-1][0] = rows[0][1] + rows[1][1]
    targets = [rng.normal(size=m) for m in sizes]
    pose, p = rng.normal(size=n), 0.1
    heavy_soft = (30.0 * rng.normal(size=(3, n)), 30.0 * rng.normal(size=3))
    x, missed = settle(np.vstack(rows), np.concatenate(targets), rows, pose, p, heavy_soft)
    stacked = np.vstack([heavy_soft[0], np.sqrt(p) * np.eye(n)])
    last = (stacked, np.concatenate([heavy_soft[1], np.sqrt(p) * pose]))
    oracle = lexicographic([*zip(rows, targets), last], np.zeros(n))
    np.testing.assert_allclose(np.vstack(rows) @ x, np.vstack(rows) @ oracle, atol=1e-7)
    np.testing.assert_allclose(x, oracle, atol=2e-4)  # the dense solve has sixteen digits for 1e12
    assert np.abs(missed[: sizes[0]]).max() == 0.0, "the first level is met"


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["h", "g"])
def test_numbers_that_are_none_end_without_a_step(rng, bad, where):
    """No damping makes them positive definite: the search for one has to end."""
    n = 5
    h, g = definite(rng, n), rng.normal(size=n)
    (h[2] if where == "h" else g)[:3] = bad
    h[0, 0] = -1.0
    d, free = np.ones(n), np.ones(n, dtype=np.int64)
    locked, u = np.zeros(n, dtype=np.int64), np.empty((n, n))
    far = np.full(n, np.inf)
    bounded_step(h, g, 1e-3, np.zeros(n), -far, far, free, locked, np.empty(n), u, d)
    assert where == "g" or not d.any()
