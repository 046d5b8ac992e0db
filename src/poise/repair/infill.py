"""Infill: frames of some joints made anew from those before and after, as markers that were lost are.

Between the last sound frame p and the next one r, n frames later, coordinates run along a cubic in the
tangent space at p,

    x(s) = h₁₀(s) n u + h₀₁(s) d + h₁₁(s) n J⁻¹(d) w,        d = r ⊖ p,   0 ≤ s ≤ 1,

with the velocities u, w per frame that the motion has before p and after r. Over long gaps these count for
less: nobody goes on for half a second as he began.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.manifold import so3

STEPS, LONG = 3, 12
"""Frames over which velocities beside a gap are measured, twice as many beside gaps that are longer."""
AHEAD = 0.12
"""Velocities are believed for so long into a gap [s]."""


def infilled(
    character: Character, q: Array, bodies: Collection[int], first: int, last: int, dt: float
) -> Array:
    """Frames q (F, nq) with the joints of ``bodies`` made anew in frames first … last."""
    manifold, frames = character.manifold, len(q)
    p, r = first - 1, last + 1
    if p < 0 or r >= frames:
        raise ValueError(f"frames {first} to {last} of {frames} have no neighbours on both sides")
    n = r - p
    d = manifold.minus(q[r], q[p])
    steps = STEPS if n <= LONG else 2 * STEPS
    before, after = min(steps, p), min(steps, frames - 1 - r)
    u = manifold.minus(q[p], q[p - before]) / before if before else np.zeros_like(d)
    w = manifold.minus(q[r + after], q[r]) / after if after else np.zeros_like(d)
    for own in manifold.rotation_slots[1]:
        w[own] = so3.right_jacobian_inverse(d[own]) @ w[own]
    reach = n * min(1.0, AHEAD / (n * dt))
    s = (np.arange(1, n) / n)[:, None]
    x = s * (1 - s) ** 2 * reach * u + s**2 * (3 - 2 * s) * d - s**2 * (1 - s) * reach * w
    new = manifold.plus(np.broadcast_to(q[p], (n - 1, len(q[p]))), x)
    out = np.array(q)
    for body in bodies:
        span = character.coordinates(body)
        out[first : last + 1, span] = new[:, span]
    return out
