"""Stepping a state through time: semi-implicit Euler with the exact exponential.

v ← v + h v̇,    q ← q ⊕ h v
"""

from __future__ import annotations

from typing import Any, NamedTuple

from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_HINGE, LINK_SLIDE, Tree
from poise.compilation import kernel
from poise.dynamics.aba import aba_step
from poise.dynamics.elementary import quat_exp, quat_log, quat_product, quat_unit
from poise.dynamics.groups import gather, lane_rows, scatter
from poise.dynamics.lanes import accumulate, load, store
from poise.dynamics.links import workspace_rows
from poise.dynamics.rows import accumulate_vec, load_vec, store_vec
from poise.dynamics.window_arrays import Mechanism
from poise.manifold.algebra import scale


@kernel(allocates=False)
def advance(tree: Tree, q: Any, v: Any, acceleration: Any, h: float) -> None:
    """One step of length h [s], in place; plain arrays or lane arrays."""
    for i in range(tree.parent.shape[0]):
        kind, a, c = tree.kind[i], tree.q_start[i], tree.v_start[i]
        if kind == LINK_FIXED:
            continue
        if kind in (LINK_HINGE, LINK_SLIDE):
            accumulate(v, c, h * load(acceleration, c))
            accumulate(q, a, h * load(v, c))
            continue
        accumulate_vec(v, c, scale(h, load_vec(acceleration, c)))
        change = scale(h, load_vec(v, c))
        if kind == LINK_BALL:
            before = (load(q, a), load(q, a + 1), load(q, a + 2), load(q, a + 3))
            after = quat_unit(quat_product(before, quat_exp(change)))
            store(q, a, after[0])
            store_vec(q, a + 1, (after[1], after[2], after[3]))
        else:
            accumulate_vec(q, a, change)


@kernel(allocates=False)
def difference(tree: Tree, to: Any, start: Any, out: Any) -> None:
    """``to ⊖ start`` (nv rows): the tangent vector that leads from one configuration to another."""
    for i in range(tree.parent.shape[0]):
        kind, a, c = tree.kind[i], tree.q_start[i], tree.v_start[i]
        if kind == LINK_BALL:
            back = (load(start, a), -load(start, a + 1), -load(start, a + 2), -load(start, a + 3))
            there = (load(to, a), load(to, a + 1), load(to, a + 2), load(to, a + 3))
            store_vec(out, c, quat_log(quat_product(back, there)))
        elif kind in (LINK_HINGE, LINK_SLIDE):
            store(out, c, load(to, a) - load(start, a))
        elif kind != LINK_FIXED:
            for k in range(3):
                store(out, c + k, load(to, a + k) - load(start, a + k))


class Held(NamedTuple):
    """What acts on F states all the while; ``given`` and ``wrenches`` have F rows or none."""

    tau: Any
    """(F, nv)"""
    given: Any
    """Accelerations of prescribed links (F, nv)."""
    wrenches: Any
    """Force and torque on each body (F, 6 n)."""


@kernel()
def simulate_batch(
    first_group: int, last_group: int, mechanism: Mechanism, q: Any, v: Any, held: Held, h: float, steps: int
) -> None:
    """Let states (F, …) run for ``steps`` steps under constant forces and accelerations, in place."""
    tree, armature, gravity, prescribed = mechanism[:4]
    work, acceleration = lane_rows(workspace_rows(tree.parent.shape[0])), lane_rows(v.shape[1])
    for group in range(first_group, last_group):
        x, y, z = gather(q, group), gather(v, group), gather(held.tau, group)
        told, pushes = gather(held.given, group), gather(held.wrenches, group)
        for _ in range(steps):
            aba_step(tree, x, y, z, armature, gravity, prescribed, told, pushes, work, acceleration)
            advance(tree, x, y, acceleration, h)
        scatter(x, group, q)
        scatter(y, group, v)
