"""Anchors: implicit springs from links to places in the world that move, inside the articulated-body pass.

All rows have world axes at link origins, so an isotropic spring from a link to a moving target is six
additions to the link's spatial inertia and one wrench: no matrix, any number of anchors, O(links), and gains
may change over time. With the error e (rotation ½ Σ rᵢ × rᵢ*, and way), the link's velocity V, the target's
V*, V̇* = (V*₁ − V*)/h, and the link's acceleration A₁ in the first stage (``windows``: ROS2, g = γh):

    added inertia  H = g (Dₐ + g Kₐ),    Kₐ, Dₐ: the larger of both ends of the step
    stage 1        W = K e + (D + g Kₐ)(V* − V) + H V̇*
    stage 2        W = K₁ e₁ + D₁ (V*₁ − V₁) + g [Kₐ (2V − V* − V₁ + h V̇*) + Dₐ (2A₁ − V̇*)]
                       + g² Kₐ (4A₁ − 3V̇*)

and for backward Euler H = h (D₁ + h K₁), W = K₁ e₁ + D₁ V*₁ − (D₁ + h K₁) V. Gains that rise must be implicit
as they will be, not as they were: what is left explicit would be stiff.
"""

from __future__ import annotations

from typing import Any

from poise.compilation import kernel
from poise.dynamics.lanes import load, spread, store, where_less
from poise.dynamics.links import FORCE, OMEGA, REACH, TURN, block, joint_motion
from poise.dynamics.rows import load_mat, load_vec, store_vec
from poise.dynamics.window_arrays import ANCHOR, Mechanism, Springs, Work
from poise.manifold.algebra import add, cross, scale, sub

PLACE, FRAME, PACE = 4, 7, 16
"""Columns of an anchor's table: stiffness and damping of turning (0, 1) and of shifting (2, 3), the target's
place 3, its axes 9 by rows, its spin 3 and velocity 3."""


@kernel(merged=True, allocates=False)
def _off(mechanism: Mechanism, springs: Springs, v: Any, aim: Any, work: Work, rate: Any) -> None:
    """Errors (``off``: turn and way to the target, 6 rows per anchor) and velocities of anchored links."""
    tree, links = mechanism.tree, work.links
    for k in range(springs.anchored.shape[0]):
        none = spread(links, 0.0)
        x, u = (none, none, none), (none, none, none)
        for d in range(springs.path.shape[1]):
            i = springs.path[k, d]
            if i < 0:
                break
            reach = load_vec(links, block(i) + REACH)
            _, slide = joint_motion(tree.kind[i], tree.v_start[i], tree.parent[i], i, v, links)
            x = add(x, reach)
            u = add(u, add(cross(load_vec(links, block(tree.parent[i]) + OMEGA), reach), slide))
        base = ANCHOR * k
        r, t = load_mat(links, block(springs.anchored[k]) + TURN), load_mat(aim, base + FRAME)
        e = cross((r[0], r[3], r[6]), (t[0], t[3], t[6]))
        e = add(e, cross((r[1], r[4], r[7]), (t[1], t[4], t[7])))
        e = add(e, cross((r[2], r[5], r[8]), (t[2], t[5], t[8])))
        store_vec(work.off, 6 * k, scale(0.5, e))
        store_vec(work.off, 6 * k + 3, sub(load_vec(aim, base + PLACE), x))
        store_vec(rate, 6 * k, load_vec(links, block(springs.anchored[k]) + OMEGA))
        store_vec(rate, 6 * k + 3, u)


@kernel(inline=True, allocates=False)
def _larger(a: Any, b: Any) -> Any:
    return where_less(a, b, b, a)


@kernel(merged=True, allocates=False)
def pull(
    mechanism: Mechanism, springs: Springs, v: Any, here: Any, there: Any, h: float, share: float, work: Work
) -> None:
    """The first stage's wrenches and inertias; ``here`` and ``there`` are rows at the step's two ends."""
    _off(mechanism, springs, v, here, work, work.rate)
    for k in range(springs.anchored.shape[0]):
        b = ANCHOR * k
        for side in range(2):
            p, d = load(here, b + 2 * side), load(here, b + 2 * side + 1)
            pa, da = _larger(p, load(there, b + 2 * side)), _larger(d, load(there, b + 2 * side + 1))
            heavy = share * (da + share * pa)
            store(work.heavy, 2 * k + side, heavy)
            for j in range(3):
                c = 6 * k + 3 * side + j
                wish = load(here, b + PACE + 3 * side + j)
                change = (load(there, b + PACE + 3 * side + j) - wish) * (1.0 / h)
                pace = (d + share * pa) * (wish - load(work.rate, c)) + heavy * change
                store(work.tug, c, p * load(work.off, c) + pace)


@kernel(merged=True, allocates=False)
def keep_rise(mechanism: Mechanism, springs: Springs, work: Work) -> None:
    """Remember the anchored links' accelerations in the first stage."""
    for k in range(springs.anchored.shape[0]):
        own = block(springs.anchored[k]) + FORCE
        for j in range(3):
            store(work.rise, 6 * k + j, load(work.links, own + j))
            store(work.rise, 6 * k + 3 + j, load(work.links, own + 3 + j) + mechanism.gravity[j])


@kernel(merged=True, allocates=False)
def pull_again(
    mechanism: Mechanism, springs: Springs, v: Any, here: Any, there: Any, h: float, share: float, work: Work
) -> None:
    """The second stage's wrenches; inertias stay."""
    _off(mechanism, springs, v, there, work, work.rate1)
    for k in range(springs.anchored.shape[0]):
        b = ANCHOR * k
        for side in range(2):
            p1, d1 = load(there, b + 2 * side), load(there, b + 2 * side + 1)
            p, d = _larger(load(here, b + 2 * side), p1), _larger(load(here, b + 2 * side + 1), d1)
            for j in range(3):
                c = 6 * k + 3 * side + j
                wish, wish1 = load(here, b + PACE + 3 * side + j), load(there, b + PACE + 3 * side + j)
                change, a1 = (wish1 - wish) * (1.0 / h), load(work.rise, c)
                x0, x1 = load(work.rate, c), load(work.rate1, c)
                force = p1 * load(work.off, c) + d1 * (wish1 - x1)
                more = p * (2.0 * x0 - wish - x1 + h * change) + d * (2.0 * a1 - change)
                store(work.tug, c, force + share * (more + share * p * (4.0 * a1 - 3.0 * change)))


@kernel(merged=True, allocates=False)
def pull_at_once(mechanism: Mechanism, springs: Springs, v: Any, there: Any, h: float, work: Work) -> None:
    """Backward Euler's wrenches and inertias, towards the target at the step's end."""
    _off(mechanism, springs, v, there, work, work.rate)
    for k in range(springs.anchored.shape[0]):
        b = ANCHOR * k
        for side in range(2):
            p, d = load(there, b + 2 * side), load(there, b + 2 * side + 1)
            soft = d + h * p
            store(work.heavy, 2 * k + side, h * soft)
            for j in range(3):
                c = 6 * k + 3 * side + j
                towards = p * load(work.off, c) + d * load(there, b + PACE + 3 * side + j)
                store(work.tug, c, towards - soft * load(work.rate, c))
