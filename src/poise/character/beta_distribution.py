"""How much of a Beta distribution lies below a cut: the regularised incomplete beta function I_x(a, b).

    I_x(a, b) = x^a (1 − x)^b / (a B(a, b)) · 1/(1 + d₁/(1 + d₂/(1 + …)))
    d_{2m} = m (b − m) x / ((a + 2m − 1)(a + 2m)),   d_{2m+1} = −(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1))

(DLMF 8.17.22), which converges quickly for x below (a + 1)/(a + b + 2); above, I_x(a, b) = 1 − I_{1−x}(b, a).
SciPy has it too, but takes a quarter of a second to load, for which every first picture would wait.
"""

from __future__ import annotations

import math

_TERMS = 400
"""Most terms of the continued fraction; it ends where they add nothing."""
_TINY = 1e-300
"""Stands for zero where one divides (Lentz)."""


def share_below(x: float, a: float, b: float) -> float:
    """I_x(a, b): the part of Beta(a, b) in [0, x], to 1e-13 for positive a, b up to a hundred."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    return _lower(x, a, b) if x <= (a + 1) / (a + b + 2) else 1.0 - _lower(1.0 - x, b, a)


def _lower(x: float, a: float, b: float) -> float:
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) / a * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """1/(1 + d₁/(1 + d₂/(1 + …))) from the front, numerators and denominators apart (Lentz)."""
    value, up, down = _TINY, _TINY, 0.0
    for k in range(_TERMS):
        m = k // 2
        if k == 0:
            d = 1.0
        elif k % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        down = 1.0 / ((1.0 + d * down) or _TINY)
        up = (1.0 + d / up) or _TINY
        value *= up * down
        if abs(up * down - 1.0) < 1e-16:
            break
    return value
