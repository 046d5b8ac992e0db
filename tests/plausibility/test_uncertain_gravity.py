"""How sure the gravity of a flight is: variances of least squares, more where errors go on over frames."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poise.contacts.ballistics import Parabola, _uncertainty
from poise.plausibility.phase import _doubted

FRAMES = 41
S = np.linspace(-0.3, 0.3, FRAMES)
BASIS = np.stack([np.ones_like(S), S, S**2], axis=1)
EXACT = BASIS @ np.array([1.0, 0.3, -4.905])
"""Heights of a parabola: its middle fits as the whole does, so that only the errors count."""


def variance(left: np.ndarray) -> float:
    return _uncertainty(EXACT, S, BASIS, left) ** 2


def parts(left: np.ndarray) -> tuple[float, float]:
    """σ² (BᵀB)⁻¹ of the curvature, and the square of a bulge of twice the residual over the flight."""
    scatter = left @ left / (FRAMES - 3) * np.linalg.inv(BASIS.T @ BASIS)[2, 2]
    return scatter, (16 * math.sqrt(np.mean(left**2)) / (S[-1] - S[0]) ** 2) ** 2


def test_errors_that_alternate_count_as_they_are():
    left = 1e-3 * (-1.0) ** np.arange(FRAMES)
    assert variance(left) == pytest.approx(sum(parts(left)), rel=1e-9)


@pytest.mark.parametrize("waves", [1, 2, 4])
def test_errors_that_go_on_count_for_more(waves):
    """By (1 + ρ) / (1 − ρ) for a correlation ρ of neighbours, but no more than as for ρ where 1 − ρ = 0.1."""
    left = 1e-3 * np.sin(2 * np.pi * waves * np.arange(FRAMES) / FRAMES)
    rho = left[1:] @ left[:-1] / (left @ left)
    assert rho > 0.5
    scatter, bulge = parts(left)
    assert variance(left) == pytest.approx(scatter * (1 + rho) / max(1 - rho, 0.1) + bulge, rel=1e-9)


def test_it_grows_with_the_errors_and_not_at_all_without():
    left = 1e-3 * np.cos(np.arange(FRAMES))
    assert variance(3 * left) == pytest.approx(9 * variance(left), rel=1e-9)
    assert variance(0 * left) == pytest.approx(0.0, abs=1e-20)


def test_a_path_that_is_no_parabola_is_less_sure():
    """The middle two thirds have another curvature: half the difference is added, in quadrature."""
    bent = EXACT + 50.0 * S**4
    inner = np.abs(S) <= 0.2 + 1e-12
    whole, part = (np.linalg.lstsq(BASIS[k], bent[k], rcond=None)[0][2] for k in (slice(None), inner))
    found = _uncertainty(bent, S, BASIS, np.zeros(FRAMES))
    assert found == pytest.approx(0.5 * abs(part - whole), rel=1e-9)


def test_three_frames_tell_nothing():
    assert _uncertainty(EXACT[:3], S[:3], BASIS[:3], np.zeros(3)) == math.inf


def flown(seconds: float, uncertainty: float) -> Parabola:
    frames = round(seconds * 120)
    return Parabola(0, frames, (0, 0, 1), (0, 0, 1), 13.0, uncertainty, (0, 0), 0.0)


def test_frames_that_were_chosen_leave_doubt():
    """By half of how far the gravity of the whole stretch is from that of its part that falls."""
    same, other = (_doubted(flown(0.1, 1.0), whole, 1 / 120, 1.0).uncertainty for whole in (13.0, 7.0))
    assert same == pytest.approx(math.hypot(1.0, 2.0), rel=1e-9)
    assert other == pytest.approx(math.hypot(1.0, 2.0, 3.0), rel=1e-9)


def test_a_flight_drawn_exactly_is_known_whatever_lies_around_it():
    assert _doubted(flown(0.1, 0.0), 7.0, 1 / 120, 1.0).uncertainty == 0.0
