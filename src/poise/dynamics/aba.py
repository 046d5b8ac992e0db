"""Forward dynamics by the articulated-body algorithm, O(links):

    v̇ = (M + diag(armature))⁻¹ (τ + Jᵀ w − c − g)

Any link's joint acceleration may be *prescribed* instead: the link then moves as told, whatever
the force, and all others feel it (hybrid dynamics). A driven root is a prescribed root.

``armature`` stands for the whole joint inertia of the call and may be anything ≥ 0. In particular
an implicit joint spring, stiffness Kp and damping Kd over a step h, is armature h (Kd + h Kp).
"""

from __future__ import annotations

from typing import Any

from poise.character.tree import (
    LINK_BALL,
    LINK_FIXED,
    LINK_HINGE,
    LINK_SLIDE,
    Tree,
)
from poise.compilation import kernel
from poise.dynamics.articulated import (
    at_parent,
    joint_inertia,
    release_axis,
    release_block,
    respond,
    seen_from_parent,
    sym_add,
)
from poise.dynamics.groups import gather, lane_rows, scatter
from poise.dynamics.lanes import accumulate, load, store
from poise.dynamics.links import (
    AXIS,
    BIAS,
    DRIVE,
    FORCE,
    INERTIA,
    OMEGA,
    REACH,
    SOLVE,
    TURN,
    block,
    inertial_load,
    joint_motion,
    lift_world,
    move_links,
    rigid_inertia,
    workspace_rows,
)
from poise.dynamics.rows import (
    accumulate_mat,
    accumulate_sym,
    accumulate_vec,
    load_mat,
    load_sym,
    load_vec,
    store_mat,
    store_sym,
    store_vec,
)
from poise.manifold.algebra import (
    Sym,
    Vec,
    add,
    cross,
    dot,
    rotate,
    rotate_back,
    scale,
    sub,
    sym_apply,
    sym_inverse,
    transpose,
)


@kernel(allocates=False)
def aba_step(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    armature: Any,
    gravity: Any,
    prescribed: Any,
    given: Any,
    wrenches: Any,
    work: Any,
    out: Any,
) -> None:
    """Accelerations ``out`` of one state (plain arrays) or of eight (lane arrays).

    Rows: q nq; v, tau, given, out nv; wrenches 6 per body (world force at the body's origin, torque)
    or none at all; work ``workspace_rows(L)``. ``armature`` has nv rows, plain (shared by all
    lanes) or lanes; ``gravity`` is (3,). Where ``prescribed[link]``, ``given`` is its acceleration
    and ``tau`` is ignored.
    """
    move_links(tree, q, v, work)
    aba_moved(tree, tau, armature, gravity, prescribed, given, wrenches, work, out)


@kernel(allocates=False)
def aba_moved(
    tree: Tree, tau: Any, armature: Any, gravity: Any, prescribed: Any, given: Any, wrenches: Any, work: Any,
    out: Any,
) -> None:  # fmt: skip
    """``aba_step`` of links that ``move_links`` has placed in ``work``."""
    _weigh_links(tree, wrenches, work)
    _gather_inward(tree, tau, armature, prescribed, given, work)
    lift_world(gravity, work, FORCE)
    _accelerate_outward(tree, prescribed, given, work, out)


@kernel(allocates=False)
def aba_anchored(
    tree: Tree, tau: Any, armature: Any, gravity: Any, prescribed: Any, given: Any, anchored: Any, heavy: Any,
    tug: Any, none: Any, work: Any, out: Any,
) -> None:  # fmt: skip
    """``aba_moved`` with implicit springs from links to the world: isotropic, at the links' origins.

    ``heavy`` (2 rows per anchor) is added to the link's rotational and linear inertia, ``tug`` (6 rows) are
    moment and force on it. What is added must not feel the world's acceleration against gravity.
    """
    _weigh_links(tree, none, work)
    for k in range(anchored.shape[0]):
        own = block(anchored[k])
        turning, shifting = load(heavy, 2 * k), load(heavy, 2 * k + 1)
        for d in (0, 3, 5):
            accumulate(work, own + INERTIA + d, turning)
            accumulate(work, own + INERTIA + 15 + d, shifting)
        for d in range(3):
            accumulate(work, own + FORCE + d, -load(tug, 6 * k + d))
            accumulate(work, own + FORCE + 3 + d, shifting * gravity[d] - load(tug, 6 * k + 3 + d))
    _gather_inward(tree, tau, armature, prescribed, given, work)
    lift_world(gravity, work, FORCE)
    _accelerate_outward(tree, prescribed, given, work, out)


