"""Inverse dynamics by the recursive Newton–Euler algorithm, O(links):

τ = (M + diag(armature)) v̇ + c(q, v) + g(q) − Jᵀ w
"""

from __future__ import annotations

from typing import Any

from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_HINGE, LINK_SLIDE, Tree
from poise.compilation import kernel
from poise.dynamics.articulated import at_parent
from poise.dynamics.groups import gather, lane_rows, scatter
from poise.dynamics.lanes import load, store
from poise.dynamics.links import (
    AXIS,
    BIAS,
    FORCE,
    INERTIA,
    OMEGA,
    REACH,
    TURN,
    block,
    inertial_load,
    joint_motion,
    lift_world,
    move_links,
    rigid_inertia,
    workspace_rows,
)
from poise.dynamics.rows import accumulate_vec, load_mat, load_vec, store_vec
from poise.manifold.algebra import add, cross, dot, rotate_back, scale, sub, sym_apply

# The inertia rows are free here: they carry accelerations, so that FORCE can collect forces.
_MOVES = INERTIA


@kernel(allocates=False)
def rnea_step(
    tree: Tree,
    q: Any,
    v: Any,
    acceleration: Any,
    armature: Any,
    gravity: Any,
    wrenches: Any,
    work: Any,
    out: Any,
) -> None:
    """Joint forces ``out`` of one state (plain arrays) or eight (lane arrays); rows as in ``aba_step``."""
    move_links(tree, q, v, work)
    lift_world(gravity, work, _MOVES)
    pushed = wrenches.shape[0] > 0
    kinds, starts, parents, bodies = tree.kind, tree.v_start, tree.parent, tree.body
    mass, centre, inertias = tree.mass, tree.centre, tree.inertia
    for i in range(parents.shape[0]):
        own, up, m, body = block(i), block(parents[i]), mass[i], bodies[i]
        alpha = load_vec(work, up + _MOVES)
        rise = add(load_vec(work, up + _MOVES + 3), cross(alpha, load_vec(work, own + REACH)))
        angular, linear = joint_motion(kinds[i], starts[i], parents[i], i, acceleration, work)
        alpha = add(add(alpha, load_vec(work, own + BIAS)), angular)
        rise = add(add(rise, load_vec(work, own + BIAS + 3)), linear)
        store_vec(work, own + _MOVES, alpha)
        store_vec(work, own + _MOVES + 3, rise)
        inertia, first = rigid_inertia(mass, centre, inertias, i, load_mat(work, own + TURN))
        moment, force = inertial_load(load_vec(work, own + OMEGA), inertia, first)
        moment = add(moment, add(sym_apply(inertia, alpha), cross(first, rise)))
        force = add(force, add(scale(m, rise), cross(alpha, first)))
        if pushed and body >= 0:
            force = sub(force, load_vec(wrenches, 6 * body))
            moment = sub(moment, load_vec(wrenches, 6 * body + 3))
        store_vec(work, own + FORCE, moment)
        store_vec(work, own + FORCE + 3, force)
    for i in range(parents.shape[0] - 1, -1, -1):
        own, kind, c, parent = block(i), kinds[i], starts[i], parents[i]
        moment, force = load_vec(work, own + FORCE), load_vec(work, own + FORCE + 3)
        if kind in (LINK_HINGE, LINK_SLIDE):
            push = force if kind == LINK_SLIDE else moment
            own_inertia = load(armature, c) * load(acceleration, c)
            store(out, c, dot(load_vec(work, own + AXIS), push) + own_inertia)
        elif kind != LINK_FIXED:
            turned = own if kind == LINK_BALL else block(parent)
            push = moment if kind == LINK_BALL else force
            push = rotate_back(load_mat(work, turned + TURN), push)
            for k in range(3):
                store(out, c + k, push[k] + load(armature, c + k) * load(acceleration, c + k))
        if parent >= 0:
            up = block(parent)
            accumulate_vec(work, up + FORCE, at_parent(moment, force, load_vec(work, own + REACH)))
            accumulate_vec(work, up + FORCE + 3, force)


@kernel()
def inverse_batch(
    first_group: int,
    last_group: int,
    tree: Tree,
    q: Any,
    v: Any,
    acceleration: Any,
    armature: Any,
    gravity: Any,
    wrenches: Any,
    out: Any,
) -> None:
    """``rnea_step`` on a range of groups of the frames (F, …); wrenches have F frames or none."""
    work = lane_rows(workspace_rows(tree.parent.shape[0]))
    result = lane_rows(v.shape[1])
    for group in range(first_group, last_group):
        x, y, z = gather(q, group), gather(v, group), gather(acceleration, group)
        rnea_step(tree, x, y, z, armature, gravity, gather(wrenches, group), work, result)
        scatter(result, group, out)
