"""Jacobi's elliptic functions, told by the complementary parameter m₁ = 1 − m.

Near the separatrix of a pendulum m is 1 to rounding and all that matters is m₁; told by m₁ nothing is lost,
and the functions stay periodic there. sn, cn by the descending Landen transformation (arithmetic-geometric
mean), F by Carlson's R_F; for m₁ = 0 they are tanh, sech and the inverse Gudermannian.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array

HYPERBOLIC = 1e-30
"""Below this m₁ a quarter period is longer than 35 and not told apart from the limit."""


class Jacobi(NamedTuple):
    """sn, cn, dn at T arguments."""

    sn: Array
    cn: Array
    dn: Array


def jacobi(u: Array, m1: float) -> Jacobi:
    """sn, cn and dn of u (T,) for 0 ≤ m₁ ≤ 1."""
    if m1 < HYPERBOLIC:
        sech = 1 / np.cosh(np.minimum(np.abs(u), 700.0))
        return Jacobi(np.tanh(u), sech, sech)
    a, b = 1.0, math.sqrt(m1)
    ratios: list[float] = []
    while abs(a - b) > 1e-16 * a and len(ratios) < 60:
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        ratios.append(c / a)
    phi = 2.0 ** len(ratios) * a * u
    for ratio in reversed(ratios):
        phi = 0.5 * (phi + np.arcsin(ratio * np.sin(phi)))
    sn, cn = np.sin(phi), np.cos(phi)
    return Jacobi(sn, cn, np.sqrt(m1 + (1 - m1) * cn * cn))  # sum of positives: no digits lost at cn = 0


def incomplete(sine: float, cosine: float, m1: float) -> float:
    """F of the amplitude with this sine and cosine ≥ 0."""
    from scipy.special import elliprf

    return sine * float(elliprf(cosine * cosine, cosine * cosine + m1 * sine * sine, 1.0))