@kernel(allocates=False)
def _weigh_links(tree: Tree, wrenches: Any, work: Any) -> None:
    """Each link's own inertia and the force its rotation demands, less the external wrench."""
    pushed = wrenches.shape[0] > 0
    mass, centre, inertias = tree.mass, tree.centre, tree.inertia
    for i in range(tree.parent.shape[0]):
        own = block(i)
        m, body = tree.mass[i], tree.body[i]
        inertia, moment = rigid_inertia(mass, centre, inertias, i, load_mat(work, own + TURN))
        x, y, z = moment
        store_sym(work, own + INERTIA, inertia)
        store_mat(work, own + INERTIA + 6, (0.0, -z, y, z, 0.0, -x, -y, x, 0.0))
        store_sym(work, own + INERTIA + 15, (m, 0.0, 0.0, m, 0.0, m))
        turning, pulling = inertial_load(load_vec(work, own + OMEGA), inertia, moment)
        if pushed and body >= 0:
            pulling = sub(pulling, load_vec(wrenches, 6 * body))
            turning = sub(turning, load_vec(wrenches, 6 * body + 3))
        store_vec(work, own + FORCE, turning)
        store_vec(work, own + FORCE + 3, pulling)


@kernel(allocates=False)
def _gather_inward(tree: Tree, tau: Any, armature: Any, prescribed: Any, given: Any, work: Any) -> None:
    """From the leaves to the root: articulated inertias and forces."""
    kinds, starts, parents = tree.kind, tree.v_start, tree.parent
    for i in range(tree.parent.shape[0] - 1, -1, -1):
        own, kind, c, parent = block(i), tree.kind[i], tree.v_start[i], tree.parent[i]
        a = load_sym(work, own + INERTIA)
        b = load_mat(work, own + INERTIA + 6)
        s = load_sym(work, own + INERTIA + 15)
        moment, force = load_vec(work, own + FORCE), load_vec(work, own + FORCE + 3)
        turning, shifting = load_vec(work, own + BIAS), load_vec(work, own + BIAS + 3)
        if prescribed[i]:
            angular, linear = joint_motion(kinds[i], starts[i], parents[i], i, given, work)
            turning, shifting = add(turning, angular), add(shifting, linear)
            store_vec(work, own + BIAS, turning)
            store_vec(work, own + BIAS + 3, shifting)
        more_moment, more_force = respond(a, b, s, turning, shifting)
        moment, force = add(moment, more_moment), add(force, more_force)

        if prescribed[i] or kind == LINK_FIXED:
            pass
        elif kind in (LINK_HINGE, LINK_SLIDE):
            axis = load_vec(work, own + AXIS)
            if kind == LINK_HINGE:
                p, u = sym_apply(a, axis), rotate_back(b, axis)
                inertia, drive = dot(axis, p), load(tau, c) - dot(axis, moment)
            else:
                p, u = rotate(b, axis), sym_apply(s, axis)
                inertia, drive = dot(axis, u), load(tau, c) - dot(axis, force)
            solve = 1.0 / (inertia + load(armature, c))
            # The way out needs U and not the inertia: it takes its place.
            store_vec(work, own + INERTIA, p)
            store_vec(work, own + INERTIA + 3, u)
            store(work, own + SOLVE, solve)
            store(work, own + DRIVE, drive)
            a, b, s = release_axis(a, b, s, p, u, solve)
            rate = solve * drive
            moment, force = add(moment, scale(rate, p)), add(force, scale(rate, u))
        else:
            x, y, z = load(armature, c), load(armature, c + 1), load(armature, c + 2)
            if kind == LINK_BALL:
                turn = load_mat(work, own + TURN)
                extra = joint_inertia(turn, x, y, z)
                wanted = rotate(turn, load_vec(tau, c))
                solve3 = sym_inverse(sym_add(a, extra))
                drive3 = sub(wanted, moment)
                answer = sym_apply(solve3, drive3)
                moment, force = sub(wanted, sym_apply(extra, answer)), add(force, rotate_back(b, answer))
                a, b, s = release_block(a, b, s, extra, solve3)
            else:
                turn = load_mat(work, block(parent) + TURN)
                extra = joint_inertia(turn, x, y, z)
                wanted = rotate(turn, load_vec(tau, c))
                solve3 = sym_inverse(sym_add(s, extra))
                drive3 = sub(wanted, force)
                answer = sym_apply(solve3, drive3)
                moment, force = add(moment, rotate(b, answer)), sub(wanted, sym_apply(extra, answer))
                s, bt, a = release_block(s, transpose(b), a, extra, solve3)
                b = transpose(bt)
            store_sym(work, own + SOLVE, solve3)
            store_vec(work, own + DRIVE, drive3)

        if parent >= 0:
            up, reach = block(parent), load_vec(work, own + REACH)
            far_a, far_b = seen_from_parent(a, b, s, reach)
            accumulate_sym(work, up + INERTIA, far_a)
            accumulate_mat(work, up + INERTIA + 6, far_b)
            accumulate_sym(work, up + INERTIA + 15, s)
            accumulate_vec(work, up + FORCE, at_parent(moment, force, reach))
            accumulate_vec(work, up + FORCE + 3, force)


