"""Gaussian bells and their derivatives, with an honest end.

    φ(t) = exp(−u²/2) w(|u|),   u = (t − centre)/σ,   σ = width/6;       derivative bell: σ φ'(t)

The width is the full width 6σ. A Gaussian simply cut there jumps by 1.1 %, which a simulation driven by the
curve would feel as a blow; waiting until it is below rounding would make the support 2.5 times as wide. So it
is exact over its whole width (|u| ≤ 3) and from there the taper w, a polynomial step with three continuous
derivatives, brings it to zero at |u| = 4. Hence φ is C³, σφ' is C², φ(centre) = 1 and the support is 8σ.
"""

from __future__ import annotations

from functools import cache, cached_property
from math import comb

import numpy as np
from numpy.polynomial import Polynomial

from poise.arrays import Array, IntArray, frozen
from poise.curves.bells import CentredBells

EXACT_RADIUS = 3.0  # [σ] the bell is a Gaussian up to here
END_RADIUS = 4.0  # [σ] and zero from here

# The least polynomial that falls from 1 to 0 on [0, 1] with three vanishing derivatives at both ends.
_TAPER = Polynomial([1.0, 0.0, 0.0, 0.0, -35.0, 84.0, -70.0, 20.0])


class _Gaussians(CentredBells):
    """Bells whose width is six standard deviations; they are exactly zero from four on."""

    @cached_property
    def sigmas(self) -> Array:
        """(K,) [s]: the standard deviations σ, a sixth of the widths."""
        return frozen(self.widths / 6.0)

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]: centre ± 4σ."""
        reach = END_RADIUS * self.sigmas
        return frozen(np.stack([self.centres - reach, self.centres + reach], axis=1))


class GaussianBells(_Gaussians, kind="gaussian"):
    """Bells φ of height 1 at their centres.

    Args:
        centres: [s] (K,)
        widths: Full widths, six standard deviations [s, > 0] (K,); one number serves all.

    Raises:
        InputError: A width is not positive, or there is not one for each centre.

    Examples:
        >>> bells = poise.curves.GaussianBells([0.3, 0.85], 0.6)
    """

    @property
    def continuity(self) -> int:
        """Three continuous derivatives, by the taper."""
        return 3

    def _profile(self, times: Array, bells: IntArray, derivative: int) -> Array:
        sigma = self.sigmas[bells]
        return _tapered_gaussian((times - self.centres[bells]) / sigma, derivative) / sigma**derivative


class GaussianDerivatives(_Gaussians, kind="gaussian_derivative"):
    """Derivative bells σφ' (dimensionless): zero at the centres with slope −1/σ, to shape velocities.

    Args:
        centres: [s] (K,)
        widths: Full widths, six standard deviations [s, > 0] (K,); one number serves all.

    Raises:
        InputError: A width is not positive, or there is not one for each centre.

    Examples:
        >>> bells = poise.curves.GaussianDerivatives([0.85], 0.6)
    """

    @property
    def continuity(self) -> int:
        """One less than the bell's."""
        return 2

    def _profile(self, times: Array, bells: IntArray, derivative: int) -> Array:
        sigma = self.sigmas[bells]
        return _tapered_gaussian((times - self.centres[bells]) / sigma, derivative + 1) / sigma**derivative


@cache
def _hermite(order: int) -> Polynomial:
    """Derivatives of e^{−u²/2} are itself times these: p ← p' − u p."""
    if order == 0:
        return Polynomial([1.0])
    return _hermite(order - 1).deriv() - Polynomial([0.0, 1.0]) * _hermite(order - 1)


@cache
def _taper(order: int) -> Polynomial:
    """The derivative of that order of the taper w."""
    return _TAPER.deriv(order) if order else _TAPER


def _tapered_gaussian(u: Array, order: int) -> Array:
    """The derivative of that order of exp(−u²/2) w(|u|), by Leibniz' rule."""
    bell = np.exp(-0.5 * u * u)
    value: Array = _hermite(order)(u) * bell
    tail = np.flatnonzero(np.abs(u) > EXACT_RADIUS)
    if not tail.size:
        return value
    x = u[tail]
    reach = END_RADIUS - EXACT_RADIUS
    s = np.minimum((np.abs(x) - EXACT_RADIUS) / reach, 1.0)
    product = np.zeros(len(tail))
    for j in range(order + 1):
        product += comb(order, j) * _hermite(order - j)(x) * _taper(j)(s) * (np.sign(x) / reach) ** j
    value[tail] = product * bell[tail]
    return value
