"""How a track goes from key to key: on every segment one cubic, told by its two end slopes.

    q(s) = a ⊕ f(s),    f = h₁₀ h m_a + h₀₁ Δ + h₁₁ h J_r(Δ)⁻¹ m_b,    Δ = b ⊖ a,   s = (t − t_a)/h ∈ [0, 1]

with the Hermite cubics, segment length h [s] and slopes m in the tangent spaces at a and b. An easing is a
choice of slopes, as multiples of the mean rate d = Δ/h:

| easing     | m_a, m_b | f                                             |
|------------|----------|-----------------------------------------------|
| "linear"   | d, d     | s Δ                                           |
| "smooth"   | 0, 0     | s² (3 − 2s) Δ: out of rest and into rest      |
| "ease-in"  | 0, 2d    | s² Δ: out of rest                             |
| "ease-out" | 2d, 0    | s (2 − s) Δ: into rest                        |
| "hold"     |          | 0: stays at a and jumps at b                  |
| "spline"   |          | flows on: C¹ with the segments beside it      |

A spline's slope at a key is its neighbour's there, where that has its own; between two splines the weighted
harmonic mean of their rates, component by component, zero where they disagree in sign (Fritsch & Carlson).
It never exceeds three times its own segment's rate, so no component passes beyond its keys: gains stay in
[0, 1], equal keys hold still, an extreme pose is an extreme. At the first and last key it is zero,
for before and after them a track holds its end values. Curves are the key's own bits at keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from poise.arrays import Array, IntArray
from poise.manifold import ProductManifold, so3

EASINGS: dict[str, tuple[float, float] | None] = {
    "spline": None,
    "smooth": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "ease-in": (0.0, 2.0),
    "ease-out": (2.0, 0.0),
    "hold": (0.0, 0.0),
}
Tangents = tuple[float | None, float | None]
"""Slopes with which a key is reached and left, in mean rates of those segments; None: the easing's."""
_STEEPEST = 3.0  # a cubic whose end slopes are at most three times its mean rate is monotone


def smooth(s: Array) -> Array:
    """From 0 at s = 0 to 1 at s = 1, flat beyond."""
    s = np.clip(s, 0.0, 1.0)
    return s * s * (3.0 - 2.0 * s)


def end_slopes(
    rates: Array, lengths: Array, eases: Sequence[str], tangents: Sequence[Tangents] = ()
) -> tuple[Array, Array]:
    """Slopes with which each segment leaves its first key and arrives at its second, (n, m) each.

    ``rates`` (n, m): Δ/h; ``lengths`` (n,) [s]; ``eases`` (n,): of each segment; ``tangents`` (n + 1,): of
    each key, where they are set by hand.
    """
    multiples = [EASINGS[ease] for ease in eases]
    leave, arrive = np.zeros_like(rates), np.zeros_like(rates)
    for i, own in enumerate(multiples):
        if own is not None and eases[i] != "hold":
            leave[i], arrive[i] = own[0] * rates[i], own[1] * rates[i]
    for i, (before, after) in enumerate(pairwise(multiples)):  # at the key between i and i + 1
        if before is None and after is None:
            both = _harmonic(rates[i], rates[i + 1], lengths[i], lengths[i + 1])
            arrive[i], leave[i + 1] = both, both
        elif before is None:
            arrive[i] = _limited(leave[i + 1], rates[i])
        elif after is None:
            leave[i + 1] = _limited(arrive[i], rates[i + 1])
    for k, (into, out) in enumerate(tangents):
        if into is not None and k > 0:
            arrive[k - 1] = into * rates[k - 1]
        if out is not None and k < len(rates):
            leave[k] = out * rates[k]
    return leave, arrive


def interpolate(
    manifold: ProductManifold,
    times: Array,
    values: Array,
    eases: Sequence[str],
    at: Array,
    tangents: Sequence[Tangents] = (),
) -> Array:
    """(T, nq): the curve through ``values`` (K, nq) at key ``times`` (K,), at times ``at`` (T,) [s]."""
    if len(times) == 1:
        return np.repeat(values, len(at), axis=0)
    k, s, f, _ = _offset(manifold, times, values, eases, at, tangents)
    q = manifold.plus(values[k], f)
    q = np.where((s == 0.0)[:, None], values[k], q)
    return np.where((s == 1.0)[:, None], values[k + 1], q)


def velocity(
    manifold: ProductManifold, times: Array, values: Array, eases: Sequence[str], at: Array
) -> Array:
    """(T, nv): the curve's velocity; at a corner that of the later segment, beyond the ends zero."""
    if len(times) == 1:
        return np.zeros((len(at), manifold.nv))
    _, _, f, rate = _offset(manifold, times, values, eases, at)
    inside = (at >= times[0]) & (at <= times[-1])
    return np.where(inside[:, None], _turned(manifold, f, rate, so3.right_jacobian), 0.0)


def _offset(
    manifold: ProductManifold,
    times: Array,
    values: Array,
    eases: Sequence[str],
    at: Array,
    tangents: Sequence[Tangents] = (),
) -> tuple[IntArray, Array, Array, Array]:
    """Segment and fraction of each time; the tangent vector there from the segment's first key; its rate."""
    lengths = np.diff(times)
    delta = manifold.minus(values[1:], values[:-1])  # (n, nv)
    leave, arrive = end_slopes(delta / lengths[:, None], lengths, eases[:-1], tangents)
    arrive = tangent_rates(manifold, delta, arrive)
    still = np.array([ease == "hold" for ease in eases[:-1]])
    delta = np.where(still[:, None], 0.0, delta)
    k = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(lengths) - 1).astype(np.int64)
    s = np.clip((at - times[k]) / lengths[k], 0.0, 1.0)
    h = lengths[k][:, None]

    x = s[:, None]
    a, b, c = h * leave[k], delta[k], h * arrive[k]
    f = x * (1 - x) ** 2 * a + x * x * (3 - 2 * x) * b + x * x * (x - 1) * c
    rate = ((1 - x) * (1 - 3 * x) * a + 6 * x * (1 - x) * b + x * (3 * x - 2) * c) / h
    return k, s, f, rate


def _harmonic(before: Array, after: Array, h_before: float, h_after: float) -> Array:
    """The weighted harmonic mean of rates that agree in sign, else zero, (m,)."""
    w1, w2 = 2.0 * h_after + h_before, h_after + 2.0 * h_before
    agree = before * after > 0.0
    a, b = np.where(agree, before, 1.0), np.where(agree, after, 1.0)
    return np.where(agree, (w1 + w2) / (w1 / a + w2 / b), 0.0)


def _limited(slope: Array, rate: Array) -> Array:
    """The slope, as far as a monotone segment of that mean rate can have it, (m,)."""
    most = _STEEPEST * np.abs(rate)
    return np.where(slope * rate > 0.0, np.clip(slope, -most, most), 0.0)


def tangent_rates(manifold: ProductManifold, f: Array, v: Array) -> Array:
    """(n, nv): rates of f where q ⊕ f moves with velocities v."""
    return _turned(manifold, f, v, so3.right_jacobian_inverse)


def _turned(manifold: ProductManifold, f: Array, v: Array, jacobian: Callable[[Array], Array]) -> Array:
    """Per rotation ``J(f) v``; plain coordinates pass unchanged."""
    out = np.array(v)
    slots = manifold.rotation_slots[1]
    if slots.size:
        out[:, slots] = (jacobian(f[:, slots]) * v[:, slots][..., None, :]).sum(axis=-1)
    return out
