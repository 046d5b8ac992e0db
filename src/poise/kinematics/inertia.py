"""Rotational inertia about the centre of mass, mass covariance, and their Jacobians.

    C = ∫ x xᵀ dm (x from c),    I = tr(C) 1 − C

A degree of freedom j moves its branch, with moments (m, s, C_j) and pivot o (all from c), so

    ∂C/∂q_j = B + Bᵀ,   B = [a_j]× (C_j − o sᵀ)   (rotation),   B = a_j sᵀ   (translation)

The centre's own motion does not enter: it changes C only to second order. O(1) per degree of freedom.
Tensors are 6-vectors xx, xy, xz, yy, yz, zz in world axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.compilation import kernel
from poise.kinematics.branches import branches_frame, sym
from poise.kinematics.forward import Placement, read_only, vec
from poise.kinematics.layout import Layout, layout
from poise.manifold.algebra import Vec, cross, scale, sub
from poise.workers import for_frames


class MassCovariance(NamedTuple):
    """∫ x xᵀ dm about the centre of mass in F frames, world axes.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> placed = poise.kinematics.forward(walk.character, walk.q)
        >>> com = poise.kinematics.centre_of_mass(walk.character, placed).position
        >>> print(poise.kinematics.mass_covariance(walk.character, placed, com).tensor[0])
    """

    tensor: Array
    """xx, xy, xz, yy, yz, zz [kg·m²] (F, 6)."""
    jacobian: Array
    """(F, 6, nv)"""


def mass_covariance(character: Character, placement: Placement, com: Array) -> MassCovariance:
    """Mass covariance about the centre of mass ``com`` (F, 3), and its Jacobian.

    Args:
        character: One that has mass.
        placement: Where its bodies are, as ``forward`` says.
        com: Centre of mass [m] (F, 3).

    Returns:
        MassCovariance: [kg·m²].

    Raises:
        InputError: The character has no mass.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> placed = poise.kinematics.forward(walk.character, walk.q)
        >>> com = poise.kinematics.centre_of_mass(walk.character, placed).position
        >>> spread = poise.kinematics.mass_covariance(walk.character, placed, com)
    """
    character.require_mass("the mass covariance")
    frames = len(placement.positions)
    tensor, jacobian = np.empty((frames, 6)), np.empty((frames, 6, character.nv))
    for_frames(_covariance, frames, layout(character), *placement, com, tensor, jacobian)
    return MassCovariance(read_only(tensor), read_only(jacobian))


@kernel(inline=True)
def covariance_frame(
    tree: Layout,
    positions: Array,
    rotations: Array,
    axes: Array,
    centre: Vec,
    moments: Array,
    tensor: Array,
    out: Array,
) -> None:
    """One frame: moments of branches (n, 9) and C (6,) about ``centre``, and C's Jacobian (6, nv)."""
    count = tree.parent.size
    branches_frame(tree, positions, rotations, centre, moments)
    for k in range(6):
        tensor[k] = moments[0, 3 + k]
    for i in range(count):
        xx, xy, xz, yy, yz, zz = sym(moments, i, 3)
        s = vec(moments, i)
        o = sub(vec(positions, i), centre)
        for j in range(tree.first_dof[i], tree.first_dof[i + 1]):
            a = vec(axes, j)
            # Columns of B: a_j × (column of C_j − o sᵀ), or a_j s_k.
            if tree.turning[j]:
                b0 = cross(a, sub((xx, xy, xz), scale(s[0], o)))
                b1 = cross(a, sub((xy, yy, yz), scale(s[1], o)))
                b2 = cross(a, sub((xz, yz, zz), scale(s[2], o)))
            else:
                b0, b1, b2 = scale(s[0], a), scale(s[1], a), scale(s[2], a)
            out[0, j] = 2.0 * b0[0]
            out[1, j] = b0[1] + b1[0]
            out[2, j] = b0[2] + b2[0]
            out[3, j] = 2.0 * b1[1]
            out[4, j] = b1[2] + b2[1]
            out[5, j] = 2.0 * b2[2]


@kernel()
def _covariance(
    first: int,
    last: int,
    tree: Layout,
    positions: Array,
    rotations: Array,
    axes: Array,
    com: Array,
    tensor: Array,
    jacobian: Array,
) -> None:
    moments = np.empty((tree.parent.size, 9))
    for f in range(first, last):
        covariance_frame(
            tree, positions[f], rotations[f], axes[f], vec(com, f), moments, tensor[f], jacobian[f]
        )
