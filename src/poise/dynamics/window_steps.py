"""One step of a window, by either scheme of ``windows``; plain arrays, lanes or columns."""

from __future__ import annotations

import math
from typing import Any

from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_HINGE, LINK_SLIDE, Tree
from poise.compilation import kernel
from poise.dynamics.aba import aba_step
from poise.dynamics.elementary import quat_exp, quat_product, quat_unit
from poise.dynamics.integration import difference
from poise.dynamics.lanes import load, put, store, width
from poise.dynamics.rows import load_vec, store_vec
from poise.dynamics.window_arrays import Mechanism, Pose, Scheme, Springs, Work

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)


@kernel(merged=True, allocates=False)
def _move(tree: Tree, q: Any, rate: Any, h: float, out: Any) -> None:
    """out = q ⊕ h rate."""
    for i in range(tree.parent.shape[0]):
        kind, a, c = tree.kind[i], tree.q_start[i], tree.v_start[i]
        if kind == LINK_FIXED:
            continue
        if kind == LINK_BALL:
            x, y, z = load_vec(rate, c)
            before = (load(q, a), load(q, a + 1), load(q, a + 2), load(q, a + 3))
            after = quat_unit(quat_product(before, quat_exp((h * x, h * y, h * z))))
            store(out, a, after[0])
            store_vec(out, a + 1, (after[1], after[2], after[3]))
        elif kind in (LINK_HINGE, LINK_SLIDE):
            store(out, a, load(q, a) + h * load(rate, c))
        else:
            for k in range(3):
                store(out, a + k, load(q, a + k) + h * load(rate, c + k))


@kernel(allocates=False)
def fetch(table: Any, rows: Any, out: Any) -> None:
    """One row of a table (T, n) into each lane of out (n rows)."""
    for lane in range(width(out)):
        row = min(rows[lane], table.shape[0] - 1)  # a table of one row is constant
        for k in range(table.shape[1]):
            put(out, k, lane, table[row, k])


@kernel(allocates=False)
def fetch_springs(springs: Springs, rows: Any, kp: Any, kd: Any) -> None:
    """Gains at rows of the grid."""
    fetch(springs.stiffness, rows, kp)
    fetch(springs.damping, rows, kd)


@kernel(allocates=False)
def put_root(tree: Tree, source: Pose, to: Pose) -> None:
    """Copy the root's coordinates and velocities."""
    for i in range(tree.root_links):
        kind, a, c = tree.kind[i], tree.q_start[i], tree.v_start[i]
        count_q, count_v = 3, 3
        if kind == LINK_FIXED:
            count_q, count_v = 0, 0
        elif kind == LINK_BALL:
            count_q = 4
        elif kind in (LINK_HINGE, LINK_SLIDE):
            count_q, count_v = 1, 1
        for k in range(count_q):
            store(to.q, a + k, load(source.q, a + k))
        for k in range(count_v):
            store(to.v, c + k, load(source.v, c + k))


@kernel(merged=True, allocates=False)
def euler_step(
    mechanism: Mechanism, springs: Springs, scheme: Scheme, work: Work, now: Pose, then: Pose, aim1: Any
) -> None:
    """Backward Euler in the springs; ``aim1`` is the reference's velocity at the step's end, ``work.row``."""
    tree, h, follow = mechanism.tree, scheme.h, scheme.follow
    fetch(springs.q, work.row, work.target)
    difference(tree, work.target, now.q, work.error)
    if springs.stiffness.shape[0] > 1:
        fetch_springs(springs, work.row, work.kp, work.kd)
    if springs.feed.shape[0] > 1:
        fetch(springs.feed, work.row, work.extra)
    armature = mechanism.armature
    for c in range(armature.shape[0]):
        p, d, x = load(work.kp, c), load(work.kd, c), load(now.v, c)
        soft = d + h * p
        force = p * load(work.error, c) - soft * x + follow * d * load(aim1, c) + load(work.extra, c)
        store(work.tau, c, force)
        store(work.joint, c, armature[c] + h * soft)
    aba_step(
        tree, now.q, now.v, work.tau, work.joint, mechanism.gravity, mechanism.prescribed, work.given,
        work.none, work.links, work.k1v,
    )  # fmt: skip
    for c in range(armature.shape[0]):
        store(then.v, c, load(now.v, c) + h * load(work.k1v, c))
    _move(tree, now.q, then.v, h, then.q)


