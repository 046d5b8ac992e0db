"""Splines against SciPy's, and what ends, knots and keys mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate

from poise.curves import BSpline, Combined, Hermite, InterpolatingCubic, Linear
from poise.errors import InputError, UnknownNameError

KEYS = np.array([0.0, 0.4, 0.55, 1.1, 1.3, 2.0])


@pytest.mark.parametrize("derivative", range(4))
def test_bsplines_agree_with_scipy(derivative: int) -> None:
    knots = np.array([0, 0, 0, 0, 0.3, 0.7, 0.7, 1.1, 1.9, 2, 2, 2.5])
    basis = BSpline(knots)
    times = np.random.default_rng(0).uniform(knots[3], knots[-4], 200)
    for k in range(basis.size):
        element = interpolate.BSpline.basis_element(knots[k : k + 5], extrapolate=False)
        inside = (times > knots[k]) & (times < knots[k + 4])
        expected = np.where(inside, np.nan_to_num(element(times, nu=derivative)), 0.0)
        np.testing.assert_allclose(basis.matrix(times, derivative).toarray()[:, k], expected, atol=1e-11)


def test_greville_centres_reproduce_time() -> None:
    basis = BSpline.at_keys(KEYS)
    times = np.linspace(*basis.unity, 50)
    np.testing.assert_allclose(basis.evaluate(times, basis.centres), times, atol=1e-14)


def test_free_bsplines_fade_out_beyond_their_keys() -> None:
    basis = BSpline.uniform(0.0, 3.0, 0.5)
    assert basis.size == 9
    assert basis.unity == (0.0, 3.0)
    assert basis.span == (-1.5, 4.5)
    ones = np.ones(basis.size)
    np.testing.assert_allclose(basis.evaluate([-1.5, 0.0, 1.7, 3.0, 4.5], ones), [0, 1, 1, 1, 0], atol=1e-15)


def test_bsplines_with_zero_ends_have_one_function_per_inner_key() -> None:
    basis = BSpline.at_keys(KEYS, ends="zero")
    assert basis.size == len(KEYS) - 2
    assert basis.span == (0.0, 2.0)
    assert basis.end_continuity == 1
    for derivative in (0, 1):
        assert np.abs(basis.matrix([0.0, 2.0], derivative).toarray()).max() < 1e-12
    assert np.abs(basis.matrix([0.0], 2).toarray()).max() > 1
    values = np.sin(KEYS[1:-1])
    matrix = basis.matrix(KEYS[1:-1]).toarray()  # such keys can always be interpolated
    np.testing.assert_allclose(basis.evaluate(KEYS[1:-1], np.linalg.solve(matrix, values)), values)


def test_uniform_spacing_is_fitted_to_the_interval() -> None:
    knots = BSpline.uniform(0.0, 1.0, 0.3, ends="zero").knots
    np.testing.assert_allclose(knots, [0, 0, 1 / 3, 2 / 3, 1, 1])
    assert BSpline.uniform(0.0, 1.0, 5.0, ends="zero").size == 1


def test_repeated_knots_cost_continuity() -> None:
    knots = np.array([0, 1, 2, 3, 3, 4, 5, 6, 6, 6, 7, 8.0])
    basis = BSpline(knots)
    assert basis.continuity == 0
    assert basis.end_continuity == 2
    assert BSpline(np.repeat([0.0, 1.0], 4)).end_continuity == -1
    assert BSpline([0.0, 1, 2, 3, 4]).unity is None


@pytest.mark.parametrize(
    "ends, condition", [("natural", "natural"), ("clamped", "clamped"), ("periodic", "periodic")]
)
def test_interpolating_cubics_agree_with_scipy(ends: str, condition: str, rng: np.random.Generator) -> None:
    basis = InterpolatingCubic(KEYS, ends=ends)
    values = rng.normal(size=(basis.size, 3))
    at_keys = np.concatenate([values, values[:1]]) if ends == "periodic" else values
    spline = interpolate.CubicSpline(KEYS, at_keys, bc_type=condition)
    times = np.linspace(0.0, 2.0, 77)[1:-1]
    for derivative in range(3):
        np.testing.assert_allclose(
            basis.evaluate(times, values, derivative), spline(times, derivative), atol=1e-11
        )
        np.testing.assert_allclose(
            basis.matrix(times, derivative) @ values, spline(times, derivative), atol=1e-11
        )


def test_zero_ended_cubics_are_clamped_at_zero(rng: np.random.Generator) -> None:
    basis = InterpolatingCubic(KEYS, ends="zero")
    values = rng.normal(size=basis.size)
    padded = np.concatenate([[0.0], values, [0.0]])
    times = np.linspace(0.0, 2.0, 40)
    expected = interpolate.CubicSpline(KEYS, padded, bc_type="clamped")(times)
    np.testing.assert_allclose(basis.evaluate(times, values), expected, atol=1e-13)


@pytest.mark.parametrize("ends", ["natural", "periodic"])
def test_cardinal_functions_are_local(ends: str) -> None:
    basis = InterpolatingCubic(np.arange(401) * 0.1, ends=ends)
    a, b = basis.support(200)
    assert 40 <= round((b - a) / 0.1) <= 70
    # Even keys: the lobes shrink by 2 − √3 from key to key.
    lobes = basis.matrix(20.05 + 0.1 * np.arange(2, 10)).toarray()[:, 200]
    np.testing.assert_allclose(lobes[1:] / lobes[:-1], -(2 - np.sqrt(3)), rtol=1e-3)
    matrix = basis.matrix(np.linspace(0, 40, 1201))
    assert matrix.nnz < 75 * 1201
    # Leaving the faintest lobes out changes no curve beyond rounding.
    values = np.random.default_rng(1).normal(size=basis.size)
    at_keys = np.append(values, values[0]) if ends == "periodic" else values
    exact = interpolate.CubicSpline(basis.keys, at_keys, bc_type=ends)
    times = np.linspace(0, 40, 1201)
    np.testing.assert_allclose(basis.evaluate(times, values), exact(times), atol=3e-14)


@pytest.mark.parametrize("ends", ["free", "periodic", "zero"])
def test_hermite_coefficients_are_values_and_slopes(ends: str, rng: np.random.Generator) -> None:
    basis = Hermite(KEYS, ends=ends)
    own = {"zero": KEYS[1:-1], "periodic": KEYS[:-1]}.get(ends, KEYS)
    coefficients = rng.normal(size=basis.size)
    np.testing.assert_allclose(basis.evaluate(own, coefficients), coefficients[::2], atol=1e-14)
    np.testing.assert_allclose(basis.evaluate(own, coefficients, 1), coefficients[1::2], atol=1e-13)
    if ends == "free":
        spline = interpolate.CubicHermiteSpline(KEYS, coefficients[::2], coefficients[1::2])
        times = np.linspace(0, 2, 50)
        np.testing.assert_allclose(basis.evaluate(times, coefficients), spline(times), atol=1e-13)


def test_hats_interpolate_linearly(rng: np.random.Generator) -> None:
    values = rng.normal(size=len(KEYS))
    times = np.linspace(0, 2, 50)
    np.testing.assert_allclose(
        Linear(KEYS).evaluate(times, values), np.interp(times, KEYS, values), atol=1e-15
    )
    loop = Linear(KEYS, ends="periodic").evaluate(times + 4.0, values[:-1])
    wrapped = np.append(values[:-1], values[0])
    np.testing.assert_allclose(loop, np.interp(times, KEYS, wrapped), atol=1e-14)


def test_the_last_frame_is_not_lost_to_rounding() -> None:
    end = 0.1 * 3  # 0.30000000000000004
    basis = Linear([0.0, 0.3])
    np.testing.assert_allclose(basis.evaluate([end, -1e-17], [2.0, 5.0]), [5.0, 2.0])
    assert basis.evaluate([0.3 + 1e-6], [2.0, 5.0]) == 0.0


def test_keys_of_uneven_scale_stay_accurate(rng: np.random.Generator) -> None:
    keys = np.concatenate([[0.0], np.cumsum([1.0, 1e-4, 1.0, 1e-4, 10.0])])
    basis = BSpline.at_keys(keys)
    times = rng.uniform(0, keys[-1], 300)
    matrix = basis.matrix(times).toarray()
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    reference = interpolate.BSpline.design_matrix(times, basis.knots, 3).toarray()
    np.testing.assert_allclose(matrix, reference, atol=1e-12)


def test_a_combined_basis_knows_whose_functions_are_whose() -> None:
    both = Combined((Linear(KEYS), BSpline.at_keys(KEYS)))
    assert both.columns(0) == slice(0, 6)
    assert both.columns(1) == slice(6, 14)
    times = np.linspace(0, 2, 9)
    np.testing.assert_array_equal(
        both.matrix(times)[:, both.columns(1)].toarray(), both.bases[1].matrix(times).toarray()
    )
    assert both.continuity == -1  # the hats end where the B-splines go on
    with pytest.raises(InputError, match="basis 2 does not exist"):
        both.columns(2)


@pytest.mark.parametrize(
    "make, culprit",
    [
        (lambda: BSpline([0, 1, 2, 3]), "at least 5 knots"),
        (lambda: BSpline([0, 1, 3, 2, 4]), r"knots\[3\]"),
        (lambda: BSpline([0, 0, 0, 0, 0, 1, 2]), "more than four"),
        (lambda: BSpline.uniform(1.0, 0.0, 0.1), "t1 must be after"),
        (lambda: BSpline.uniform(0.0, 1.0, 0.0), "spacing"),
        (lambda: Linear([0.0]), "at least 2"),
        (lambda: Hermite([0.0, 0.0]), r"keys\[1\]"),
        (lambda: InterpolatingCubic([0.0, 1.0], ends="zero"), "at least 3"),
        (lambda: Combined(()), "at least one"),
        (lambda: Combined((Linear([0.0, 1.0]), Linear([0.0, 1.0], ends="periodic"))), "different periods"),
    ],
)
def test_impossible_splines_are_refused_by_name(make: object, culprit: str) -> None:
    with pytest.raises(InputError, match=culprit):
        make()  # type: ignore[operator]


def test_unknown_ends_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="periodic"):
        Linear([0.0, 1.0], ends="periodical")
    with pytest.raises(UnknownNameError, match="clamped"):
        InterpolatingCubic([0.0, 1.0], ends="free")
