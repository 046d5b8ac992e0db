"""The rotation of a body in the air that keeps its angular momentum, and how it changes with the body's
shape.

A shape that moves with momentum L(t) and inertia J(t) in its own frame is turned by R(t) with

    Ṙ = R hat(ω),      J ω = Rᵀ L₀ − L

so that the whole has the momentum L₀. While searching: classical Runge–Kutta of fourth order; its tangent
(variations δJ, δL in D directions) is carried along,

    J δω = δRᵀ L₀ − δL − δJ ω,      δṘ = δR hat(ω) + R hat(δω)

For export: the collocation of Gauss with three stages, of sixth order, which keeps R a rotation to rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel


class Spun(NamedTuple):
    """Rotations at the ends of steps."""

    rotations: Array
    """(N + 1, 3, 3)."""
    variations: Array
    """δR (N + 1, 3, 3, D)."""
    rates: Array
    """ω, in the shape's frame [rad/s] (N + 1, 3)."""


def spun(
    steps: Array,
    inertia: Array,
    momentum: Array,
    total: Array,
    start: Array,
    inertia_variations: Array | None = None,
    momentum_variations: Array | None = None,
) -> Spun:
    """From ``start`` (3, 3) over steps [s] (N,); J, L and variations at ends and middles of steps (2N + 1,
    …), those of J as xx, xy, xz, yy, yz, zz (2N + 1, 6, D).
    """
    count = len(steps)
    if inertia_variations is None or momentum_variations is None:
        inertia_variations = np.zeros((2 * count + 1, 6, 0))
        momentum_variations = np.zeros((2 * count + 1, 3, 0))
    d = momentum_variations.shape[2]
    rotations, variations = np.empty((count + 1, 3, 3)), np.zeros((count + 1, 3, 3, d))
    rates = np.empty((count + 1, 3))
    inverse: Array = np.asarray(np.linalg.inv(inertia))
    rotations[0] = start
    _spun(
        np.ascontiguousarray(steps),
        inverse,
        np.ascontiguousarray(momentum),
        np.ascontiguousarray(inertia_variations),
        np.ascontiguousarray(momentum_variations),
        np.ascontiguousarray(total),
        rotations,
        variations,
        rates,
    )
    return Spun(rotations, variations, rates)


_ROOT = float(np.sqrt(15.0))
STAGES = np.array([0.5 - _ROOT / 10, 0.5, 0.5 + _ROOT / 10])
"""Where Gauss looks at a step, as parts of it."""
_WITHIN = np.array(
    [
        [5 / 36, 2 / 9 - _ROOT / 15, 5 / 36 - _ROOT / 30],
        [5 / 36 + _ROOT / 24, 2 / 9, 5 / 36 - _ROOT / 24],
        [5 / 36 + _ROOT / 30, 2 / 9 + _ROOT / 15, 5 / 36],
    ]
)
_ALL = np.array([5 / 18, 4 / 9, 5 / 18])


def spun_finely(steps: Array, inertia: Array, momentum: Array, total: Array, start: Array) -> Array:
    """Rotations at the ends of steps [s] (N,), (N + 1, 3, 3); J and L at the stages of each, (N, 3, …)."""
    rotations = np.empty((len(steps) + 1, 3, 3))
    rotations[0] = start
    inverse = np.asarray(np.linalg.inv(inertia))
    own = np.array(momentum, order="C")  # a copy: one kernel for frozen momenta and others
    _spun_finely(np.ascontiguousarray(steps), inverse, own, np.ascontiguousarray(total), rotations)
    return rotations


