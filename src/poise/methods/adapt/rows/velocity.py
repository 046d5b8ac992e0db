"""How the velocity of a displaced motion changes with the displacement and its rate.

    plain coordinates: v' = v + ḋ;      rotations: ω' = exp(−d) ω + J_r(d) ḋ

∂ω'/∂ḋ = J_r(d); ∂ω'/∂d by central differences of this short formula. Displacements on top are taken as still.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.manifold import ProductManifold, so3
from poise.methods.adapt.problem.unknowns import Space, Stencil

STEP = 1e-6
"""Of central differences [rad]: rounding and the third derivative then both cost some 1e-10."""


class Moving(NamedTuple):
    """Velocities, and how they change."""

    v: Array
    """(T, nv)"""
    by_displacement: Array
    """∂v/∂d (T, nv, nv)"""
    by_rate: Array
    """∂v/∂ḋ (T, nv, nv)"""


def velocity_change(
    space: Space, stencil: Stencil, coefficients: Array, before: Array, jacobian: bool
) -> Moving:
    """Velocities of a displaced motion that moved with ``before`` (T, nv); Jacobians only where wanted."""
    manifold = space.clip.character.manifold
    d, rate = space.evaluate(coefficients, stencil, 0), space.evaluate(coefficients, stencil, 1)
    count, nv = d.shape
    v = carried(manifold, before, d, rate)
    by_d, by_rate = np.zeros((count, nv, nv)), np.zeros((count, nv, nv))
    if not jacobian:
        return Moving(v, by_d, by_rate)
    lines, turns = manifold.line_slots[1], manifold.rotation_slots[1]
    by_rate[:, lines, lines] = 1.0
    for block in turns:
        by_rate[np.ix_(np.arange(count), block, block)] = so3.right_jacobian(d[:, block])
        for k in range(3):
            step = STEP * np.eye(3)[k]
            ahead = _turned(d[:, block] + step, rate[:, block], before[:, block])
            behind = _turned(d[:, block] - step, rate[:, block], before[:, block])
            by_d[:, block, block[k]] = (ahead - behind) / (2 * STEP)
    return Moving(v, by_d, by_rate)


def carried(manifold: ProductManifold, v: Array, d: Array, rate: Array) -> Array:
    """Velocity (S, nv) of a motion displaced by d that moves with ``rate``."""
    out = v + rate
    turns = manifold.rotation_slots[1]
    if turns.size:
        out[:, turns] = _turned(d[:, turns], rate[:, turns], v[:, turns])
    return out


def _turned(d: Array, rate: Array, omega: Array) -> Array:
    """ω' (…, 3)."""
    return np.asarray(
        so3.rotate(so3.exp(-d), omega) + np.einsum("...ij,...j->...i", so3.right_jacobian(d), rate)
    )
