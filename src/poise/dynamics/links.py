"""Where links are and how they move: the outward pass that all dynamics kernels share.

All vectors have world axes, and each link's quantities refer to its own origin. With parent p,
reach r = x_i − x_p, joint spin s (angular) and slide rate d (linear):

    ω_i = ω_p + s                     α_i = α_p + ω_p × s + S_α v̇
    a_i = a_p + α_p × r + ω_p × (ω_p × r) + 2 ω_p × d + S_a v̇

Terms without accelerations are the link's *bias*. Accelerations are those of material points,
not spatial ones: no velocity of an origin is needed anywhere. Gravity is an upward acceleration
of the world.

The workspace holds one block of rows per link, the world's first:

| rows                | content                                                             |
|---------------------|---------------------------------------------------------------------|
| TURN 9              | R_world_link by rows                                                |
| OMEGA 3, REACH 3    | ω, r                                                                |
| BIAS 6              | angular, linear bias                                                |
| AXIS 3              | world axis of a hinge or slide                                      |
| INERTIA 6+9+6       | spatial inertia (angular, coupling, linear) of the link or what hangs from it |
| FORCE 6             | moment, force; in the last pass of forward dynamics: α, a           |
| SOLVE 6, DRIVE 3    | inverse joint inertia; what drives the joint                        |
"""

from __future__ import annotations

from typing import Any

from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_SLIDE, LINK_TRANSLATION, Tree
from poise.compilation import kernel
from poise.dynamics.elementary import sine_cosine
from poise.dynamics.lanes import load, spread, store
from poise.dynamics.rows import load_mat, load_vec, store_mat, store_vec
from poise.manifold.algebra import (
    Mat,
    Sym,
    Vec,
    add,
    axis_to_mat,
    cross,
    product,
    quat_to_mat,
    rotate,
    scale,
    sym_apply,
    sym_rotate,
)

TURN = 0
OMEGA = 9
REACH = 12
BIAS = 15
AXIS = 21
INERTIA = 24
FORCE = 45
SOLVE = 51
DRIVE = 57
BLOCK = 60
"""Rows of one link's block."""


@kernel(inline=True, allocates=False)
def workspace_rows(links: int) -> int:
    """Rows of a workspace for so many links."""
    return (links + 1) * BLOCK


@kernel(inline=True, allocates=False)
def block(link: int) -> int:
    """First row of a link's block; the world is link −1."""
    return (link + 1) * BLOCK


@kernel(inline=True, allocates=False)
def const_vec(array: Any, i: int) -> Vec:
    """Row i of a constant (L, 3) array."""
    return (array[i, 0], array[i, 1], array[i, 2])


@kernel(inline=True, allocates=False)
def const_mat(array: Any, i: int) -> Mat:
    """Matrix i of a constant (L, 3, 3) array."""
    return (
        array[i, 0, 0],
        array[i, 0, 1],
        array[i, 0, 2],
        array[i, 1, 0],
        array[i, 1, 1],
        array[i, 1, 2],
        array[i, 2, 0],
        array[i, 2, 1],
        array[i, 2, 2],
    )


