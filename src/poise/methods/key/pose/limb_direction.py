"""Limbs judged by where they point: the joint that carries a limb is desired as the limb's bend asks.

A hinge bent by b turns the line from the carrying joint to the end of the bone after it by β(b) from the
bone before it. With b_d bent in the desired pose and R_d the carrying joint's rotation there, what is desired
of it now is

    R_d exp((β(b_d) − β(b)) a)        a the hinge's axis;  β = atan2(n sin x, m + n cos x),  x = b + γ

with bones of length m and n that are straight at x = 0: the line points where it does in the desired pose,
however much the hinge is bent, and how much is a matter of its own.
"""

from __future__ import annotations

import math

from poise.arrays import Array
from poise.compilation import kernel
from poise.dynamics.elementary import quat_exp, quat_log, quat_product
from poise.kinematics.forward import vec
from poise.manifold.algebra import dot, scale
from poise.manifold.rotation_kernels import bend, unturned
from poise.methods.key.pose.posture import Limbs


@kernel(inline=True, allocates=False)
def limb_gap(limbs: Limbs, to: Array, q: Array, gap: Array) -> None:
    """Gaps (nv,) of carrying joints from the pose q (nq,) to what is desired of them by the pose ``to``."""
    for k in range(limbs.hinge.size):
        a, c, axis, at = limbs.place[k], limbs.carrier[k], vec(limbs.axis, k), limbs.hinge_place[k]
        lead = _lead(limbs, k, to[at])[0] - _lead(limbs, k, q[at])[0]
        if limbs.parts[k] == 3:
            back = (q[a], -q[a + 1], -q[a + 2], -q[a + 3])
            there = quat_product((to[a], to[a + 1], to[a + 2], to[a + 3]), quat_exp(scale(lead, axis)))
            gap[c], gap[c + 1], gap[c + 2] = quat_log(quat_product(back, there))
        else:
            gap[c] += axis[0] * lead


@kernel(inline=True, allocates=False)
def limb_curvature(pose: Array, limbs: Limbs, q: Array, gap: Array, g: Array, h: Array) -> None:
    """What gaps of carrying joints add to the hinges' gradient g (nv,) and to h's (nv, nv) lower triangle."""
    for k in range(limbs.hinge.size):
        i, c, axis = limbs.hinge[k], limbs.carrier[k], vec(limbs.axis, k)
        p, (_, slope, second) = pose[c], _lead(limbs, k, q[limbs.hinge_place[k]])
        along, square, turn = gap[c] * axis[0], axis[0] * axis[0], axis
        if limbs.parts[k] == 3:
            v = (gap[c], gap[c + 1], gap[c + 2])
            turn = unturned(v, bend(v), axis)
            along, square = dot(v, axis), dot(turn, axis)
        for part in range(limbs.parts[k]):
            h[i, c + part] += p * slope * turn[part]
        g[i] -= p * slope * along
        h[i, i] += p * (slope * slope * square - second * along)


@kernel(inline=True, allocates=False)
def _lead(limbs: Limbs, k: int, b: float) -> tuple[float, float, float]:
    """β of a limb, and its first and second derivative."""
    m, n, x = limbs.before[k], limbs.after[k], b + limbs.straight[k]
    sine, cosine = math.sin(x), math.cos(x)
    square = max(m * m + n * n + 2.0 * m * n * cosine, 1e-12)
    slope = n * (n + m * cosine) / square
    return math.atan2(n * sine, m + n * cosine), slope, m * n * sine * (n * n - m * m) / (square * square)
