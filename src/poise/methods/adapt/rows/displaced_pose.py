"""Where everything is after a displacement, and how it moves with the displacement itself.

    q = base ⊕ d ⊕ above,      R = R₀ exp(d) exp(a)

``above`` are the displacements on top, held fixed. A small change δ of d turns the body by A δ in its own
frame with A = exp(−a) J_r(d): the world axes that Jacobians need are those of the pose times A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL
from poise.compilation import kernel
from poise.dynamics.elementary import quat_exp, quat_product, quat_unit
from poise.kinematics.forward import forward_frame
from poise.kinematics.layout import Layout
from poise.manifold.algebra import product, quat_to_mat, transpose
from poise.manifold.rotation_kernels import right_jacobian

if TYPE_CHECKING:
    from poise.methods.adapt.problem.unknowns import Keys


class Placed(NamedTuple):
    """Samples in the world; written anew for each displacement."""

    q: Array
    """(S, nq)"""
    positions: Array
    """(S, n, 3)"""
    rotations: Array
    """(S, n, 3, 3)"""
    axes: Array
    """About which, or along which, each displacement moves them, (S, nv, 3)."""


@kernel()
def place_samples(
    first: int,
    last: int,
    tree: Layout,
    base: Array,
    above: Array,
    dofs: IntArray,
    keys: Keys,
    coefficients: Array,
    displacement: Array,
    placed: Placed,
) -> None:
    """Place samples: base (S, nq), above (S, nv) or (0, nv); displacement (S, nv) is written too."""
    q, axes = placed.q, placed.axes
    for s in range(first, last):
        d = displacement[s]
        d[:] = 0.0
        for i in range(dofs.size):
            g = keys.group[i]
            value = 0.0
            for a in range(4):
                value += keys.weights[0, g, s, a] * coefficients[keys.columns[g, s, a], i]
            d[dofs[i]] = value
        q[s] = base[s]
        displace(tree, d, q[s])
        if above.shape[0]:
            displace(tree, above[s], q[s])
        forward_frame(tree, q[s], placed.positions[s], placed.rotations[s], axes[s])
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
