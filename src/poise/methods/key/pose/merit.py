"""The merit of one pose, which every accepted step lowers: value, gradient, the pose's part of the Hessian.

merit(q) = Σ_strict λ (e − r) + ½ W (e − r)²  +  ½ Σ_soft w e²  +  ½ Σ p (pose ⊖ q)²

Here pulls are not bounded and limbs are no whole; ``grip`` and ``limb`` add that.
"""

from __future__ import annotations

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.manifold.algebra import dot, sym_apply
from poise.manifold.rotation_kernels import bend, turned, turning_change


@kernel(inline=True, allocates=False)
def merit(pose: Array, w: Array, multiplier: Array, shift: Array, e: Array, gap: Array) -> float:
    """What every accepted step lowers."""
    total = 0.0
    for r in range(w.size):
        off = e[r] - shift[r]
        total += (multiplier[r] + 0.5 * w[r] * off) * off
    for i in range(gap.size):
        total += 0.5 * pose[i] * gap[i] * gap[i]
    return total


@kernel(inline=True, allocates=False)
def extent(pose: Array, w: Array, multiplier: Array, shift: Array, e: Array, gap: Array) -> float:
    """What the merit is made of, without cancellation: rounding is relative to this."""
    total = 0.0
    for r in range(w.size):
        off = abs(e[r] - shift[r])
        total += abs(multiplier[r]) * (off + 1e-2) + w[r] * off * (off + 1e-2)
    for i in range(gap.size):
        total += 0.5 * pose[i] * gap[i] * gap[i]
    return total


@kernel(inline=True, allocates=False)
def gradient(
    pose: Array,
    w: Array,
    multiplier: Array,
    shift: Array,
    e: Array,
    j: Array,
    gap: Array,
    y: Array,
    wide: Array,
    g: Array,
    h: Array,
) -> None:
    """Gradient g, forces y of the rows, and in h the pose's weights alone."""
    h[:] = 0.0
    for i in range(g.size):
        g[i] = -pose[i] * gap[i]
        h[i, i] = pose[i]
    for r in range(y.size):
        y[r] = multiplier[r] + w[r] * (e[r] - shift[r])
        wide[r] = w[r]
        row, a = j[r], y[r]
        for i in range(g.size):
            g[i] += a * row[i]


@kernel(inline=True, allocates=False)
def pose_curvature(kinds: IntArray, v_start: IntArray, pose: Array, gap: Array, h: Array) -> None:
    """Second derivative of ½ |log|² over that of a flat space: c (v vᵀ − |v|² 1)."""
    for link in range(kinds.size):
        if kinds[link] == LINK_BALL:
            c = v_start[link]
            v = (gap[c], gap[c + 1], gap[c + 2])
            k = pose[c] * bend(v)
            square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
            for a in range(3):
                for b in range(a + 1):
                    h[c + a, c + b] += k * (v[a] * v[b] - (square if a == b else 0.0))


@kernel(inline=True, allocates=False)
def by_rotation_vector(c: int, x: Array, h: Array, g: Array) -> None:
    """A ball's part of h and g by its rotation vector, v = J_r(w) dw."""
    v = (x[c], x[c + 1], x[c + 2])
    t0, t1, t2 = turned(v, (1.0, 0.0, 0.0)), turned(v, (0.0, 1.0, 0.0)), turned(v, (0.0, 0.0, 1.0))
    a = (g[c], g[c + 1], g[c + 2])
    bent = turning_change(v, a)
    g[c], g[c + 1], g[c + 2] = dot(t0, a), dot(t1, a), dot(t2, a)
    for i in range(c):
        a = (h[c, i], h[c + 1, i], h[c + 2, i])
        h[c, i], h[c + 1, i], h[c + 2, i] = dot(t0, a), dot(t1, a), dot(t2, a)
    for i in range(c + 3, g.size):
        a = (h[i, c], h[i, c + 1], h[i, c + 2])
        h[i, c], h[i, c + 1], h[i, c + 2] = dot(t0, a), dot(t1, a), dot(t2, a)
    own = (h[c, c], h[c + 1, c], h[c + 2, c], h[c + 1, c + 1], h[c + 2, c + 1], h[c + 2, c + 2])
    a, b = sym_apply(own, t0), sym_apply(own, t1)
    h[c, c], h[c + 1, c], h[c + 2, c] = dot(t0, a), dot(t1, a), dot(t2, a)
    h[c + 1, c + 1], h[c + 2, c + 1] = dot(t1, b), dot(t2, b)
    h[c + 2, c + 2] = dot(t2, sym_apply(own, t2))
    h[c, c] += bent[0]
    h[c + 1, c] += bent[1]
    h[c + 2, c] += bent[2]
    h[c + 1, c + 1] += bent[3]
    h[c + 2, c + 1] += bent[4]
    h[c + 2, c + 2] += bent[5]