@kernel()
def _spun_finely(steps: Array, inverse: Array, own: Array, total: Array, rotations: Array) -> None:
    slopes, r, g, w = np.zeros((3, 3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    for i in range(len(steps)):
        for _ in range(50):  # a contraction by the turn of a step
            change = 0.0
            for s in range(3):
                r[:] = rotations[i]
                for k in range(3):
                    r += steps[i] * _WITHIN[s, k] * slopes[k]
                for a in range(3):
                    g[a] = r[0, a] * total[0] + r[1, a] * total[1] + r[2, a] * total[2] - own[i, s, a]
                for a in range(3):
                    w[a] = (
                        inverse[i, s, a, 0] * g[0] + inverse[i, s, a, 1] * g[1] + inverse[i, s, a, 2] * g[2]
                    )
                for a in range(3):
                    for b in range(3):
                        c, d = (b + 1) % 3, (b + 2) % 3
                        new = r[a, c] * w[d] - r[a, d] * w[c]
                        change = max(change, abs(new - slopes[s, a, b]))
                        slopes[s, a, b] = new
            if change * steps[i] < 1e-15:
                break
        rotations[i + 1] = rotations[i]
        for s in range(3):
            rotations[i + 1] += steps[i] * _ALL[s] * slopes[s]


@kernel()
def _slope(
    r: Array, dr: Array, inverse: Array, own: Array, dj: Array, dl: Array, total: Array,
    w: Array, out: Array, dout: Array,
) -> None:  # fmt: skip
    """Ṙ and δṘ; also ω."""
    g = np.empty(3)
    for a in range(3):
        g[a] = r[0, a] * total[0] + r[1, a] * total[1] + r[2, a] * total[2] - own[a]
    for a in range(3):
        w[a] = inverse[a, 0] * g[0] + inverse[a, 1] * g[1] + inverse[a, 2] * g[2]
    for a in range(3):
        out[a, 0] = r[a, 1] * w[2] - r[a, 2] * w[1]
        out[a, 1] = r[a, 2] * w[0] - r[a, 0] * w[2]
        out[a, 2] = r[a, 0] * w[1] - r[a, 1] * w[0]
    for k in range(dl.shape[1]):
        for a in range(3):
            g[a] = (
                dr[0, a, k] * total[0] + dr[1, a, k] * total[1] + dr[2, a, k] * total[2] - dl[a, k]
            )  # fmt: skip
        g[0] -= dj[0, k] * w[0] + dj[1, k] * w[1] + dj[2, k] * w[2]
        g[1] -= dj[1, k] * w[0] + dj[3, k] * w[1] + dj[4, k] * w[2]
        g[2] -= dj[2, k] * w[0] + dj[4, k] * w[1] + dj[5, k] * w[2]
        x = inverse[0, 0] * g[0] + inverse[0, 1] * g[1] + inverse[0, 2] * g[2]
        y = inverse[1, 0] * g[0] + inverse[1, 1] * g[1] + inverse[1, 2] * g[2]
        z = inverse[2, 0] * g[0] + inverse[2, 1] * g[1] + inverse[2, 2] * g[2]
        for a in range(3):
            dout[a, 0, k] = dr[a, 1, k] * w[2] - dr[a, 2, k] * w[1] + r[a, 1] * z - r[a, 2] * y
            dout[a, 1, k] = dr[a, 2, k] * w[0] - dr[a, 0, k] * w[2] + r[a, 2] * x - r[a, 0] * z
            dout[a, 2, k] = dr[a, 0, k] * w[1] - dr[a, 1, k] * w[0] + r[a, 0] * y - r[a, 1] * x


@kernel()
def _spun(
    steps: Array, inverse: Array, own: Array, dj: Array, dl: Array, total: Array,
    rotations: Array, variations: Array, rates: Array,
) -> None:  # fmt: skip
    d = dl.shape[2]
    w = np.empty(3)
    slopes, dslopes = np.empty((4, 3, 3)), np.empty((4, 3, 3, d))
    last = 2 * len(steps)
    for i in range(len(steps)):
        h, k = steps[i], 2 * i
        r, dr = rotations[i], variations[i]
        _slope(r, dr, inverse[k], own[k], dj[k], dl[k], total, w, slopes[0], dslopes[0])
        rates[i] = w
        for stage in range(1, 4):
            reach = h if stage == 3 else 0.5 * h
            at = k + 2 if stage == 3 else k + 1
            mid, dmid = r + reach * slopes[stage - 1], dr + reach * dslopes[stage - 1]
            _slope(mid, dmid, inverse[at], own[at], dj[at], dl[at], total, w, slopes[stage], dslopes[stage])
        rotations[i + 1] = r + h / 6 * (slopes[0] + 2 * slopes[1] + 2 * slopes[2] + slopes[3])
        variations[i + 1] = dr + h / 6 * (dslopes[0] + 2 * dslopes[1] + 2 * dslopes[2] + dslopes[3])
    end = len(steps)
    _slope(
        rotations[end], variations[end], inverse[last], own[last], dj[last], dl[last], total, w,
        slopes[0], dslopes[0],
    )  # fmt: skip
    rates[end] = w
