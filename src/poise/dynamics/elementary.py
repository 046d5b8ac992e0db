"""Sine, cosine, quaternion exponential and logarithm for floats and lanes alike.

Everything is built from ``+ − × ÷``, square roots and selections, without branches, and is exact to
a few units in the last place for every argument (sine and cosine: up to 1e9 radians).
"""

from __future__ import annotations

import math
from typing import Any

from poise.compilation import kernel
from poise.dynamics.lanes import floor, fused, round_even, where_less
from poise.manifold.algebra import Vec

Quat = tuple[Any, Any, Any, Any]

# π/2 as the sum of three doubles: with fused operations the reduction loses nothing.
_QUARTER_1 = 1.5707963267948966
_QUARTER_2 = 6.123233995736766e-17
_QUARTER_3 = -1.4973849048591833e-33
_PER_QUARTER = 2.0 / math.pi


@kernel(inline=True)
def sine_cosine(x: Any) -> tuple[Any, Any]:
    """(sin x, cos x).

    x = k π/2 + r with |r| ≤ π/4; Taylor series in r (remainder below 5e-17), then the quadrant.
    """
    k = round_even(x * _PER_QUARTER)
    r = fused(-k, _QUARTER_3, fused(-k, _QUARTER_2, fused(-k, _QUARTER_1, x)))
    z = r * r
    high = 1 / 39916800 - z * (1 / 6227020800 - z * (1 / 1307674368000))
    s = r - r * z * (1 / 6 - z * (1 / 120 - z * (1 / 5040 - z * (1 / 362880 - z * high))))
    high = 1 / 479001600 - z * (1 / 87178291200 - z * (1 / 20922789888000))
    c = 1.0 - z * (1 / 2 - z * (1 / 24 - z * (1 / 720 - z * (1 / 40320 - z * (1 / 3628800 - z * high)))))
    quadrant = k - 4.0 * floor(0.25 * k)  # 0, 1, 2, 3
    odd = quadrant - 2.0 * floor(0.5 * quadrant)
    sine = where_less(odd, 0.5, s, c)
    cosine = where_less(odd, 0.5, c, s)
    middle = quadrant - 1.5
    return where_less(quadrant, 1.5, sine, -sine), where_less(middle * middle, 1.0, -cosine, cosine)


@kernel(inline=True)
def quat_exp(v: Vec) -> Quat:
    """The unit quaternion of a rotation vector."""
    square = 0.25 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    half = math.sqrt(square)
    s, c = sine_cosine(half)
    # sin(t)/t: below 1e-6 three terms of the series are exact, and 0/0 is never selected.
    ratio = where_less(square, 1e-6, 1.0 - square * (1 / 6 - square * (1 / 120)), s / half)
    k = 0.5 * ratio
    return (c, k * v[0], k * v[1], k * v[2])


@kernel(inline=True)
def quat_product(a: Quat, b: Quat) -> Quat:
    """a b."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel(inline=True)
def quat_unit(a: Quat) -> Quat:
    """a scaled to length one."""
    r = 1.0 / math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])
    return (r * a[0], r * a[1], r * a[2], r * a[3])


@kernel(inline=True)
def quat_log(a: Quat) -> Vec:
    """The rotation vector of least length of a unit quaternion.

    With φ half the rotation angle (0 ≤ φ ≤ π/2 after fixing the sign), two half-angle steps lead
    from tan φ/2 = |u| / (1 + w) to tan φ/8 ≤ 0.2, where the series of the arc tangent is short.
    Each step multiplies by a factor, so |u| itself is never divided by.
    """
    sign = where_less(a[0], 0.0, -1.0, 1.0)
    w, x, y, z = sign * a[0], sign * a[1], sign * a[2], sign * a[3]
    first = 1.0 / (1.0 + w)
    square = (x * x + y * y + z * z) * first * first
    second = 1.0 / (1.0 + math.sqrt(1.0 + square))
    square = square * second * second
    third = 1.0 / (1.0 + math.sqrt(1.0 + square))
    t = square * third * third
    series = 1 / 13 - t * (1 / 15 - t * (1 / 17 - t * (1 / 19 - t * (1 / 21 - t * (1 / 23)))))
    series = 1 / 3 - t * (1 / 5 - t * (1 / 7 - t * (1 / 9 - t * (1 / 11 - t * series))))
    k = 16.0 * (1.0 - t * series) * first * second * third
    return (k * x, k * y, k * z)
