"""Centre of mass and its Jacobian.

    c = Σ m_i x_i / M,    ∂c/∂q_j = a_j × (s_j − m_j o_j) / M   (rotation),   a_j m_j / M   (translation)

with ``m_j`` and ``s_j`` the mass and first moment of all that degree of freedom j carries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.compilation import kernel
from poise.kinematics.forward import Placement, mat, put, read_only, vec
from poise.kinematics.layout import Layout, layout
from poise.manifold.algebra import Vec, add, cross, rotate, scale, sub
from poise.workers import for_frames


class CentreOfMass(NamedTuple):
    """Centre of mass in F frames, world axes.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> placed = poise.kinematics.forward(walk.character, walk.q)
        >>> print(poise.kinematics.centre_of_mass(walk.character, placed).position[0])
    """

    position: Array
    """[m] (F, 3)"""
    jacobian: Array
    """(F, 3, nv)"""


def centre_of_mass(character: Character, placement: Placement) -> CentreOfMass:
    """Centre of mass (F, 3) and Jacobian (F, 3, nv) of a character that has mass.

    Args:
        character: One that has mass.
        placement: Where its bodies are, as ``forward`` says.

    Returns:
        CentreOfMass: [m], [m/rad or m/m].

    Raises:
        InputError: The character has no mass.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> placed = poise.kinematics.forward(walk.character, walk.q)
        >>> centre = poise.kinematics.centre_of_mass(walk.character, placed)
    """
    character.require_mass("the centre of mass")
    frames = len(placement.positions)
    position, jacobian = np.empty((frames, 3)), np.empty((frames, 3, character.nv))
    for_frames(_centre, frames, layout(character), *placement, position, jacobian)
    return CentreOfMass(read_only(position), read_only(jacobian))


@kernel(inline=True)
def centre_frame(
    tree: Layout, positions: Array, rotations: Array, axes: Array, moments: Array, jacobian: Array
) -> Vec:
    """One frame: returns c and writes its Jacobian (3, nv); ``moments`` (n, 3) is scratch."""
    count = tree.parent.size
    for i in range(count):
        centre = add(vec(positions, i), rotate(mat(rotations, i), vec(tree.centre, i)))
        put(moments, i, scale(tree.mass[i], centre))
    for i in range(count - 1, 0, -1):
        up = tree.parent[i]
        put(moments, up, add(vec(moments, up), vec(moments, i)))
    share = 1.0 / tree.branch_mass[0]
    for i in range(count):
        part = share * tree.branch_mass[i]
        arm = sub(scale(share, vec(moments, i)), scale(part, vec(positions, i)))
        for j in range(tree.first_dof[i], tree.first_dof[i + 1]):
            if tree.turning[j]:
                column = cross(vec(axes, j), arm)
            else:
                column = scale(part, vec(axes, j))
            jacobian[0, j], jacobian[1, j], jacobian[2, j] = column
    return scale(share, vec(moments, 0))


@kernel()
def _centre(
    first: int,
    last: int,
    tree: Layout,
    positions: Array,
    rotations: Array,
    axes: Array,
    position: Array,
    jacobian: Array,
) -> None:
    moments = np.empty((tree.parent.size, 3))
    for f in range(first, last):
        centre = centre_frame(tree, positions[f], rotations[f], axes[f], moments, jacobian[f])
        put(position, f, centre)
