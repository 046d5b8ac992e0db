"""Interpolation: exact, least norm, least squares, refused; against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from poise.curves import (
    Basis,
    BSpline,
    Combined,
    CompactBells,
    GaussianBells,
    GaussianDerivatives,
    Interpolation,
    Linear,
    SingularInterpolationError,
)
from poise.errors import InputError


def positions_and_velocities(count: int) -> tuple[Basis, np.ndarray, np.ndarray]:
    """A position and a velocity at each of several instants, one bell and one derivative bell for each."""
    instants = np.arange(count) * 0.5
    basis = Combined((GaussianBells(instants, 1.0), GaussianDerivatives(instants, 1.0)))
    return basis, np.tile(instants, 2), np.repeat([0, 1], count)


def test_positions_and_velocities_are_met(rng: np.random.Generator) -> None:
    basis, times, orders = positions_and_velocities(6)
    fit = Interpolation(basis, times, orders)
    assert fit.kind == "exact"
    values = rng.normal(size=(12, 7))
    coefficients = fit.solve(values)
    np.testing.assert_allclose(basis.evaluate(times[:6], coefficients), values[:6], atol=1e-12)
    np.testing.assert_allclose(basis.evaluate(times[:6], coefficients, 1), values[6:], atol=1e-11)


def test_one_factorisation_serves_many_solves(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    import scipy.sparse.linalg as sparse_linalg

    basis, times, orders = positions_and_velocities(6)
    fit = Interpolation(basis, times, orders)
    values = rng.normal(size=(12, 4))
    together = fit.solve(values)

    def refuse(*_: object) -> None:
        raise AssertionError("factorised again")

    monkeypatch.setattr(sparse_linalg, "splu", refuse)
    for column in range(4):
        np.testing.assert_allclose(fit.solve(values[:, column]), together[:, column], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(fit.solve(values), together)


def test_order_of_the_data_does_not_matter(rng: np.random.Generator) -> None:
    basis, times, orders = positions_and_velocities(4)
    values, shuffle = rng.normal(size=8), rng.permutation(8)
    np.testing.assert_allclose(
        Interpolation(basis, times[shuffle], orders[shuffle]).solve(values[shuffle]),
        Interpolation(basis, times, orders).solve(values),
        atol=1e-12,
    )


def test_too_few_data_give_the_least_norm(rng: np.random.Generator) -> None:
    basis = BSpline.uniform(0.0, 2.0, 0.1)
    times, orders = np.array([0.3, 0.9, 0.9, 1.7]), np.array([0, 0, 1, 2])
    fit = Interpolation(basis, times, orders)
    assert fit.kind == "minimum norm"
    values = rng.normal(size=(4, 3))
    dense = fit.matrix.toarray()
    np.testing.assert_allclose(fit.solve(values), np.linalg.pinv(dense) @ values, atol=1e-12)
    np.testing.assert_allclose(dense @ fit.solve(values), values, atol=1e-11)


def test_too_many_data_give_least_squares(rng: np.random.Generator) -> None:
    basis = BSpline.uniform(0.0, 2.0, 0.25)
    times = np.sort(rng.uniform(0.0, 2.0, 300))
    values, weights = rng.normal(size=(300, 2)), rng.uniform(0.1, 10.0, 300)
    plain, weighted = Interpolation(basis, times), Interpolation(basis, times, weights=weights)
    dense = plain.matrix.toarray()
    np.testing.assert_allclose(plain.solve(values), np.linalg.lstsq(dense, values)[0], atol=1e-11)
    root = np.sqrt(weights)[:, None]
    expected = np.linalg.lstsq(root * dense, root * values)[0]
    np.testing.assert_allclose(weighted.solve(values), expected, atol=1e-11)
    assert np.abs(plain.solve(values) - expected).max() > 1e-3


@pytest.mark.parametrize("spacing", [1.5, 0.9, 0.6])  # [σ]
def test_the_condition_is_estimated_within_a_small_factor(spacing: float) -> None:
    centres = np.arange(8) * spacing / 6.0
    basis = GaussianBells(centres, 1.0)
    square = Interpolation(basis, centres)
    true = np.linalg.cond(square.matrix.toarray(), 1)
    assert true / 3 < square.condition < true * 3
    between = np.linspace(centres[0], centres[-1], 60)
    tall = Interpolation(basis, between)
    dense = tall.matrix.toarray()
    true = np.linalg.cond(dense / np.abs(dense).max(axis=0))
    assert true / 3 < tall.condition < true * 10
    wide = Interpolation(BSpline.uniform(0.0, 3.0, 0.1), centres)
    true = np.linalg.cond(wide.matrix.toarray())
    assert true / 5 < wide.condition < true * 10


@pytest.mark.parametrize("spacing, condition", [(0.15, 1e7), (0.05, 1e10)])  # [σ]
def test_badly_conditioned_least_squares_keep_their_digits(spacing: float, condition: float) -> None:
    centres = np.arange(8) * spacing / 6.0
    basis = GaussianBells(centres, 1.0)
    times = np.linspace(centres[-1] - 0.5, 0.5, 200)
    truth = np.cos(np.arange(8.0))
    fit = Interpolation(basis, times)
    assert fit.condition > condition
    dense, values = fit.matrix.toarray(), basis.evaluate(times, truth)
    error = np.abs(fit.solve(values) - truth).max()
    assert error < 1e-16 * fit.condition
    normal_equations = np.linalg.solve(dense.T @ dense, dense.T @ values)
    assert error < 1e-5 * np.abs(normal_equations - truth).max()
    np.testing.assert_allclose(dense @ fit.solve(values), values, atol=1e-12)


def test_units_do_not_pass_for_bad_condition() -> None:
    """The same problem told in milliseconds' widths has the same condition."""
    conditions = []
    for unit in (1.0, 1e-4):
        instants = np.arange(5) * 0.5 * unit
        basis = Combined((GaussianBells(instants, 1.0 * unit), GaussianDerivatives(instants, 1.0 * unit)))
        conditions.append(Interpolation(basis, np.tile(instants, 2), np.repeat([0, 1], 5)).condition)
    assert conditions[1] == pytest.approx(conditions[0], rel=1e-6)


