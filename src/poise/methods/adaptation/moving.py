"""How the velocity of a displaced motion changes with the displacement and its rate.

    plain coordinates: v' = v + ḋ;      rotations: ω' = exp(−d) ω + J_r(d) ḋ

∂ω'/∂ḋ = J_r(d); ∂ω'/∂d by central differences of this short formula. Layers on top are taken as still.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.manifold import so3
from poise.methods.adaptation.space import Space, Stencil

STEP = 1e-6


def velocity_change(
    character: Character,
    space: Space,
    stencil: Stencil,
    coefficients: Array,
    base: Any,
    at: IntArray,
    jacobian: bool,
) -> tuple[Array, Array, Array]:
    """Velocities (T, nv) of the samples ``at``, and ∂v/∂d, ∂v/∂ḋ (T, nv, nv) where wanted."""
    count, nv = stencil.columns.shape[1], character.nv
    d, rate = np.zeros((count, nv)), np.zeros((count, nv))
    for i, (dof, g) in enumerate(zip(space.dofs, space.group)):
        alive = coefficients[stencil.columns[g], i]  # (T, 4)
        d[:, dof] = np.sum(stencil.weights[0, g] * alive, axis=1)
        rate[:, dof] = np.sum(stencil.weights[1, g] * alive, axis=1)
    before = base.v[at]
    lines, turns = character.manifold.line_slots[1], character.manifold.rotation_slots[1]
    v = np.empty((count, nv))
    v[:, lines] = before[:, lines] + rate[:, lines]
    v[:, turns] = _turned(d[:, turns], rate[:, turns], before[:, turns])
    to_v, to_rate = np.zeros((count, nv, nv)), np.zeros((count, nv, nv))
    if not jacobian:
        return v, to_v, to_rate
    to_rate[:, lines, lines] = 1.0
    for block in turns:
        grid = np.ix_(np.arange(count), block, block)
        to_rate[grid] = so3.right_jacobian(d[:, block])
        for k in range(3):
            step = STEP * np.eye(3)[k]
            ahead = _turned(d[:, block] + step, rate[:, block], before[:, block])
            behind = _turned(d[:, block] - step, rate[:, block], before[:, block])
            to_v[:, block, block[k]] = (ahead - behind) / (2 * STEP)
    return v, to_v, to_rate


def _turned(d: Array, rate: Array, omega: Array) -> Array:
    """ω' (…, 3)."""
    return np.asarray(
        so3.rotate(so3.exp(-d), omega) + np.einsum("...ij,...j->...i", so3.right_jacobian(d), rate)
    )
