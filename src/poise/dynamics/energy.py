"""Mechanical energy: kinetic ½ vᵀ (M + diag(armature)) v and potential −Σ m g·x, O(links)."""

from __future__ import annotations

from typing import Any

from poise.character.tree import Tree
from poise.compilation import kernel
from poise.dynamics.groups import gather, lane_rows, scatter
from poise.dynamics.lanes import load, spread, store
from poise.dynamics.links import (
    FORCE,
    OMEGA,
    REACH,
    TURN,
    block,
    joint_motion,
    move_links,
    rigid_inertia,
    workspace_rows,
)
from poise.dynamics.rows import load_mat, load_vec, store_vec
from poise.manifold.algebra import add, cross, dot, scale, sym_apply


@kernel()
def energy_step(tree: Tree, q: Any, v: Any, armature: Any, gravity: Any, work: Any, out: Any) -> None:
    """Kinetic and potential energy [J] (two rows) of one state or eight."""
    move_links(tree, q, v, work)
    # FORCE rows carry position and velocity of a link's origin.
    none = spread(work, 0.0)
    store_vec(work, FORCE, (none, none, none))
    store_vec(work, FORCE + 3, (none, none, none))
    down = (gravity[0], gravity[1], gravity[2])
    kinetic, potential = none, none
    kinds, starts, parents = tree.kind, tree.v_start, tree.parent
    mass, centre, inertias = tree.mass, tree.centre, tree.inertia
    for i in range(parents.shape[0]):
        own, up, m = block(i), block(parents[i]), mass[i]
        reach, omega = load_vec(work, own + REACH), load_vec(work, own + OMEGA)
        place = add(load_vec(work, up + FORCE), reach)
        _, slide = joint_motion(kinds[i], starts[i], parents[i], i, v, work)
        speed = add(add(load_vec(work, up + FORCE + 3), slide), cross(load_vec(work, up + OMEGA), reach))
        store_vec(work, own + FORCE, place)
        store_vec(work, own + FORCE + 3, speed)
        inertia, first = rigid_inertia(mass, centre, inertias, i, load_mat(work, own + TURN))
        turning = dot(omega, sym_apply(inertia, omega))
        kinetic = kinetic + 0.5 * (turning + m * dot(speed, speed)) + dot(speed, cross(omega, first))
        potential = potential - dot(down, add(scale(m, place), first))
    for d in range(armature.shape[0]):
        kinetic = kinetic + 0.5 * load(armature, d) * load(v, d) * load(v, d)
    store(out, 0, kinetic)
    store(out, 1, potential)


@kernel()
def energy_batch(
    first_group: int, last_group: int, tree: Tree, q: Any, v: Any, armature: Any, gravity: Any, out: Any
) -> None:
    """``energy_step`` on a range of groups of the frames (F, …); out (F, 2)."""
    work = lane_rows(workspace_rows(tree.parent.shape[0]))
    result = lane_rows(2)
    for group in range(first_group, last_group):
        energy_step(tree, gather(q, group), gather(v, group), armature, gravity, work, result)
        scatter(result, group, out)
