"""Offsets that take up a gap in pose and velocity and die out smoothly.

A motion q(t) is led from a wanted state to itself by q(t) ⊕ w(t) with the quintic

    w(t) = (1−s)³ (1 + 3s + 6s²) w₀  +  s (1−s)³ (1 + 3s) ẇ₀ T,    s = t / T ∈ [0, 1],

which starts with value w₀, rate ẇ₀ and no acceleration, and ends with none of the three: nothing
jumps, the velocity included, and from t = T on the motion is q itself (C²).

The body velocity of q ⊕ w is exp(−w) ω + J_r(w) ẇ for a rotation and v + ẇ for a plain coordinate.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.manifold import ProductManifold, so3


def decaying(value: Array, rate: Array, span: float, elapsed: Array) -> Array:
    """The offset w (T, nv) at the times ``elapsed`` (T,) [s] after its start; zero from ``span`` on."""
    if span <= 0:
        return np.zeros((len(elapsed), len(value)))
    s = np.clip(elapsed / span, 0.0, 1.0)[:, None]
    fall = (1.0 - s) ** 3
    out: Array = fall * (1 + s * (3 + 6 * s)) * value + s * fall * (1 + 3 * s) * (span * rate)
    return out


def fading(span: float, elapsed: Array) -> Array:
    """(T, 1): the same fall from 1 to 0, for values to be led by shares; at rest at both ends."""
    return decaying(np.ones(1), np.zeros(1), span, elapsed)


def carried(manifold: ProductManifold, offset: Array, velocity: Array) -> Array:
    """The velocity (…, nv) of q ⊕ w while w rests, seen in the turned bodies: exp(−w) ω."""
    out = np.array(velocity)
    slots = manifold.rotation_slots[1]
    if slots.size:
        out[..., slots] = so3.rotate(so3.exp(-offset[..., slots]), velocity[..., slots])
    return out


def departing_rate(manifold: ProductManifold, offset: Array, velocity: Array, wanted: Array) -> Array:
    """The rate ẇ (…, nv) that gives q ⊕ w the ``wanted`` velocity: J_r(w)⁻¹ (wanted − exp(−w) ω)."""
    out = wanted - carried(manifold, offset, velocity)
    slots = manifold.rotation_slots[1]
    if slots.size:
        inverse = so3.right_jacobian_inverse(offset[..., slots])
        out[..., slots] = np.einsum("...ij,...j->...i", inverse, out[..., slots])
    return np.asarray(out)
