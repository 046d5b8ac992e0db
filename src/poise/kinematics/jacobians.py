"""Jacobians of points and orientations, world axes.

    ∂x/∂q_j = a_j × (x − o_j)   for a rotation about a_j through o_j
            = a_j               for a translation along a_j
    ω       = Σ a_j v_j          over the rotations above the body

and zero for every degree of freedom that does not carry the point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.character import Character
from poise.compilation import kernel
from poise.errors import InputError
from poise.kinematics.forward import Placement, mat, put, read_only, vec
from poise.kinematics.layout import Layout, layout
from poise.manifold.algebra import add, cross, rotate, sub
from poise.workers import for_frames


def point_jacobians(
    character: Character, placement: Placement, bodies: ArrayLike, places: ArrayLike
) -> tuple[Array, Array]:
    """World positions (F, P, 3) and Jacobians (F, P, 3, nv) of P points fixed on bodies.

    Args:
        character: Whose bodies they are.
        placement: Where they are, as ``forward`` says.
        bodies: Indices (P,).
        places: In the bodies' frames [m] (P, 3).

    Returns:
        tuple[Array, Array]: Positions [m] and Jacobians [m/rad or m/m].

    Raises:
        InputError: There is no such body, or the shapes do not fit.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> placed = poise.kinematics.forward(walk.character, walk.q)
        >>> where, change = poise.kinematics.point_jacobians(walk.character, placed, [3], [(0, 0, 0.1)])
    """
    index = _body_indices(character, bodies)
    local = frozen(checked(places, "places", (len(index), 3)))
    frames, count = len(placement.positions), len(index)
    points = np.empty((frames, count, 3))
    # Fresh zero pages cost nothing; only columns that carry the point are ever written.
    jacobians = np.zeros((frames, count, 3, character.nv))
    for_frames(_points, frames, layout(character), index, local, *placement, points, jacobians)
    return read_only(points), read_only(jacobians)


def angular_jacobians(character: Character, placement: Placement, bodies: ArrayLike) -> Array:
    """Jacobians of the angular velocities of P bodies, world axes (F, P, 3, nv).

    Args:
        character: Whose bodies they are.
        placement: Where they are, as ``forward`` says.
        bodies: Indices (P,).

    Returns:
        Array: [rad/rad].

    Raises:
        InputError: There is no such body.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> placed = poise.kinematics.forward(walk.character, walk.q)
        >>> turning = poise.kinematics.angular_jacobians(walk.character, placed, [3])
    """
    index = _body_indices(character, bodies)
    jacobians = np.zeros((len(placement.positions), len(index), 3, character.nv))
    for_frames(_angular, len(jacobians), layout(character), index, placement.axes, jacobians)
    return read_only(jacobians)


def _body_indices(character: Character, bodies: ArrayLike) -> IntArray:
    index: IntArray = frozen(np.atleast_1d(np.asarray(bodies)), dtype=np.int64)
    count = len(character.bodies)
    if index.ndim != 1 or (index.size and not (index.min() >= 0 and index.max() < count)):
        raise InputError(f"body indices of {character.name!r} must lie in 0 … {count - 1}, not {bodies!r}")
    return index


@kernel(inline=True)
def points_frame(
    tree: Layout,
    bodies: IntArray,
    places: Array,
    positions: Array,
    rotations: Array,
    axes: Array,
    points: Array,
    jacobians: Array,
) -> None:
    """One frame: points (P, 3) and the non-zero columns of their Jacobians (P, 3, nv)."""
    for p in range(bodies.size):
        i = bodies[p]
        x = add(vec(positions, i), rotate(mat(rotations, i), vec(places, p)))
        put(points, p, x)
        while i >= 0:
            arm = sub(x, vec(positions, i))
            for j in range(tree.first_dof[i], tree.first_dof[i + 1]):
                column = vec(axes, j)
                if tree.turning[j]:
                    column = cross(column, arm)
                jacobians[p, 0, j], jacobians[p, 1, j], jacobians[p, 2, j] = column
            i = tree.parent[i]


@kernel()
def _points(
    first: int,
    last: int,
    tree: Layout,
    bodies: IntArray,
    places: Array,
    positions: Array,
    rotations: Array,
    axes: Array,
    points: Array,
    jacobians: Array,
) -> None:
    for f in range(first, last):
        points_frame(tree, bodies, places, positions[f], rotations[f], axes[f], points[f], jacobians[f])


@kernel()
def _angular(first: int, last: int, tree: Layout, bodies: IntArray, axes: Array, jacobians: Array) -> None:
    for f in range(first, last):
        for p in range(bodies.size):
            i = bodies[p]
            while i >= 0:
                for j in range(tree.first_dof[i], tree.first_dof[i + 1]):
                    if tree.turning[j]:
                        for k in range(3):
                            jacobians[f, p, k, j] = axes[f, j, k]
                i = tree.parent[i]
