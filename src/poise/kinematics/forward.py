"""Forward kinematics: where bodies are, where their degrees of freedom point, how fast they move.

    x_i = x_p + R_p (offset_i + t_i),    R_i = R_p · rest_i · Q_i
    ω_i = ω_p + Σ turning a_j v_j,       ẋ_i = ẋ_p + ω_p × (x_i − x_p) + Σ sliding a_j v_j

``a_j`` is the world axis of degree of freedom j: ``q ⊕ ε e_j`` turns (or shifts) the body and all
that hangs from it by ε about (or along) it, to first order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_SLIDE, LINK_TRANSLATION
from poise.compilation import kernel
from poise.kinematics.layout import Layout, layout
from poise.manifold.algebra import Mat, Vec, add, axis_to_mat, cross, product, quat_to_mat, rotate, scale, sub
from poise.workers import for_frames


class Placement(NamedTuple):
    """Where everything is in F frames; read-only, world axes.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> print(poise.kinematics.forward(walk.character, walk.q).positions.shape)
    """

    positions: Array
    """Body origins [m] (F, n, 3)."""
    rotations: Array
    """World-from-body rotations (F, n, 3, 3)."""
    axes: Array
    """Unit axis of each degree of freedom (F, nv, 3)."""


def forward(character: Character, q: ArrayLike) -> Placement:
    """Places of all bodies for configurations q (F, nq) or (nq,), which is one frame.

    Args:
        character: Whose configurations they are.
        q: With unit quaternions.

    Returns:
        Placement: Origins, rotations and axes of joints.

    Raises:
        InputError: The shape does not fit, or numbers are not finite.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> placed = poise.kinematics.forward(walk.character, walk.q)
    """
    return placed(character, as_frames(q, "q", character.nq))


def placed(character: Character, q: Array) -> Placement:
    """The same for frames that ``as_frames`` made."""
    frames, bodies = len(q), len(character.bodies)
    positions, rotations = np.empty((frames, bodies, 3)), np.empty((frames, bodies, 3, 3))
    axes = np.empty((frames, character.nv, 3))
    for_frames(_forward, frames, layout(character), q, positions, rotations, axes)
    return Placement(read_only(positions), read_only(rotations), read_only(axes))


def body_velocities(character: Character, placement: Placement, v: ArrayLike) -> Array:
    """Velocity of each body: linear at its origin, then angular, world axes [m/s, rad/s] (F, n, 6).

    Args:
        character: Whose bodies they are.
        placement: Where they are, as ``forward`` says.
        v: Velocities (F, nv) or (nv,) [m/s, rad/s].

    Returns:
        Array: One row per body.

    Raises:
        InputError: The shape does not fit, or numbers are not finite.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> placed = poise.kinematics.forward(walk.character, walk.q)
        >>> fast = poise.kinematics.body_velocities(walk.character, placed, walk.velocity)
    """
    rates = as_frames(v, "v", character.nv, frames=len(placement.positions))
    out = np.empty((*placement.positions.shape[:2], 6))
    for_frames(_velocities, len(out), layout(character), rates, placement.positions, placement.axes, out)
    return read_only(out)


def as_frames(
    values: ArrayLike, name: str, width: int, *, frames: int | None = None, finite: bool = True
) -> Array:
    """``values`` as a contiguous, read-only (F, width) array; one row is one frame.

    One array type for all callers: a kernel compiles once, whatever it is handed.
    """
    array = np.asarray(values, dtype=np.float64)
    array = checked(array[None] if array.ndim == 1 else array, name, (frames, width), finite=finite)
    return read_only(np.ascontiguousarray(array).view())


def read_only(array: Array) -> Array:
    """The array itself, closed to writing."""
    array.flags.writeable = False
    return array


@kernel(inline=True)
def vec(rows: Array, i: int) -> Vec:
    """Row i as a tuple."""
    return (rows[i, 0], rows[i, 1], rows[i, 2])


@kernel(inline=True)
def put(rows: Array, i: int, x: Vec) -> None:
    """A tuple into row i."""
    rows[i, 0] = x[0]
    rows[i, 1] = x[1]
    rows[i, 2] = x[2]


@kernel(inline=True)
def mat(stack: Array, i: int) -> Mat:
    """Matrix i of a stack as a tuple."""
    m = stack[i]
    return (m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2])


@kernel(inline=True)
def put_columns(axes: Array, first: int, turn: Mat) -> None:
    """The three columns of a rotation as three axes."""
    for k in range(3):
        axes[first, k] = turn[3 * k]
        axes[first + 1, k] = turn[3 * k + 1]
        axes[first + 2, k] = turn[3 * k + 2]


@kernel(inline=True)
def forward_frame(tree: Layout, q: Array, positions: Array, rotations: Array, axes: Array) -> None:
    """One frame: q (nq,) → positions (n, 3), rotations (n, 3, 3), axes (nv, 3)."""
    for link in range(tree.kind.size):
        kind, body, above = tree.kind[link], tree.slot[link], tree.above[link]
        a, c = tree.q_start[link], tree.v_start[link]
        place = vec(tree.offset, link)
        turn = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        if above >= 0:
            turn = mat(rotations, above)
            place = add(vec(positions, above), rotate(turn, place))
        if tree.tilted[link]:
            turn = product(turn, mat(tree.rest, link))
        if kind == LINK_BALL:
            turn = product(turn, quat_to_mat(q[a], q[a + 1], q[a + 2], q[a + 3]))
            put_columns(axes, c, turn)
        elif kind == LINK_HINGE:
            about = vec(tree.axis, link)
            put(axes, c, rotate(turn, about))
            turn = product(turn, axis_to_mat(about, math.sin(q[a]), math.cos(q[a])))
        elif kind == LINK_SLIDE:
            along = rotate(turn, vec(tree.axis, link))
            put(axes, c, along)
            place = add(place, scale(q[a], along))
        elif kind == LINK_TRANSLATION:
            put_columns(axes, c, turn)
            place = add(place, rotate(turn, (q[a], q[a + 1], q[a + 2])))
        put(positions, body, place)
        m = rotations[body]
        for k in range(3):
            m[k, 0] = turn[3 * k]
            m[k, 1] = turn[3 * k + 1]
            m[k, 2] = turn[3 * k + 2]


@kernel(inline=True)
def velocities_frame(tree: Layout, v: Array, positions: Array, axes: Array, out: Array) -> None:
    """One frame: v (nv,) → (n, 6), linear at the body's origin, then angular."""
    for i in range(tree.parent.size):
        up = tree.parent[i]
        linear = (0.0, 0.0, 0.0)
        angular = (0.0, 0.0, 0.0)
        if up >= 0:
            angular = (out[up, 3], out[up, 4], out[up, 5])
            arm = sub(vec(positions, i), vec(positions, up))
            linear = add((out[up, 0], out[up, 1], out[up, 2]), cross(angular, arm))
        for j in range(tree.first_dof[i], tree.first_dof[i + 1]):
            share = scale(v[j], vec(axes, j))
            if tree.turning[j]:
                angular = add(angular, share)
            else:
                linear = add(linear, share)
        out[i, 0], out[i, 1], out[i, 2] = linear
        out[i, 3], out[i, 4], out[i, 5] = angular


@kernel()
def _forward(
    first: int, last: int, tree: Layout, q: Array, positions: Array, rotations: Array, axes: Array
) -> None:
    for f in range(first, last):
        forward_frame(tree, q[f], positions[f], rotations[f], axes[f])


@kernel()
def _velocities(
    first: int, last: int, tree: Layout, v: Array, positions: Array, axes: Array, out: Array
) -> None:
    for f in range(first, last):
        velocities_frame(tree, v[f], positions[f], axes[f], out[f])
