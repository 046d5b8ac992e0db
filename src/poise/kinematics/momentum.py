"""Linear and angular momentum about the centre of mass, its matrix and its derivative.

With spatial vectors referred to the centre of mass c, motion (ω, u) and momentum (k, l):

    h = A(q) v,    A_j = I_j S_j
    ∂h/∂q_j at fixed v = S_j ×* h_j − I_j (S_j × V_λ) − (0, ∂c/∂q_j × l)

``S_j`` is the axis of degree of freedom j, ``I_j``, ``h_j`` the inertia and momentum of the branch it
carries, ``V_λ`` the velocity of what lies *before* the joint. The branch is moved rigidly by S_j
together with its velocity relative to λ (a ball's own rate is in the child's frame and rides along);
V_λ stays. The last term is there because angular momentum follows the moving centre of mass.

Rows are linear (x, y, z) [kg·m/s], then angular (x, y, z) [kg·m²/s], world axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character
from poise.compilation import kernel
from poise.kinematics.branches import branches_frame, inertia_times, sym
from poise.kinematics.forward import Placement, as_frames, mat, read_only, vec, velocities_frame
from poise.kinematics.layout import Layout, layout
from poise.manifold.algebra import Vec, add, cross, rotate, rotate_back, scale, sub, sym_apply
from poise.workers import for_frames


def momentum(character: Character, placement: Placement, com: Array, v: ArrayLike) -> Array:
    """Linear, then angular momentum about the centre of mass ``com`` (F, 3), (F, 6).

    Args:
        character: One that has mass.
        placement: Where its bodies are, as ``forward`` says.
        com: Centre of mass [m] (F, 3).
        v: Velocities (F, nv) or (nv,) [m/s, rad/s].

    Returns:
        Array: [kg·m/s, kg·m²/s].

    Raises:
        InputError: A shape does not fit, or numbers are not finite.

    Examples:
        >>> jump = poise.clips.get("jump")
        >>> placed = poise.kinematics.forward(jump.character, jump.q)
        >>> com = poise.kinematics.centre_of_mass(jump.character, placed).position
        >>> moving = poise.kinematics.momentum(jump.character, placed, com, jump.velocity)
    """
    character.require_mass("the momentum")
    rates = as_frames(v, "v", character.nv, frames=len(com))
    out = np.empty((len(com), 6))
    for_frames(_momentum, len(out), layout(character), rates, *placement, com, out)
    return read_only(out)


def momentum_matrix(character: Character, placement: Placement, com: Array) -> Array:
    """A(q) with h = A v, (F, 6, nv).

    Args:
        character: One that has mass.
        placement: Where its bodies are, as ``forward`` says.
        com: Centre of mass [m] (F, 3).

    Returns:
        Array: Rows of linear, then of angular momentum.

    Examples:
        >>> jump = poise.clips.get("jump")
        >>> placed = poise.kinematics.forward(jump.character, jump.q)
        >>> com = poise.kinematics.centre_of_mass(jump.character, placed).position
        >>> matrix = poise.kinematics.momentum_matrix(jump.character, placed, com)
    """
    character.require_mass("the momentum")
    out = np.empty((len(com), 6, character.nv))
    for_frames(_matrix, len(out), layout(character), *placement, com, out)
    return read_only(out)


def momentum_jacobian(character: Character, placement: Placement, com: Array, v: ArrayLike) -> Array:
    """∂(A(q) v)/∂q at fixed v, (F, 6, nv).

    Args:
        character: One that has mass.
        placement: Where its bodies are, as ``forward`` says.
        com: Centre of mass [m] (F, 3).
        v: Velocities (F, nv) or (nv,) [m/s, rad/s].

    Returns:
        Array: Per unit of q.

    Raises:
        InputError: A shape does not fit, or numbers are not finite.

    Examples:
        >>> jump = poise.clips.get("jump")
        >>> placed = poise.kinematics.forward(jump.character, jump.q)
        >>> com = poise.kinematics.centre_of_mass(jump.character, placed).position
        >>> change = poise.kinematics.momentum_jacobian(jump.character, placed, com, jump.velocity)
    """
    character.require_mass("the momentum")
    rates = as_frames(v, "v", character.nv, frames=len(com))
    out = np.empty((len(com), 6, character.nv))
    for_frames(_jacobian, len(out), layout(character), rates, *placement, com, out)
    return read_only(out)


@kernel(inline=True)
def body_momentum(
    tree: Layout, i: int, positions: Array, rotations: Array, velocities: Array, centre: Vec
) -> tuple[Vec, Vec]:
    """Linear momentum of body i, and its angular momentum about ``centre``."""
    turn = mat(rotations, i)
    reach = rotate(turn, vec(tree.centre, i))
    angular = (velocities[i, 3], velocities[i, 4], velocities[i, 5])
    linear = scale(tree.mass[i], add(vec(velocities, i), cross(angular, reach)))
    spin = rotate(turn, sym_apply(sym(tree.inertia, i, 0), rotate_back(turn, angular)))
    arm = sub(add(vec(positions, i), reach), centre)
    return linear, add(spin, cross(arm, linear))


@kernel(inline=True)
def momentum_frame(
    tree: Layout, positions: Array, rotations: Array, velocities: Array, centre: Vec, out: Array
) -> None:
    """One frame: the whole momentum (6,) from body velocities (n, 6)."""
    linear = (0.0, 0.0, 0.0)
    angular = (0.0, 0.0, 0.0)
    for i in range(tree.parent.size):
        l, k = body_momentum(tree, i, positions, rotations, velocities, centre)
        linear, angular = add(linear, l), add(angular, k)
    out[0], out[1], out[2] = linear
    out[3], out[4], out[5] = angular


@kernel(inline=True)
def spatial_axis(axis: Vec, turning: int, pivot: Vec) -> tuple[Vec, Vec]:
    """Motion (ω, u) of one degree of freedom; u is the velocity at the point pivots are measured from."""
    if turning:
        return axis, cross(pivot, axis)
    return (0.0, 0.0, 0.0), axis


@kernel(inline=True)
def branch_momentum(tree: Layout, moments: Array, i: int, w: Vec, u: Vec) -> tuple[Vec, Vec]:
    """Linear and angular momentum of the branch below i moving rigidly with (w, u)."""
    s = vec(moments, i)
    linear = add(scale(tree.branch_mass[i], u), cross(w, s))
    return linear, add(inertia_times(sym(moments, i, 3), w), cross(s, u))


@kernel(inline=True)
def put_rows(out: Array, j: int, linear: Vec, angular: Vec) -> None:
    """Column j of a (6, nv) matrix."""
    out[0, j], out[1, j], out[2, j] = linear
    out[3, j], out[4, j], out[5, j] = angular


@kernel(inline=True)
def matrix_frame(
    tree: Layout, positions: Array, rotations: Array, axes: Array, centre: Vec, out: Array
) -> None:
    """One frame: A(q) (6, nv)."""
    count = tree.parent.size
    moments = np.empty((count, 9))
    branches_frame(tree, positions, rotations, centre, moments)
    for i in range(count):
        pivot = sub(vec(positions, i), centre)
        for j in range(tree.first_dof[i], tree.first_dof[i + 1]):
            w, u = spatial_axis(vec(axes, j), tree.turning[j], pivot)
            l, k = branch_momentum(tree, moments, i, w, u)
            put_rows(out, j, l, k)


@kernel(inline=True)
def jacobian_frame(
    tree: Layout, v: Array, positions: Array, rotations: Array, axes: Array, centre: Vec, out: Array
) -> None:
    """One frame: ∂(A(q) v)/∂q (6, nv)."""
    count = tree.parent.size
    moments, velocities, h = np.empty((count, 9)), np.empty((count, 6)), np.empty((count, 6))
    branches_frame(tree, positions, rotations, centre, moments)
    velocities_frame(tree, v, positions, axes, velocities)
    for i in range(count):
        l, k = body_momentum(tree, i, positions, rotations, velocities, centre)
        h[i, 0], h[i, 1], h[i, 2] = l
        h[i, 3], h[i, 4], h[i, 5] = k
    for i in range(count - 1, 0, -1):
        for r in range(6):
            h[tree.parent[i], r] += h[i, r]
    whole = vec(h, 0)
    per_mass = 1.0 / tree.branch_mass[0]
    for i in range(count):
        pivot = sub(vec(positions, i), centre)
        # V_λ: the parent's motion and this joint's own translations, seen at the centre of mass.
        # (Where j itself is a translation its own share vanishes from S_j × V_λ.)
        w0 = (0.0, 0.0, 0.0)
        u0 = (0.0, 0.0, 0.0)
        up = tree.parent[i]
        if up >= 0:
            w0 = (velocities[up, 3], velocities[up, 4], velocities[up, 5])
            u0 = add(vec(velocities, up), cross(w0, sub(centre, vec(positions, up))))
        for j in range(tree.first_dof[i], tree.first_dof[i + 1]):
            if not tree.turning[j]:
                u0 = add(u0, scale(v[j], vec(axes, j)))
        linear, angular = vec(h, i), (h[i, 3], h[i, 4], h[i, 5])
        for j in range(tree.first_dof[i], tree.first_dof[i + 1]):
            w, u = spatial_axis(vec(axes, j), tree.turning[j], pivot)
            l0, k0 = branch_momentum(tree, moments, i, cross(w, w0), add(cross(w, u0), cross(u, w0)))
            # ∂c/∂q_j is the linear momentum of the unit motion S_j over the whole mass.
            moved = scale(per_mass, add(scale(tree.branch_mass[i], u), cross(w, vec(moments, i))))
            l = sub(cross(w, linear), l0)
            k = sub(sub(add(cross(w, angular), cross(u, linear)), k0), cross(moved, whole))
            put_rows(out, j, l, k)


@kernel()
def _momentum(
    first: int,
    last: int,
    tree: Layout,
    v: Array,
    positions: Array,
    rotations: Array,
    axes: Array,
    com: Array,
    out: Array,
) -> None:
    velocities = np.empty((tree.parent.size, 6))
    for f in range(first, last):
        velocities_frame(tree, v[f], positions[f], axes[f], velocities)
        momentum_frame(tree, positions[f], rotations[f], velocities, vec(com, f), out[f])


@kernel()
def _matrix(
    first: int,
    last: int,
    tree: Layout,
    positions: Array,
    rotations: Array,
    axes: Array,
    com: Array,
    out: Array,
) -> None:
    for f in range(first, last):
        matrix_frame(tree, positions[f], rotations[f], axes[f], vec(com, f), out[f])


@kernel()
def _jacobian(
    first: int,
    last: int,
    tree: Layout,
    v: Array,
    positions: Array,
    rotations: Array,
    axes: Array,
    com: Array,
    out: Array,
) -> None:
    for f in range(first, last):
        jacobian_frame(tree, v[f], positions[f], rotations[f], axes[f], vec(com, f), out[f])
