"""What every curve basis promises, tested over all kinds and all options of ends."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.curves import (
    MAX_DERIVATIVE,
    Basis,
    BSpline,
    Combined,
    CompactBells,
    EaseBells,
    GaussianBells,
    GaussianDerivatives,
    Hermite,
    InterpolatingCubic,
    Interpolation,
    Linear,
    TangentCurve,
    Wiggly,
    basis_kinds,
)
from poise.errors import InputError

KEYS = np.array([0.0, 0.4, 0.55, 1.1, 1.3, 2.0])
CLAMPED = np.concatenate([[0.0] * 4, [0.5, 0.8, 0.8, 1.4], [2.0] * 4])


def interpolating(kind: type[Basis], ends: tuple[str, ...]) -> dict[str, Basis]:
    return {f"{kind.__name__}-{end}": kind(KEYS, ends=end) for end in ends}  # type: ignore[call-arg]


EVERY: dict[str, Basis] = {
    "gaussian": GaussianBells([0.7, 1.2, 5.0], [1.0, 0.5, 2.0]),
    "gaussian_derivative": GaussianDerivatives([0.7, 1.2, 5.0], [1.0, 0.5, 2.0]),
    "compact": CompactBells([0.7, 1.2, 5.0], [1.0, 0.5, 2.0]),
    "ease": EaseBells([0.7, 1.2, 5.0], [0.3, 0.5, 1.0], [0.9, 0.2, 0.4]),
    "ease-hold": EaseBells([0.7, 1.2], 0.4, 0.25, [0.5, 0.0]),
    "bspline-free": BSpline.at_keys(KEYS),
    "bspline-zero": BSpline.at_keys(KEYS, ends="zero"),
    "bspline-periodic": BSpline.at_keys(KEYS, ends="periodic"),
    "bspline-short-loop": BSpline.at_keys([0.0, 0.7, 1.5], ends="periodic"),
    "bspline-uniform": BSpline.uniform(-1.0, 2.0, 0.21),
    "bspline-clamped": BSpline(CLAMPED),
    **interpolating(InterpolatingCubic, InterpolatingCubic.ENDS),
    **interpolating(Hermite, Hermite.ENDS),
    **interpolating(Linear, Linear.ENDS),
    **{f"wiggly-{ends}": Wiggly(KEYS, 30.0, 0.8, ends) for ends in Wiggly.ENDS},
    "wiggly-overdamped": Wiggly(KEYS, 2.0, 6.0),
    "wiggly-falling": Wiggly(KEYS, -4.0, 0.1),
    "cubic-long": InterpolatingCubic(np.arange(100) * 0.1),
    "cubic-long-loop": InterpolatingCubic(np.arange(101) * 0.1, ends="periodic"),
    "cubic-many-keys": InterpolatingCubic(np.arange(300) * 0.1, ends="clamped"),
    "cubic-short-loop": InterpolatingCubic([0.0, 0.7, 1.5], ends="periodic"),
    "linear-short-loop": Linear([0.0, 0.7, 1.5], ends="periodic"),
    "combined": Combined((GaussianBells([1.0], 0.9), GaussianDerivatives([1.0], 0.9), BSpline.at_keys(KEYS))),
    "combined-loop": Combined((Linear(KEYS, ends="periodic"), BSpline.at_keys(KEYS, ends="periodic"))),
}

every_basis = pytest.mark.parametrize("basis", EVERY.values(), ids=EVERY.keys())
LOOPS = {name: basis for name, basis in EVERY.items() if basis.period is not None}
every_loop = pytest.mark.parametrize("basis", LOOPS.values(), ids=LOOPS.keys())
# Hats and B-splines around a loop both make constants, so together they are not independent.
INDEPENDENT = {name: basis for name, basis in EVERY.items() if name != "combined-loop"}
every_independent = pytest.mark.parametrize("basis", INDEPENDENT.values(), ids=INDEPENDENT.keys())


def breaks(basis: Basis) -> np.ndarray:
    """Instants at which a derivative may jump."""
    if isinstance(basis, Combined):
        return np.unique(np.concatenate([breaks(b) for b in basis.bases]))
    if isinstance(basis, (GaussianBells, GaussianDerivatives)):
        reach = np.array([-4, -3, 3, 4])
        return np.unique(basis.centres[:, None] + basis.sigmas[:, None] * reach)
    if isinstance(basis, EaseBells):
        return np.unique([basis.supports.T, [basis.peaks, basis.peaks + basis.holds]])
    if isinstance(basis, CompactBells):
        return np.unique(basis.supports)
    return np.unique(basis.knots if isinstance(basis, BSpline) else basis.keys)  # type: ignore[attr-defined]


def smooth_times(basis: Basis, *, margin: float = 1e-3) -> np.ndarray:
    """Instants in and around the span, none of them near a break."""
    t0, t1 = basis.span
    times = np.random.default_rng(7).uniform(t0 - 0.3, t1 + 0.3, 200)
    near = breaks(basis)
    if basis.period is not None:
        near = np.concatenate([near - basis.period, near, near + basis.period])
    return times[np.abs(times[:, None] - near).min(axis=1) > margin]


def test_every_kind_is_tested_here() -> None:
    assert {basis.kind for basis in EVERY.values()} == set(basis_kinds())


@every_basis
def test_shapes_and_types(basis: Basis) -> None:
    times = smooth_times(basis)
    matrix = basis.matrix(times)
    assert matrix.format == "csr"
    assert matrix.has_sorted_indices
    assert matrix.shape == (len(times), basis.size)
    assert basis.supports.shape == (basis.size, 2)
    assert not basis.supports.flags.writeable
    assert basis.matrix([]).shape == (0, basis.size)
    coefficients = np.ones((basis.size, 3))
    assert basis.evaluate(times, coefficients).shape == (len(times), 3)
    assert basis.evaluate(times, coefficients[:, 0]).shape == (len(times),)


@every_basis
@pytest.mark.parametrize("derivative", range(1, MAX_DERIVATIVE + 1))
def test_derivatives_agree_with_central_differences(basis: Basis, derivative: int) -> None:
    times = smooth_times(basis)
    h = 1e-4
    below = [basis.matrix(times + k * h, derivative - 1).toarray() for k in (-2, -1, 1, 2)]
    differences = (below[0] - 8 * below[1] + 8 * below[2] - below[3]) / (12 * h)
    exact = basis.matrix(times, derivative).toarray()
    scale = 1.0 + np.abs(exact).max()
    np.testing.assert_allclose(exact, differences, atol=1e-8 * scale)
    if derivative == 1:
        assert np.abs(exact).max() > 0.1


@every_basis
def test_zero_outside_the_support_and_not_inside(basis: Basis) -> None:
    t0, t1 = basis.span
    for k in range(basis.size):
        a, b = basis.support(k)
        assert b > a
        if basis.period is not None:
            assert b - a <= basis.period * (1 + 1e-12)
        inside = np.random.default_rng(k).uniform(
            a, b, 40
        )  # random: never on the zeros of cardinal functions
        assert basis.matrix(inside).toarray()[:, k].all()
        # Right up to both ends: a support that is too wide would be caught here.
        edges = np.array([a + 1e-3 * (b - a), b - 1e-3 * (b - a)])
        assert basis.matrix(edges).toarray()[:, k].all()
        if basis.period is None:
            outside = np.concatenate([np.linspace(t0 - 1, a, 20), np.linspace(b, t1 + 1, 20)])
            outside = outside[(outside < a - 1e-8) | (outside > b + 1e-8)]
        else:
            outside = (
                np.linspace(b + 1e-9, a + basis.period - 1e-9, 20) if b < a + basis.period - 1e-6 else []
            )
        for derivative in range(MAX_DERIVATIVE + 1):
            assert not basis.matrix(outside, derivative).toarray()[:, k].any()


@every_basis
def test_sparse_matrix_touches_only_what_meets(basis: Basis) -> None:
    times = smooth_times(basis)
    matrix = basis.matrix(times)
    for k in range(basis.size):
        a, b = basis.support(k)
        meets = (times >= a) & (times <= b)
        if basis.period is not None:
            meets = np.mod(times - a, basis.period) <= b - a
        touched = np.zeros(len(times), dtype=bool)
        touched[matrix[:, [k]].nonzero()[0]] = True
        assert not (touched & ~meets).any()


@every_basis
def test_sparse_matrix_equals_evaluation_of_each_function_at_each_time(basis: Basis) -> None:
    times = smooth_times(basis)[:40]
    for derivative in range(MAX_DERIVATIVE + 1):
        matrix = basis.matrix(times, derivative).toarray()
        one_by_one = np.array([basis.evaluate([t], np.eye(basis.size), derivative)[0] for t in times])
        np.testing.assert_allclose(matrix, one_by_one, rtol=1e-12, atol=1e-12 * (1 + np.abs(matrix).max()))


@every_basis
def test_continuity_is_what_is_promised_and_no_less(basis: Basis) -> None:
    """Jumps across each break: none up to the promised order, at least one in the order above."""
    t0, t1 = basis.span
    inner = [t for t in breaks(basis) if t0 + 1e-9 < t < t1 - 1e-9]
    ends = [t0, t1]

    def jump(times: list[float], order: int) -> float:
        # Polynomial extrapolation from both sides to the break removes the slope of the derivative itself.
        e = 1e-5 * np.array([1, 2, 3])
        weights = np.array([3.0, -3.0, 1.0])
        right = [weights @ basis.matrix(t + e, order).toarray() for t in times]
        left = [weights @ basis.matrix(t - e, order).toarray() for t in times]
        return float(np.abs(np.array(right) - np.array(left)).max()) if times else 0.0

    def scale(order: int) -> float:
        return 1.0 + float(np.abs(basis.matrix(np.linspace(t0, t1, 500), order).toarray()).max())

    for order in range(min(basis.continuity, MAX_DERIVATIVE) + 1):
        assert jump(inner, order) < 1e-8 * scale(order)
    for order in range(min(basis.end_continuity, MAX_DERIVATIVE) + 1):
        assert jump(ends, order) < 1e-8 * scale(order)
    if inner and basis.continuity < MAX_DERIVATIVE:
        assert jump(inner, basis.continuity + 1) > 1e-2
    if basis.end_continuity < MAX_DERIVATIVE:
        assert jump(ends, basis.end_continuity + 1) > 1e-2


@every_loop
def test_periodic_bases_repeat(basis: Basis) -> None:
    assert basis.period is not None
    times = smooth_times(basis)
    for derivative in range(MAX_DERIVATIVE + 1):
        once = basis.matrix(times, derivative).toarray()
        scale = 1.0 + np.abs(once).max()
        for turns in (-2, 1, 5):
            again = basis.matrix(times + turns * basis.period, derivative).toarray()
            np.testing.assert_allclose(again, once, atol=1e-10 * scale)


@every_basis
def test_curves_are_linear_in_their_coefficients(basis: Basis, rng: np.random.Generator) -> None:
    times = smooth_times(basis)
    a, b = rng.normal(size=(2, basis.size, 3))
    for derivative in range(MAX_DERIVATIVE + 1):
        parts = 2.0 * basis.evaluate(times, a, derivative) - 3.0 * basis.evaluate(times, b, derivative)
        whole = basis.evaluate(times, 2.0 * a - 3.0 * b, derivative)
        np.testing.assert_allclose(whole, parts, atol=1e-12 * (1 + np.abs(parts).max()))


@every_basis
def test_order_and_repetition_of_times_do_not_matter(basis: Basis, rng: np.random.Generator) -> None:
    times = smooth_times(basis)
    shuffle = rng.permutation(len(times))
    twice = np.concatenate([shuffle, shuffle])
    np.testing.assert_array_equal(basis.matrix(times[twice]).toarray(), basis.matrix(times).toarray()[twice])


@every_independent
def test_functions_are_independent(basis: Basis) -> None:
    t0, t1 = basis.span
    dense = basis.matrix(np.linspace(t0, t1, 40 * basis.size + 1)).toarray()
    assert np.linalg.matrix_rank(dense) == basis.size


@every_basis
def test_round_trip_through_json_is_exact(basis: Basis, rng: np.random.Generator) -> None:
    again = Basis.from_dict(json.loads(json.dumps(basis.to_dict())))
    assert again == basis
    assert hash(again) == hash(basis)
    assert type(again) is type(basis)
    times = smooth_times(basis)
    np.testing.assert_array_equal(again.matrix(times).toarray(), basis.matrix(times).toarray())
    curve = TangentCurve(basis, rng.normal(size=(basis.size, 4)), np.array([True, False, True, True]))
    assert TangentCurve.from_dict(json.loads(json.dumps(curve.to_dict()))) == curve


@every_basis
def test_bases_compare_by_value(basis: Basis) -> None:
    for other in EVERY.values():
        assert (basis == other) == (basis is other)


@every_independent
def test_interpolation_finds_the_coefficients_again(basis: Basis, rng: np.random.Generator) -> None:
    t0, t1 = basis.span
    times = np.linspace(t0, t1, 12 * basis.size + 3)
    fit = Interpolation(basis, times)
    assert fit.kind == "least squares"
    coefficients = rng.normal(size=(basis.size, 5))
    for part in (coefficients, coefficients[:, :1], coefficients[:, 0]):  # the same factorisation serves all
        solved = fit.solve(basis.evaluate(times, part))
        np.testing.assert_allclose(solved, part, atol=1e-10)


@every_basis
@pytest.mark.parametrize(
    "times, derivative", [([0.1, np.nan], 0), ([[0.1]], 0), (0.1, 0), ([0.1], 4), ([0.1], -1), (["x"], 0)]
)
def test_nonsense_is_refused(basis: Basis, times: object, derivative: int) -> None:
    with pytest.raises(InputError):
        basis.matrix(times, derivative)  # type: ignore[arg-type]


@every_basis
def test_wrong_coefficients_and_functions_are_refused(basis: Basis) -> None:
    with pytest.raises(InputError, match="coefficients"):
        basis.evaluate([0.0], np.zeros((basis.size + 1, 2)))
    with pytest.raises(InputError, match="does not exist"):
        basis.support(basis.size)


# Random knots -----------------------------------------------------------------------------------------

gaps = st.lists(st.floats(0.05, 2.0), min_size=3, max_size=12)
starts = st.floats(-10.0, 10.0)
fractions = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20)


def random_keys(start: float, steps: list[float]) -> np.ndarray:
    return start + np.concatenate([[0.0], np.cumsum(steps)])


@given(starts, gaps, fractions, st.sampled_from(["free", "periodic"]))
@settings(max_examples=60, deadline=None)
def test_bsplines_are_a_partition_of_unity(
    start: float, steps: list[float], where: list[float], ends: str
) -> None:
    basis = BSpline.at_keys(random_keys(start, steps), ends=ends)
    assert basis.unity is not None
    t0, t1 = basis.unity
    times = t0 + np.array(where) * (t1 - t0)
    matrix = basis.matrix(times).toarray()
    assert matrix.min() >= -1e-13
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    for derivative in (1, 2):
        size = np.abs(basis.matrix(times, derivative).toarray()).max()
        total = basis.matrix(times, derivative).toarray().sum(axis=1)
        np.testing.assert_allclose(total, 0.0, atol=1e-12 * (1 + size))


@given(starts, gaps, st.sampled_from(["natural", "clamped", "zero", "periodic"]))
@settings(max_examples=60, deadline=None)
def test_cubics_are_cardinal(start: float, steps: list[float], ends: str) -> None:
    keys = random_keys(start, steps)
    basis = InterpolatingCubic(keys, ends=ends)
    own = {"zero": keys[1:-1], "periodic": keys[:-1]}.get(ends, keys)
    np.testing.assert_allclose(basis.matrix(own).toarray(), np.eye(basis.size), atol=1e-12)


@given(starts, gaps, st.tuples(*[st.floats(-2.0, 2.0)] * 4), st.sampled_from(["bspline", "hermite"]))
@settings(max_examples=60, deadline=None)
def test_interpolation_reproduces_cubics(
    start: float, steps: list[float], powers: tuple[float, ...], kind: str
) -> None:
    keys = random_keys(start, steps)
    middle = 0.5 * (keys[0] + keys[-1])
    cubic = np.polynomial.Polynomial(powers)
    basis: Basis
    if kind == "bspline":  # values at the keys and slopes at the two ends
        basis = BSpline.at_keys(keys)
        times, orders = np.concatenate([keys, keys[[0, -1]]]), np.array([0] * len(keys) + [1, 1])
    else:
        basis = Hermite(keys)
        times, orders = np.repeat(keys, 2), np.tile([0, 1], len(keys))
    values = np.where(orders == 0, cubic(times - middle), cubic.deriv()(times - middle))
    fit = Interpolation(basis, times, orders)
    assert fit.kind == "exact"
    assert fit.condition < 1e8
    coefficients = fit.solve(values)
    between = np.linspace(keys[0], keys[-1], 50)
    scale = 1.0 + np.abs(values).max()
    np.testing.assert_allclose(
        basis.evaluate(between, coefficients), cubic(between - middle), atol=1e-9 * scale
    )


@given(starts, gaps, fractions)
@settings(max_examples=60, deadline=None)
def test_sparse_equals_dense_for_bells_anywhere(start: float, steps: list[float], where: list[float]) -> None:
    centres, widths = random_keys(start, steps)[:-1], np.array(steps)
    times = start - 1.0 + np.array(where) * (sum(steps) + 2.0)
    for bells in (
        CompactBells(centres, widths),
        GaussianBells(centres, widths),
        EaseBells(centres, widths, 0.3),
    ):
        one_by_one = [
            type(bells).from_dict(_only(bells, k)).matrix(times).toarray()[:, 0] for k in range(bells.size)
        ]
        np.testing.assert_array_equal(bells.matrix(times).toarray(), np.stack(one_by_one, axis=1))


def _only(basis: Basis, k: int) -> dict[str, object]:
    return {n: [v[k]] if isinstance(v, list) else v for n, v in basis.to_dict().items()}
