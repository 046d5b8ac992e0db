"""Rotations of rotation vectors with their first and second derivatives, in closed form.

    exp θ = 1 + s H + c H²,    H = hat(θ),  x = |θ|²,  s = sin√x/√x,  c = (1 − cos√x)/x

s and c are entire functions of x, so there is no singular case: near 0 they are summed as series.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel


class Turned(NamedTuple):
    """Rotations of vectors θ with rates θ̇, and what they change with; leading axes as given."""

    value: Array
    """R = exp θ, (…, 3, 3)."""
    rate: Array
    """Ṙ, (…, 3, 3)."""
    by_angle: Array
    """∂R/∂θ_k = ∂Ṙ/∂θ̇_k, (…, k = 3, 3, 3)."""
    rate_by_angle: Array
    """∂Ṙ/∂θ_k: the second derivative of exp along θ̇, (…, k = 3, 3, 3)."""


def turned(angles: Array, rates: Array) -> Turned:
    """exp θ and derivatives for θ, θ̇ of shape (…, 3)."""
    flat, speed = (np.ascontiguousarray(a).reshape(-1, 3) for a in (angles, rates))
    value, rate = np.empty((2, len(flat), 3, 3))
    by_angle, rate_by_angle = np.empty((2, len(flat), 3, 3, 3))
    _turned(flat, speed, value, rate, by_angle, rate_by_angle)
    lead = angles.shape[:-1]
    return Turned(*(a.reshape(*lead, *a.shape[1:]) for a in (value, rate, by_angle, rate_by_angle)))


def rotations(angles: Array, rates: Array | None = None) -> Array:
    """exp θ alone (…, 3, 3), or with θ̇ both R and Ṙ, (2, …, 3, 3)."""
    flat = np.ascontiguousarray(angles).reshape(-1, 3)
    speed = flat[:0] if rates is None else np.ascontiguousarray(rates).reshape(-1, 3)
    value, rate = np.empty((len(flat), 3, 3)), np.empty((len(speed), 3, 3))
    _rotations(flat, speed, value, rate)
    shape = (*angles.shape, 3)
    return value.reshape(shape) if rates is None else np.stack([value, rate]).reshape(2, *shape)


@kernel(inline=True)
def series(x: float) -> tuple[float, float, float, float, float, float]:
    """s, c and their first and second derivatives by x."""
    if x < 0.5:
        # s = Σ (−x)^j / (2j+1)!,  c = Σ (−x)^j / (2j+2)!: nine terms leave less than 1e-18.
        s = s1 = s2 = c = c1 = c2 = 0.0
        term_s, term_c = 1.0, 0.5
        power, below, lower = 1.0, 0.0, 0.0  # x^j, j x^(j−1), j (j−1) x^(j−2)
        for j in range(10):
            s += term_s * power
            s1 += term_s * below
            s2 += term_s * lower
            c += term_c * power
            c1 += term_c * below
            c2 += term_c * lower
            term_s *= -1.0 / ((2 * j + 2) * (2 * j + 3))
            term_c *= -1.0 / ((2 * j + 3) * (2 * j + 4))
            lower = x * lower + 2 * below
            below = x * below + power
            power = x * power
        return s, c, s1, c1, s2, c2
    a = np.sqrt(x)
    sine, cosine = np.sin(a), np.cos(a)
    s, c = sine / a, (1.0 - cosine) / x
    s1, c1 = (cosine - s) / (2 * x), (s - 2 * c) / (2 * x)
    s2, c2 = (-0.5 * s - 3 * s1) / (2 * x), (s1 - 4 * c1) / (2 * x)
    return s, c, s1, c1, s2, c2


@kernel()
def _rotations(angles: Array, rates: Array, value: Array, rate: Array) -> None:
    h, o = np.zeros((3, 3)), np.zeros((3, 3))
    for i in range(len(angles)):
        t = angles[i]
        x = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
        s, c, s1, c1, _, _ = series(x)
        _hat(t[0], t[1], t[2], h)
        for a in range(3):
            for b in range(3):
                one = 1.0 if a == b else 0.0
                value[i, a, b] = one + s * h[a, b] + c * (t[a] * t[b] - x * one)
        if len(rates):
            w = rates[i]
            along = 2 * (t[0] * w[0] + t[1] * w[1] + t[2] * w[2])
            _hat(w[0], w[1], w[2], o)
            for a in range(3):
                for b in range(3):
                    one = 1.0 if a == b else 0.0
                    square = t[a] * t[b] - x * one
                    moving = w[a] * t[b] + t[a] * w[b] - along * one
                    rate[i, a, b] = s1 * along * h[a, b] + s * o[a, b] + c1 * along * square + c * moving


@kernel()
def _turned(
    angles: Array, rates: Array, value: Array, rate: Array, by_angle: Array, rate_by_angle: Array
) -> None:
    h, o, e = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))  # hat of θ, of θ̇, of a unit vector
    for i in range(len(angles)):
        t, w = angles[i], rates[i]
        x = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
        along = 2 * (t[0] * w[0] + t[1] * w[1] + t[2] * w[2])  # ẋ
        s, c, s1, c1, s2, c2 = series(x)
        _hat(t[0], t[1], t[2], h)
        _hat(w[0], w[1], w[2], o)
        for a in range(3):
            for b in range(3):
                one = 1.0 if a == b else 0.0
                square = t[a] * t[b] - x * one  # H²
                moving = w[a] * t[b] + t[a] * w[b] - along * one  # its rate
                value[i, a, b] = one + s * h[a, b] + c * square
                rate[i, a, b] = s1 * along * h[a, b] + s * o[a, b] + c1 * along * square + c * moving
        for k in range(3):
            _hat(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0, e)
            p, r = 2 * t[k], 2 * w[k]  # ∂x/∂θ_k, ∂ẋ/∂θ_k
            for a in range(3):
                for b in range(3):
                    one = 1.0 if a == b else 0.0
                    ak, bk = 1.0 if a == k else 0.0, 1.0 if b == k else 0.0
                    square = t[a] * t[b] - x * one
                    moving = w[a] * t[b] + t[a] * w[b] - along * one
                    bent = ak * t[b] + t[a] * bk - p * one  # ∂H²/∂θ_k
                    turning = w[a] * bk + ak * w[b] - r * one  # ∂(rate of H²)/∂θ_k
                    by_angle[i, k, a, b] = s1 * p * h[a, b] + s * e[a, b] + c1 * p * square + c * bent
                    rate_by_angle[i, k, a, b] = (
                        (s2 * p * along + s1 * r) * h[a, b]
                        + s1 * along * e[a, b]
                        + s1 * p * o[a, b]
                        + (c2 * p * along + c1 * r) * square
                        + c1 * along * bent
                        + c1 * p * moving
                        + c * turning
                    )


@kernel(inline=True)
def _hat(x: float, y: float, z: float, out: Array) -> None:
    out[0, 1], out[0, 2], out[1, 2] = -z, y, -x
    out[1, 0], out[2, 0], out[2, 1] = z, -y, x
