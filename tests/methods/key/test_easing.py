"""Slopes at keys: another implementation of the same interpolant, and its own promises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from poise.manifold import ProductManifold
from poise.methods.key.sheet.easing import end_slopes, interpolate, smooth, velocity

LINE = ProductManifold([1])


@pytest.mark.parametrize("seed", range(4))
def test_splines_have_the_slopes_of_pchip(seed):
    """SciPy's monotone cubics weigh the rates beside a key by the lengths of both segments, as we do."""
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.1, 3.0, size=7)
    values = np.cumsum(rng.normal(size=8))
    times = np.concatenate([[0.0], np.cumsum(lengths)])
    rates = (np.diff(values) / lengths)[:, None]
    leave, arrive = end_slopes(rates, lengths, ["spline"] * 7)
    theirs = PchipInterpolator(times, values).derivative()(times[1:-1])
    np.testing.assert_allclose(arrive[:-1, 0], theirs, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(leave[1:, 0], theirs, rtol=1e-12, atol=1e-14)
    assert leave[0] == arrive[-1] == 0.0, "before the first key and after the last the track rests"


def test_a_slope_leans_to_the_shorter_segment():
    """Beside a long one: the harmonic mean in which the rate of the shorter one counts twice."""
    leave, _ = end_slopes(np.array([[1.0], [2.0]]), np.array([1e-9, 1.0]), ["spline"] * 2)
    assert leave[1, 0] == pytest.approx(3 / (2 / 1.0 + 1 / 2.0))
    leave, _ = end_slopes(np.array([[1.0], [2.0]]), np.array([1.0, 1e-9]), ["spline"] * 2)
    assert leave[1, 0] == pytest.approx(3 / (1 / 1.0 + 2 / 2.0))


@pytest.mark.parametrize(
    ("ease", "curve"),
    [
        ("linear", lambda s: s),
        ("smooth", lambda s: s * s * (3 - 2 * s)),
        ("ease-in", lambda s: s * s),
        ("ease-out", lambda s: s * (2 - s)),
        ("hold", lambda s: np.where(s < 1, 0.0, 1.0)),
    ],
)
def test_easings_are_their_closed_forms(ease, curve):
    times, values = np.array([1.0, 3.5]), np.array([[2.0], [-1.0]])
    s = np.linspace(0, 1, 11)
    at = 1.0 + 2.5 * s
    found = interpolate(LINE, times, values, [ease, ease], at)[:, 0]
    np.testing.assert_allclose(found, 2.0 - 3.0 * curve(s), atol=1e-14)
    if ease != "hold":
        h = 1e-6
        numeric = -3.0 * (curve(s[1:-1] + h) - curve(s[1:-1] - h)) / (2 * h) / 2.5
        np.testing.assert_allclose(
            velocity(LINE, times, values, [ease, ease], at[1:-1])[:, 0], numeric, atol=1e-8
        )


def test_smooth_is_flat_beyond_its_ends():
    np.testing.assert_array_equal(smooth(np.array([-1.0, 0.0, 0.5, 1.0, 2.0])), [0, 0, 0.5, 1, 1])
