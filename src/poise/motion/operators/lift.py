"""Raising a stretch of motion so that it does not sink below a level: the least bent lift that suffices.

With d_k how far the lowest point of frame k lies below the level, the lift x of the root solves

    min Σ (Δ² x)²    such that    x ≥ e d,   x = 0 from the ends of the stretch on,

so height and velocity do not jump. A foot may come down with the speed of a step just where the stretch
begins; to stop it there at once would jerk the whole body, so e rises smoothly from 0 to 1 over ``EASE``.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.motion.operators.ground import root_kind
from poise.motion.operators.spots import spots

NOTHING = 1e-3  # [m] sinks no one sees
EASE = 0.1  # [s] at either end


def lowest(character: Character, q: Array) -> Array:
    """Height of the lowest joint or point in each frame, (F,) [m]."""
    return np.asarray(spots(character, q)[1][..., 2].min(axis=1))


def lifted(character: Character, q: Array, level: float, dt: float) -> Array:
    """Configurations (F, nq) raised where they sink below ``level`` [m]; the first and last frame stay."""
    kind = root_kind(character)
    if kind not in (JointKind.FREE, JointKind.PLANAR) or len(q) < 3:
        return q
    sunk = level - lowest(character, q)[1:-1]
    if sunk.max() < NOTHING:
        return q
    inside = np.arange(1, len(q) - 1)
    s = np.clip(np.minimum(inside, len(q) - 1 - inside) * dt / EASE, 0.0, 1.0)
    sunk = np.maximum(sunk, 0.0) * s * s * (3 - 2 * s)
    out = np.array(q)
    out[1:-1, 2 if kind is JointKind.FREE else 1] += _smoothest_above(sunk)
    return out


def _smoothest_above(least: Array) -> Array:
    """x (n,) with x ≥ ``least`` and 0 beyond both ends, of the least second differences."""
    from scipy.optimize import lsq_linear

    count = len(least)
    bend = np.diff(np.eye(count, count + 4, k=2), n=2, axis=1).T  # (n + 2, n): zeros on both sides
    found = lsq_linear(bend, np.zeros(len(bend)), bounds=(least, np.inf), method="bvls", tol=1e-12)
    return np.asarray(np.maximum(found.x, least))