@kernel(allocates=False)
def _accelerate_outward(tree: Tree, prescribed: Any, given: Any, work: Any, out: Any) -> None:
    """From the root to the leaves: accelerations."""
    for i in range(tree.parent.shape[0]):
        own, up = block(i), block(tree.parent[i])
        kind, c = tree.kind[i], tree.v_start[i]
        alpha = load_vec(work, up + FORCE)
        rise = add(load_vec(work, up + FORCE + 3), cross(alpha, load_vec(work, own + REACH)))
        turning, shifting = add(alpha, load_vec(work, own + BIAS)), add(rise, load_vec(work, own + BIAS + 3))
        if kind == LINK_FIXED:
            pass
        elif kind in (LINK_HINGE, LINK_SLIDE):
            if prescribed[i]:
                store(out, c, load(given, c))
            else:
                p, u = load_vec(work, own + INERTIA), load_vec(work, own + INERTIA + 3)
                rate = load(work, own + SOLVE) * (load(work, own + DRIVE) - dot(p, alpha) - dot(u, rise))
                store(out, c, rate)
                step = scale(rate, load_vec(work, own + AXIS))
                if kind == LINK_HINGE:
                    turning = add(turning, step)
                else:
                    shifting = add(shifting, step)
        elif prescribed[i]:
            store_vec(out, c, load_vec(given, c))
        else:
            solve, drive = load_sym(work, own + SOLVE), load_vec(work, own + DRIVE)
            b = load_mat(work, own + INERTIA + 6)
            if kind == LINK_BALL:
                held = _answer(load_sym(work, own + INERTIA), alpha, rotate(b, rise))
                step = sym_apply(solve, sub(drive, held))
                store_vec(out, c, rotate_back(load_mat(work, own + TURN), step))
                turning = add(turning, step)
            else:
                held = _answer(load_sym(work, own + INERTIA + 15), rise, rotate_back(b, alpha))
                step = sym_apply(solve, sub(drive, held))
                store_vec(out, c, rotate_back(load_mat(work, up + TURN), step))
                shifting = add(shifting, step)
        store_vec(work, own + FORCE, turning)
        store_vec(work, own + FORCE + 3, shifting)


@kernel(inline=True, allocates=False)
def _answer(k: Sym, x: Vec, more: Vec) -> Vec:
    """K x + more."""
    return add(sym_apply(k, x), more)


@kernel()
def forward_batch(
    first_group: int,
    last_group: int,
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    armature: Any,
    gravity: Any,
    prescribed: Any,
    given: Any,
    wrenches: Any,
    out: Any,
) -> None:
    """``aba_step`` on a range of groups of the frames (F, …); given and wrenches have F frames or none."""
    work = lane_rows(workspace_rows(tree.parent.shape[0]))
    result = lane_rows(v.shape[1])
    for group in range(first_group, last_group):
        x, y, z = gather(q, group), gather(v, group), gather(tau, group)
        told, pushes = gather(given, group), gather(wrenches, group)
        aba_step(tree, x, y, z, armature, gravity, prescribed, told, pushes, work, result)
        scatter(result, group, out)
