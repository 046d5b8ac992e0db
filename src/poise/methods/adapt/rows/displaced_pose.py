"""Where everything is after a displacement, and how it moves with the displacement itself.

    q = base ⊕ d ⊕ above,      R = R₀ exp(d) exp(a)

``above`` are the displacements on top, held fixed. A small change δ of d turns the body by A δ in its own
frame with A = exp(−a) J_r(d): the world axes that Jacobians need are those of the pose times A.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.dynamics.elementary import quat_exp, quat_product, quat_unit
from poise.kinematics.forward import forward_frame
from poise.kinematics.layout import Layout
from poise.manifold.algebra import Mat, Vec, product, quat_to_mat, transpose


@kernel(inline=True)
def right_jacobian(v: Vec) -> Mat:
    """J_r(v) = I − a [v] + b [v]², a = (1 − cos θ)/θ², b = (θ − sin θ)/θ³."""
    x, y, z = v
    square = x * x + y * y + z * z
    if square < 1e-4:
        a = 0.5 - square * (1.0 / 24.0 - square / 720.0)
        b = 1.0 / 6.0 - square * (1.0 / 120.0 - square / 5040.0)
    else:
        angle = math.sqrt(square)
        half = math.sin(0.5 * angle)
        a = 2.0 * half * half / square
        b = (angle - math.sin(angle)) / (square * angle)
    return _of_powers(x, y, z, -a, b)


@kernel(inline=True)
def right_jacobian_inverse(v: Vec) -> Mat:
    """J_r(v)⁻¹ = I + [v]/2 + c [v]², c = (1 − (θ/2) cot(θ/2))/θ²."""
    x, y, z = v
    square = x * x + y * y + z * z
    if square < 1e-4:
        c = 1.0 / 12.0 + square * (1.0 / 720.0 + square / 30240.0)
    else:
        half = 0.5 * math.sqrt(square)
        c = (1.0 - half * math.cos(half) / math.sin(half)) / square
    return _of_powers(x, y, z, 0.5, c)


@kernel(inline=True)
def _of_powers(x: float, y: float, z: float, a: float, b: float) -> Mat:
    """I + a [v] + b [v]²."""
    return (
        1.0 - b * (y * y + z * z),
        b * x * y - a * z,
        b * x * z + a * y,
        b * x * y + a * z,
        1.0 - b * (x * x + z * z),
        b * y * z - a * x,
        b * x * z - a * y,
        b * y * z + a * x,
        1.0 - b * (x * x + y * y),
    )


@kernel()
def place_samples(
    first: int,
    last: int,
    tree: Layout,
    base: Array,
    above: Array,
    dofs: IntArray,
    group: IntArray,
    columns: IntArray,
    weights: Array,
    coefficients: Array,
    displacement: Array,
    q: Array,
    positions: Array,
    rotations: Array,
    axes: Array,
) -> None:
    """Poses of samples, and the axes about which (along which) each displacement moves them.

    base (S, nq), above (S, nv) or (0, nv); displacement (S, nv), q (S, nq), positions (S, n, 3), rotations
    (S, n, 3, 3) and axes (S, nv, 3) are written.
    """
    for s in range(first, last):
        d = displacement[s]
        d[:] = 0.0
        for i in range(dofs.size):
            g = group[i]
            value = 0.0
            for a in range(4):
                value += weights[g, s, a] * coefficients[columns[g, s, a], i]
            d[dofs[i]] = value
        q[s] = base[s]
        displace(tree, d, q[s])
        if above.shape[0]:
            displace(tree, above[s], q[s])
        forward_frame(tree, q[s], positions[s], rotations[s], axes[s])
        for link in range(tree.kind.size):
            if tree.kind[link] == LINK_BALL:
                c = tree.v_start[link]
                turn = right_jacobian((d[c], d[c + 1], d[c + 2]))
                if above.shape[0]:
                    w, x, y, z = quat_exp((above[s, c], above[s, c + 1], above[s, c + 2]))
                    turn = product(transpose(quat_to_mat(w, x, y, z)), turn)
                for k in range(3):
                    u, v, w = axes[s, c, k], axes[s, c + 1, k], axes[s, c + 2, k]
                    for j in range(3):
                        axes[s, c + j, k] = u * turn[j] + v * turn[3 + j] + w * turn[6 + j]


@kernel(inline=True)
def displace(tree: Layout, d: Array, q: Array) -> None:
    """q ← q ⊕ d, one frame; rotations that d does not turn keep their bits."""
    for link in range(tree.kind.size):
        a, c = tree.q_start[link], tree.v_start[link]
        if tree.kind[link] == LINK_BALL:
            if d[c] != 0.0 or d[c + 1] != 0.0 or d[c + 2] != 0.0:
                before = (q[a], q[a + 1], q[a + 2], q[a + 3])
                change = quat_exp((d[c], d[c + 1], d[c + 2]))
                q[a], q[a + 1], q[a + 2], q[a + 3] = quat_unit(quat_product(before, change))
        else:
            width = _WIDTH[tree.kind[link]]
            for k in range(width):
                q[a + k] += d[c + k]


_WIDTH = np.array([0, 1, 1, 0, 3])
"""Plain coordinates of a fixed, hinge, slide, ball and translation link."""