def test_large_problems_stay_sparse(rng: np.random.Generator) -> None:
    basis = BSpline.uniform(0.0, 100.0, 0.05)  # 2003 functions
    times = np.arange(0.0, 100.0, 1 / 120)
    fit = Interpolation(basis, times)
    truth = rng.normal(size=(basis.size, 2))
    np.testing.assert_allclose(fit.solve(basis.evaluate(times, truth)), truth, atol=1e-9)


# Refusals ----------------------------------------------------------------------------------------------


def refusal(basis: Basis, times: list[float], orders: list[int] | None = None) -> SingularInterpolationError:
    with pytest.raises(SingularInterpolationError) as caught:
        Interpolation(basis, times, orders)
    assert str(caught.value).startswith("the data do not determine one curve: ")
    return caught.value


def test_a_time_out_of_reach_is_named() -> None:
    problem = refusal(CompactBells([0.0, 0.5], 1.0), [0.0, 7.25])
    assert "value at 7.25 s" in str(problem)
    assert "-0.5 … 1 s" in str(problem)
    assert problem.equations.tolist() == [1]


def test_a_datum_given_twice_is_named() -> None:
    basis = BSpline.at_keys(np.arange(6.0))
    problem = refusal(basis, [0.5, 1.5, 1.5, 2.5], [0, 1, 1, 0])
    assert "more than one datum for velocity at 1.5 s" in str(problem)
    assert problem.equations.tolist() == [1, 2]


def test_a_function_that_nothing_determines_is_named() -> None:
    problem = refusal(Linear([0.0, 1.0, 2.0, 3.0]), [0.0, 0.2, 0.4, 0.6, 1.0])
    assert "no datum determines functions 2 (1 … 3 s), 3 (2 … 3 s)" in str(problem)
    assert problem.functions.tolist() == [2, 3]


def test_dependent_data_are_named() -> None:
    # Three values on one straight piece, and nothing on another.
    problem = refusal(Linear([0.0, 1.0, 2.0, 3.0]), [0.2, 0.5, 0.8, 2.5])
    assert problem.equations.tolist() == [0, 1, 2]
    assert problem.functions.tolist() == [2, 3]
    assert "value at 0.5 s" in str(problem)
    assert "do not tell apart functions 2" in str(problem)


def test_the_slope_of_a_bell_at_its_centre_is_out_of_reach() -> None:
    problem = refusal(GaussianBells([1.0], 1.0), [1.0], [1])
    assert "velocity at 1 s" in str(problem)


def test_functions_that_are_alike_are_named() -> None:
    problem = refusal(
        Combined((Linear([0.0, 1.0, 2.0]), Linear([0.0, 1.0, 2.0]))), list(np.linspace(0, 2, 20))
    )
    assert "do not tell apart" in str(problem)


@pytest.mark.parametrize(
    "arguments, culprit",
    [
        (([],), "empty"),
        (([0.0, np.nan],), "times"),
        (([0.0, 1.0], [0]), "derivatives"),
        (([0.0, 1.0], [0, 4]), r"derivatives\[1\]"),
        (([0.0, 1.0], [0, 0.5]), r"derivatives\[1\]"),
    ],
)
def test_nonsense_is_refused_by_name(arguments: tuple[object, ...], culprit: str) -> None:
    with pytest.raises(InputError, match=culprit):
        Interpolation(Linear([0.0, 1.0]), *arguments)  # type: ignore[arg-type]


def test_wrong_data_are_refused() -> None:
    fit = Interpolation(Linear([0.0, 1.0]), [0.0, 1.0])
    with pytest.raises(InputError, match="values"):
        fit.solve([1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="weights"):
        Interpolation(Linear([0.0, 1.0]), [0.0, 1.0], weights=[1.0, 0.0])