@kernel(allocates=False)
def move_links(tree: Tree, q: Any, v: Any, work: Any) -> None:
    """Fill TURN, OMEGA, REACH, BIAS and AXIS of every link and of the world."""
    none = spread(work, 0.0)
    one = spread(work, 1.0)
    zero = (none, none, none)
    store_mat(work, TURN, (one, none, none, none, one, none, none, none, one))
    store_vec(work, OMEGA, zero)
    for i in range(tree.parent.shape[0]):
        up, own = block(tree.parent[i]), block(i)
        kind, a, c = tree.kind[i], tree.q_start[i], tree.v_start[i]
        turn_up, omega_up = load_mat(work, up + TURN), load_vec(work, up + OMEGA)
        turn = product(turn_up, const_mat(tree.rest, i))
        axis = const_vec(tree.axis, i)
        reach = rotate(turn_up, const_vec(tree.offset, i))
        spin, rate = zero, zero
        if kind == LINK_HINGE:
            s, co = sine_cosine(load(q, a))
            turn = product(turn, axis_to_mat(axis, s, co))
            about = rotate(turn, axis)
            store_vec(work, own + AXIS, about)
            spin = scale(load(v, c), about)
        elif kind == LINK_BALL:
            w, x, y, z = load(q, a), load(q, a + 1), load(q, a + 2), load(q, a + 3)
            turn = product(turn, quat_to_mat(w, x, y, z))
            spin = rotate(turn, load_vec(v, c))
        elif kind == LINK_SLIDE:
            along = rotate(turn, axis)
            store_vec(work, own + AXIS, along)
            reach = add(reach, scale(load(q, a), along))
            rate = scale(load(v, c), along)
        elif kind == LINK_TRANSLATION:
            reach = add(reach, rotate(turn_up, load_vec(q, a)))
            rate = rotate(turn_up, load_vec(v, c))
        store_mat(work, own + TURN, turn)
        store_vec(work, own + OMEGA, add(omega_up, spin))
        store_vec(work, own + REACH, reach)
        store_vec(work, own + BIAS, cross(omega_up, spin))
        store_vec(work, own + BIAS + 3, cross(omega_up, add(cross(omega_up, reach), scale(2.0, rate))))


# Helpers take numbers and arrays, not the tree, and kernels fetch those once: handing the tuple on counts
# references to all its arrays at every call, which doubled the time of a single state.


@kernel(inline=True, allocates=False)
def joint_motion(kind: int, c: int, parent: int, i: int, rates: Any, work: Any) -> tuple[Vec, Vec]:
    """S v̇ of link i in world axes, angular and linear; ``rates`` (nv rows) are v̇, or v for S v."""
    none = spread(work, 0.0)
    zero = (none, none, none)
    angular, linear = zero, zero
    if kind == LINK_HINGE:
        angular = scale(load(rates, c), load_vec(work, block(i) + AXIS))
    elif kind == LINK_SLIDE:
        linear = scale(load(rates, c), load_vec(work, block(i) + AXIS))
    elif kind == LINK_BALL:
        angular = rotate(load_mat(work, block(i) + TURN), load_vec(rates, c))
    elif kind == LINK_TRANSLATION:
        linear = rotate(load_mat(work, block(parent) + TURN), load_vec(rates, c))
    return angular, linear


@kernel(inline=True, allocates=False)
def rigid_inertia(mass: Any, centre: Any, inertia: Any, i: int, turn: Mat) -> tuple[Sym, Vec]:
    """Rotational inertia about link i's origin and first moment of mass, in world axes."""
    m, k = mass[i], inertia
    x, y, z = const_vec(centre, i)
    own = (
        k[i, 0, 0] + m * (y * y + z * z),
        k[i, 0, 1] - m * x * y,
        k[i, 0, 2] - m * x * z,
        k[i, 1, 1] + m * (x * x + z * z),
        k[i, 1, 2] - m * y * z,
        k[i, 2, 2] + m * (x * x + y * y),
    )
    return sym_rotate(turn, own), rotate(turn, (m * x, m * y, m * z))


@kernel(inline=True, allocates=False)
def inertial_load(omega: Vec, inertia: Sym, moment: Vec) -> tuple[Vec, Vec]:
    """Moment about the origin and force that a rotation alone demands: ω × I ω, ω × (ω × m c)."""
    return cross(omega, sym_apply(inertia, omega)), cross(omega, cross(omega, moment))


@kernel(inline=True, allocates=False)
def lift_world(gravity: Any, work: Any, row: int) -> None:
    """Let the world accelerate against gravity: α = 0, a = −g in six rows of its block."""
    for k in range(3):
        store(work, row + k, 0.0)
        store(work, row + 3 + k, -gravity[k])
