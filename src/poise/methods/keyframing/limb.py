"""Limbs judged by where they point: what ties a hinge's gap to that of the joint that carries it.

With s the joint's gap along the hinge's axis and b the hinge's own, the desired pose's merit is

    ½ p (s + l b)² + …    instead of    ½ p s² + …        (``posture.Limbs``: l a, with a the axis)

that is, p (l a·v) b + ½ p l² b² more, where v is the gap of the carrying joint, in its own frame.
"""

from __future__ import annotations

from poise.arrays import Array
from poise.compilation import kernel
from poise.kinematics.forward import vec
from poise.manifold.algebra import dot
from poise.methods.keyframing.posture import Limbs
from poise.methods.keyframing.rotation_kernels import bend, unturned


@kernel(inline=True)
def limb_merit(pose: Array, limbs: Limbs, gap: Array) -> float:
    """What limbs add to the merit."""
    total = 0.0
    for b in range(limbs.hinge.size):
        c, bent, a = limbs.carrier[b], gap[limbs.hinge[b]], vec(limbs.lean, b)
        total += pose[c] * (_swing(limbs, b, gap) + 0.5 * dot(a, a) * bent) * bent
    return total


@kernel(inline=True)
def limb_curvature(pose: Array, limbs: Limbs, gap: Array, g: Array, h: Array) -> None:
    """Gradient and Hessian of that, added to g (nv,) and the lower triangle of h (nv, nv)."""
    for b in range(limbs.hinge.size):
        i, c, a = limbs.hinge[b], limbs.carrier[b], vec(limbs.lean, b)
        p, bent, swing = pose[c], gap[i], _swing(limbs, b, gap)
        turn = a
        if limbs.parts[b] == 3:
            v = (gap[c], gap[c + 1], gap[c + 2])
            turn = unturned(v, bend(v), a)
            for k in range(3):  # the logarithm's own curvature, to first order in the gap
                for l in range(k + 1):
                    both = a[k] * v[l] + a[l] * v[k] - (2.0 * swing if k == l else 0.0)
                    h[c + k, c + l] += p * bent / 12.0 * both
        for k in range(limbs.parts[b]):
            g[c + k] -= p * bent * turn[k]
            h[i, c + k] += p * turn[k]
        g[i] -= p * (swing + dot(a, a) * bent)
        h[i, i] += p * dot(a, a)


@kernel(inline=True)
def _swing(limbs: Limbs, b: int, gap: Array) -> float:
    total = 0.0
    for k in range(limbs.parts[b]):
        total += limbs.lean[b, k] * gap[limbs.carrier[b] + k]
    return total
