"""Bells: heights, widths, ends and what each kind promises of its shape."""

from __future__ import annotations

import numpy as np
import pytest

from poise.curves import CompactBells, EaseBells, GaussianBells, GaussianDerivatives
from poise.errors import InputError


def test_a_gaussian_bell_is_a_gaussian_over_its_whole_width() -> None:
    bells = GaussianBells([0.5], 1.2)  # σ = 0.2
    np.testing.assert_allclose(bells.sigmas, 0.2)
    times = np.linspace(0.5 - 0.6, 0.5 + 0.6, 101)
    u = (times - 0.5) / 0.2
    np.testing.assert_allclose(bells.matrix(times).toarray()[:, 0], np.exp(-(u**2) / 2), rtol=1e-14)
    np.testing.assert_allclose(
        bells.matrix(times, 2).toarray()[:, 0], (u**2 - 1) * np.exp(-(u**2) / 2) / 0.04, atol=1e-12
    )
    assert bells.support(0) == pytest.approx((0.5 - 0.8, 0.5 + 0.8))
    assert bells.matrix([0.5]).toarray() == 1.0


def test_the_tail_of_a_gaussian_fades_without_a_jump() -> None:
    bells = GaussianBells([0.0], 6.0)  # σ = 1
    tail = bells.matrix(np.linspace(3.0, 4.0, 1000)).toarray()[:, 0]
    assert (np.diff(tail) < 0).all()
    assert tail[0] == pytest.approx(np.exp(-4.5))
    assert tail[-1] == 0.0
    # Beside the bell's own curvature (1 at the centre) that of the taper stays small.
    assert np.abs(bells.matrix(np.linspace(2.9, 4.1, 1000), 2).toarray()).max() < 0.13


def test_the_derivative_bell_is_sigma_times_the_derivative() -> None:
    centres, widths = [0.0, 1.0], [1.2, 0.6]
    times = np.linspace(-1, 2, 301)
    slopes = GaussianBells(centres, widths).matrix(times, 1).toarray() * np.array([0.2, 0.1])
    np.testing.assert_allclose(
        GaussianDerivatives(centres, widths).matrix(times).toarray(), slopes, atol=1e-14
    )
    at_centres = GaussianDerivatives(centres, widths)
    np.testing.assert_allclose(np.diag(at_centres.matrix(centres).toarray()), 0.0, atol=1e-15)
    np.testing.assert_allclose(np.diag(at_centres.matrix(centres, 1).toarray()), [-5.0, -10.0])


def test_the_compact_bell_is_its_polynomial() -> None:
    bells = CompactBells([1.0], 0.8)
    times = np.linspace(0.6, 1.4, 33)
    np.testing.assert_allclose(
        bells.matrix(times).toarray()[:, 0], (1 - ((times - 1) / 0.4) ** 2) ** 3, atol=1e-15
    )
    assert bells.matrix([1.0]).toarray() == 1.0
    # The Gaussian it resembles near the centre: same curvature there.
    sigma = 0.8 / np.sqrt(24)
    np.testing.assert_allclose(bells.matrix([1.0], 2).toarray(), -1 / sigma**2)


def test_an_ease_bell_rises_holds_and_falls_at_its_own_paces() -> None:
    bells = EaseBells([1.0], 0.5, 0.25, 2.0)
    assert bells.support(0) == (0.5, 3.25)
    np.testing.assert_allclose(bells.matrix([0.5, 0.75, 3.125, 3.25]).toarray()[:, 0], [0, 0.5, 0.5, 0])
    assert (bells.matrix(np.linspace(1.0, 3.0, 51)).toarray() == 1.0).all()
    assert not bells.matrix(np.linspace(1.0, 3.0, 51), 1).toarray().any()
    rise = bells.matrix(np.linspace(0.5, 1.0, 51), 1).toarray()
    fall = bells.matrix(np.linspace(3.0, 3.25, 51), 1).toarray()
    assert (rise[1:-1] > 0).all()
    assert (fall[1:-1] < 0).all()
    assert rise.max() == pytest.approx(1.875 / 0.5)
    assert fall.min() == pytest.approx(-1.875 / 0.25)


def test_bells_may_stand_anywhere_in_any_order() -> None:
    forwards, backwards = CompactBells([0.0, 0.1, 3.0], [1, 2, 3]), CompactBells([3.0, 0.1, 0.0], [3, 2, 1])
    times = np.linspace(-2, 6, 97)
    np.testing.assert_array_equal(
        forwards.matrix(times).toarray(), backwards.matrix(times).toarray()[:, ::-1]
    )


def test_a_bell_costs_only_the_times_it_meets() -> None:
    bells = CompactBells(np.arange(1000.0), 1.0)
    assert bells.matrix(np.arange(0.25, 1000.0, 1.0)).nnz == 1000


@pytest.mark.parametrize(
    "make, culprit",
    [
        (lambda: GaussianBells([], 1.0), "centres"),
        (lambda: GaussianBells([0.0, 1.0], [1.0, -1.0]), r"widths\[1\]"),
        (lambda: GaussianBells([0.0, 1.0], [1.0, 1.0, 1.0]), "widths"),
        (lambda: CompactBells([np.inf], 1.0), "centres"),
        (lambda: CompactBells([0.0], 0.0), r"widths\[0\]"),
        (lambda: EaseBells([0.0], 1.0, 0.0), r"falls\[0\]"),
        (lambda: EaseBells([0.0], 1.0, 1.0, -0.1), r"holds\[0\]"),
    ],
)
def test_impossible_bells_are_refused_by_name(make: object, culprit: str) -> None:
    with pytest.raises(InputError, match=culprit):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("kind", [GaussianBells, CompactBells, EaseBells, GaussianDerivatives])
@pytest.mark.parametrize("derivative", [0, 1])
def test_one_bell_is_told_to_the_bits_of_its_matrix(kind, derivative) -> None:
    basis = EaseBells([0.5], [0.4], [0.7]) if kind is EaseBells else kind([0.5], 0.8)
    times = np.random.default_rng(3).uniform(-1.0, 2.0, 200)
    for coefficients in (np.random.default_rng(4).normal(size=(1, 5)), np.array([-0.3])):
        there = basis.evaluate(times, coefficients, derivative)
        assert there.tobytes() == np.asarray(basis.matrix(times, derivative) @ coefficients).tobytes()
        assert there.any()