@kernel(merged=True, allocates=False)
def rosenbrock_start(
    mechanism: Mechanism, scheme: Scheme, work: Work, now: Pose, then: Pose, aim: Any
) -> None:
    """k₁, and y + h k₁ in ``then``, from the error and the gains at the step's start."""
    tree, h, follow = mechanism.tree, scheme.h, scheme.follow
    gh = GAMMA * h
    armature = mechanism.armature
    for c in range(armature.shape[0]):
        p, d, x, a = load(work.kp, c), load(work.kd, c), load(now.v, c), load(aim, c)
        drift = p * a + follow * d * load(work.given, c)
        force = p * load(work.error, c) - d * (x - follow * a) + load(work.extra, c)
        store(work.tau, c, force + gh * (drift - p * x))
        store(work.joint, c, armature[c] + gh * (d + gh * p))
    aba_step(
        tree, now.q, now.v, work.tau, work.joint, mechanism.gravity, mechanism.prescribed, work.given,
        work.none, work.links, work.k1v,
    )  # fmt: skip
    for c in range(armature.shape[0]):
        store(work.k1q, c, load(now.v, c) + gh * load(work.k1v, c))
        store(then.v, c, load(now.v, c) + h * load(work.k1v, c))
    _move(tree, now.q, work.k1q, h, then.q)


@kernel(merged=True, allocates=False)
def rosenbrock_step(
    mechanism: Mechanism,
    springs: Springs,
    scheme: Scheme,
    work: Work,
    now: Pose,
    then: Pose,
    aim: Any,
    aim1: Any,
) -> None:
    """ROS2; ``aim`` and ``aim1`` are the reference's velocities at the step's start and end."""
    tree, h, follow = mechanism.tree, scheme.h, scheme.follow
    gh = GAMMA * h
    nv = mechanism.armature.shape[0]
    rosenbrock_start(mechanism, scheme, work, now, then, aim)
    fetch(springs.q, work.row, work.target)
    if mechanism.prescribed[0]:
        put_root(tree, Pose(work.target, aim1), then)
    difference(tree, work.target, then.q, work.error)
    for c in range(nv):
        drift = load(work.kp, c) * load(aim, c) + follow * load(work.kd, c) * load(work.given, c)
        store(work.mean, c, drift)
    # Gains at the end of the step for the force there; those at its start stay in A.
    if springs.feed.shape[0] > 1:
        fetch(springs.feed, work.row, work.extra)
    if springs.stiffness.shape[0] > 1:
        fetch_springs(springs, work.row, work.kp1, work.kd1)
    for c in range(nv):
        p, d = load(work.kp, c), load(work.kd, c)
        slow, spin = load(work.k1v, c), load(work.k1q, c)
        x = load(then.v, c)
        pull = load(work.kp1, c) * load(work.error, c)
        force = pull - load(work.kd1, c) * (x - follow * load(aim1, c)) + load(work.extra, c)
        inner = p * (2.0 * spin - x + 2.0 * gh * slow) + 2.0 * d * slow - load(work.mean, c)
        store(work.tau, c, force + gh * inner)
    aba_step(
        tree, then.q, then.v, work.tau, work.joint, mechanism.gravity, mechanism.prescribed, work.given,
        work.none, work.links, work.wv,
    )  # fmt: skip
    for c in range(nv):
        slow, fast = load(work.k1v, c), load(work.wv, c)
        spin = load(then.v, c) - 2.0 * gh * slow + gh * fast
        store(work.mean, c, 0.5 * (load(work.k1q, c) + spin))
        store(then.v, c, load(now.v, c) + 0.5 * h * (slow + fast))
    _move(tree, now.q, work.mean, h, then.q)
