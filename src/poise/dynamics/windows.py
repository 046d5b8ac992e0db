"""Many short simulations at once: each starts on a reference motion and follows it through springs.

The reference is a table of configurations and velocities on a grid of step h. Window w starts at row
``start[w]`` with the reference's own state and runs ``steps[w]`` steps under

    M v̇ + c(q, v) + g = Kp (q_K ⊖ q) − Kd (v − σ v_K) + feed

Two schemes, both stable for any gains because springs and dampers are implicit (as joint inertia in the
articulated-body algorithm, so O(links) and without a matrix):

*Order 1*, backward Euler in the springs, the classic "stable PD":

    (M + h Kd + h² Kp) v̇ = Kp (q_K(t+h) ⊖ q) − (Kd + h Kp) v + … ;  v += h v̇;  q ← q ⊕ h v

*Order 2*, Rosenbrock's method ROS2 (Verwer et al. 1999), L-stable with γ = 1 − 1/√2 and of second order
whatever approximation of the Jacobian is used, so the springs alone may stand for it. With A the springs'
linearisation, (I − γhA) k₁ = f(t, y) + γh f_t, (I − γhA) k₂ = f(t+h, y + h k₁) − 2 k₁ − γh f_t,
y ← y + h (3 k₁ + k₂)/2. In terms of w = k₂ + 2 k₁ no product with M is left.

Windows run eight at a time in SIMD lanes, or four where there are no more; no operation mixes lanes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_HINGE, LINK_SLIDE, Tree
from poise.compilation import kernel
from poise.dynamics.aba import aba_step
from poise.dynamics.elementary import quat_exp, quat_product, quat_unit
from poise.dynamics.groups import rows_like
from poise.dynamics.integration import difference
from poise.dynamics.lanes import NARROW, WIDTH, get, load, put, store, width
from poise.dynamics.links import workspace_rows
from poise.dynamics.rows import load_vec, store_vec

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
EIGHT = np.empty((0, WIDTH))
FOUR = np.empty((0, 1, NARROW))
"""What ``run_windows`` is told its lanes by."""


@kernel()
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


@kernel()
def _fetch(table: Any, rows: Any, out: Any) -> None:
    """One row of a table (T, n) into each lane of out (n, 8), or of narrow lanes."""
    for lane in range(width(out)):
        row = min(rows[lane], table.shape[0] - 1)  # a table of one row is constant
        for k in range(table.shape[1]):
            put(out, k, lane, table[row, k])


@kernel()
def _put_root(tree: Tree, source_q: Any, source_v: Any, q: Any, v: Any) -> None:
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
            store(q, a + k, load(source_q, a + k))
        for k in range(count_v):
            store(v, c + k, load(source_v, c + k))


@kernel()
def run_windows(
    first_group: int,
    last_group: int,
    lanes: Any,
    tree: Tree,
    table_q: Any,
    table_v: Any,
    start: Any,
    steps: Any,
    h: float,
    stiffness: Any,
    damping: Any,
    follow: float,
    feed: Any,
    armature: Any,
    gravity: Any,
    prescribed: Any,
    order: int,
    initial_q: Any,
    initial_v: Any,
    out_q: Any,
    out_v: Any,
) -> None:
    """Final states of the windows of a range of groups of eight, or of four: ``lanes`` is EIGHT or FOUR.

    Windows start in the reference's own state, or in ``initial_q``, ``initial_v`` where these have rows.

    Tables have T rows; stiffness, damping and feed have T rows or one. ``follow`` is σ (0: damping to
    rest, 1: damping to the reference). ``prescribed`` marks links moved by the reference: all of the
    root's, or none.
    """
    nq, nv, count = table_q.shape[1], table_v.shape[1], start.shape[0]
    wide = width(lanes)
    work = rows_like(lanes, workspace_rows(tree.parent.shape[0]))
    nothing = rows_like(lanes, 0)
    q, q1, target = rows_like(lanes, nq), rows_like(lanes, nq), rows_like(lanes, nq)
    v, v1, aim, aim1 = rows_like(lanes, nv), rows_like(lanes, nv), rows_like(lanes, nv), rows_like(lanes, nv)
    error, tau, given, joint = (
        rows_like(lanes, nv),
        rows_like(lanes, nv),
        rows_like(lanes, nv),
        rows_like(lanes, nv),
    )
    kp, kd, extra = rows_like(lanes, nv), rows_like(lanes, nv), rows_like(lanes, nv)
    kp1, kd1 = rows_like(lanes, nv), rows_like(lanes, nv)
    k1v, k1q, wv, mean = (
        rows_like(lanes, nv),
        rows_like(lanes, nv),
        rows_like(lanes, nv),
        rows_like(lanes, nv),
    )
    row, left = np.empty(wide, np.int64), np.empty(wide, np.int64)
    driven = prescribed[0]
    springs_change, feed_changes = stiffness.shape[0] > 1, feed.shape[0] > 1
    g = GAMMA
    for group in range(first_group, last_group):
        most, fewest = 0, steps[group * wide]
        for lane in range(wide):
            w = min(group * wide + lane, count - 1)
            row[lane], left[lane] = start[w], steps[w]
            most, fewest = max(most, steps[w]), min(fewest, steps[w])
        if initial_q.shape[0] > 0:
            for lane in range(wide):
                w = min(group * wide + lane, count - 1)
                for k in range(nq):
                    put(q, k, lane, initial_q[w, k])
                for k in range(nv):
                    put(v, k, lane, initial_v[w, k])
        else:
            _fetch(table_q, row, q)
            _fetch(table_v, row, v)
        # What does not change is fetched once.
        _fetch(stiffness, row, kp)
        _fetch(damping, row, kd)
        _fetch(stiffness, row, kp1)
        _fetch(damping, row, kd1)
        _fetch(feed, row, extra)
        _fetch(table_q, row, target)
        _fetch(table_v, row, aim1)
        for n in range(most, 0, -1):
            aim, aim1 = aim1, aim  # where the last step ended
            if order == 2:
                difference(tree, target, q, error)
                if springs_change:
                    _fetch(stiffness, row, kp)
                    _fetch(damping, row, kd)
                if feed_changes:
                    _fetch(feed, row, extra)
            for lane in range(wide):
                if left[lane] >= n:
                    row[lane] += 1
            _fetch(table_v, row, aim1)
            for c in range(nv):
                store(given, c, (load(aim1, c) - load(aim, c)) * (1.0 / h))
            if order == 1:
                _fetch(table_q, row, target)
                difference(tree, target, q, error)
                if springs_change:
                    _fetch(stiffness, row, kp)
                    _fetch(damping, row, kd)
                if feed_changes:
                    _fetch(feed, row, extra)
                for c in range(nv):
                    p, d, x = load(kp, c), load(kd, c), load(v, c)
                    soft = d + h * p
                    store(tau, c, p * load(error, c) - soft * x + follow * d * load(aim1, c) + load(extra, c))
                    store(joint, c, armature[c] + h * soft)
                aba_step(tree, q, v, tau, joint, gravity, prescribed, given, nothing, work, k1v)
                for c in range(nv):
                    store(v1, c, load(v, c) + h * load(k1v, c))
                _move(tree, q, v1, h, q1)
            else:
                gh = g * h
                for c in range(nv):
                    p, d, x, a = load(kp, c), load(kd, c), load(v, c), load(aim, c)
                    drift = p * a + follow * d * load(given, c)
                    force = p * load(error, c) - d * (x - follow * a) + load(extra, c)
                    store(tau, c, force + gh * (drift - p * x))
                    store(joint, c, armature[c] + gh * (d + gh * p))
                aba_step(tree, q, v, tau, joint, gravity, prescribed, given, nothing, work, k1v)
                for c in range(nv):
                    store(k1q, c, load(v, c) + gh * load(k1v, c))
                    store(v1, c, load(v, c) + h * load(k1v, c))
                _move(tree, q, k1q, h, q1)
                _fetch(table_q, row, target)
                if driven:
                    _put_root(tree, target, aim1, q1, v1)
                difference(tree, target, q1, error)
                for c in range(nv):
                    p, d, x, a = load(kp, c), load(kd, c), load(v1, c), load(aim, c)
                    drift = p * a + follow * d * load(given, c)
                    store(mean, c, drift)
                # Gains at the end of the step for the force there; those at its start stay in A.
                if feed_changes:
                    _fetch(feed, row, extra)
                if springs_change:
                    _fetch(stiffness, row, kp1)
                    _fetch(damping, row, kd1)
                for c in range(nv):
                    p, d = load(kp, c), load(kd, c)
                    slow, spin = load(k1v, c), load(k1q, c)
                    x = load(v1, c)
                    pull = load(kp1, c) * load(error, c)
                    force = pull - load(kd1, c) * (x - follow * load(aim1, c)) + load(extra, c)
                    inner = p * (2.0 * spin - x + 2.0 * gh * slow) + 2.0 * d * slow - load(mean, c)
                    store(tau, c, force + gh * inner)
                aba_step(tree, q1, v1, tau, joint, gravity, prescribed, given, nothing, work, wv)
                for c in range(nv):
                    slow, fast = load(k1v, c), load(wv, c)
                    spin = load(v1, c) - 2.0 * gh * slow + gh * fast
                    store(mean, c, 0.5 * (load(k1q, c) + spin))
                    store(v1, c, load(v, c) + 0.5 * h * (slow + fast))
                _move(tree, q, mean, h, q1)
            if driven:
                _put_root(tree, target, aim1, q1, v1)
            if n <= fewest:
                q, q1, v, v1 = q1, q, v1, v
                continue
            for lane in range(wide):
                if left[lane] >= n:
                    for k in range(nq):
                        put(q, k, lane, get(q1, k, lane))
                    for k in range(nv):
                        put(v, k, lane, get(v1, k, lane))
        for lane in range(min(wide, count - group * wide)):
            w = group * wide + lane
            for k in range(nq):
                out_q[w, k] = get(q, k, lane)
            for k in range(nv):
                out_v[w, k] = get(v, k, lane)
