"""Many short simulations at once: each starts on a reference motion and follows it through springs.

The reference is a table of configurations and velocities on a grid of step h. Window w starts at row
``start[w]`` with the reference's own state and runs ``steps[w]`` steps, leg by leg, under

    M v̇ + c(q, v) + g = Kp (q_K ⊖ q) − Kd (v − σ v_K) + feed

Two schemes, both stable for any gains because springs and dampers are implicit (as joint inertia in the
articulated-body algorithm, so O(links) and without a matrix):

*Order 1*, backward Euler in the springs, the classic "stable PD":

    (M + h Kd + h² Kp) v̇ = Kp (q_K(t+h) ⊖ q) − (Kd + h Kp) v + … ;  v += h v̇;  q ← q ⊕ h v

*Order 2*, Rosenbrock's method ROS2 (Verwer et al. 1999), L-stable with γ = 1 − 1/√2 and of second order
whatever approximation of the Jacobian is used, so the springs alone may stand for it. With A the springs'
linearisation, (I − γhA) k₁ = f(t, y) + γh f_t, (I − γhA) k₂ = f(t+h, y + h k₁) − 2 k₁ − γh f_t,
y ← y + h (3 k₁ + k₂)/2. In terms of w = k₂ + 2 k₁ no product with M is left.

Windows run eight at a time in SIMD lanes, or four where there are no more, or one to each thread of a
graphics card; no operation mixes lanes. The same functions serve all three: what a group works on (``Work``)
holds lanes or a column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.compilation import kernel
from poise.dynamics.groups import rows_like
from poise.dynamics.integration import difference
from poise.dynamics.lanes import NARROW, WIDTH, get, load, put, store, width
from poise.dynamics.window_arrays import (
    Mechanism,
    Pose,
    Scheme,
    Springs,
    States,
    Windows,
    Work,
    block_rows,
    cut,
)
from poise.dynamics.window_steps import euler_step, fetch, fetch_springs, put_root, rosenbrock_step

EIGHT = np.empty((0, WIDTH))
FOUR = np.empty((0, 1, NARROW))
"""What ``run_windows`` is told its lanes by."""


@kernel()
def run_windows(
    first_group: int,
    last_group: int,
    lanes: Any,
    mechanism: Mechanism,
    springs: Springs,
    windows: Windows,
    scheme: Scheme,
    out: States,
) -> None:
    """States of the windows of a range of groups of eight, or of four: ``lanes`` is EIGHT or FOUR."""
    nq, nv, wide = springs.q.shape[1], springs.v.shape[1], width(lanes)
    block = rows_like(lanes, block_rows(nq, nv, mechanism.tree.parent.shape[0]))
    row, left = np.empty(wide, np.int64), np.empty(wide, np.int64)
    work = cut(block, rows_like(lanes, 0), row, left, nq, nv)
    for group in range(first_group, last_group):
        run_group(group, mechanism, springs, windows, scheme, work, out)


@kernel(merged=True, allocates=False)
def run_group(
    group: int,
    mechanism: Mechanism,
    springs: Springs,
    windows: Windows,
    scheme: Scheme,
    work: Work,
    out: States,
) -> None:
    """States of one group of windows, as many as ``work`` has lanes."""
    _begin(group, springs, windows, work)
    now, then = Pose(work.q, work.v), Pose(work.q1, work.v1)
    aim, aim1 = work.aim, work.aim1
    tree, left = mechanism.tree, work.left
    wide, count = width(work.q), windows.start.shape[0]
    driven = mechanism.prescribed[0]
    for leg in range(windows.steps.shape[1]):
        most, fewest = 0, windows.steps[group * wide, leg]
        for lane in range(wide):
            left[lane] = windows.steps[min(group * wide + lane, count - 1), leg]
            most, fewest = max(most, left[lane]), min(fewest, left[lane])
        for n in range(most, 0, -1):
            aim, aim1 = aim1, aim  # where the last step ended
            if scheme.order == 2:
                difference(tree, work.target, now.q, work.error)
                if springs.stiffness.shape[0] > 1:
                    fetch_springs(springs, work.row, work.kp, work.kd)
                if springs.feed.shape[0] > 1:
                    fetch(springs.feed, work.row, work.extra)
            for lane in range(wide):
                if left[lane] >= n:
                    work.row[lane] += 1
            fetch(springs.v, work.row, aim1)
            for c in range(springs.v.shape[1]):
                store(work.given, c, (load(aim1, c) - load(aim, c)) * (1.0 / scheme.h))
            if scheme.order == 1:
                euler_step(mechanism, springs, scheme, work, now, then, aim1)
            else:
                rosenbrock_step(mechanism, springs, scheme, work, now, then, aim, aim1)
            if driven:
                put_root(tree, Pose(work.target, aim1), then)
            if n <= fewest:
                now, then = then, now
            else:
                _take_over(then, now, left, n)
        _tell(group, leg, now, out)


@kernel(allocates=False)
def run_window(
    slot: int,
    window: int,
    mechanism: Mechanism,
    springs: Springs,
    windows: Windows,
    scheme: Scheme,
    blocks: Any,
    whole: Any,
    out: States,
) -> None:
    """One window by a thread of a card, in a column of its own.

    ``blocks`` (slots / 8, rows, 1, 1, 8) and ``whole`` (2, slots) are what all threads work on, eight side by
    side as in lane arrays: memory is read in pieces that are used wholly.
    """
    block = blocks[slot // WIDTH, :, :, :, slot % WIDTH :]
    row, left = whole[0, slot : slot + 1], whole[1, slot : slot + 1]
    work = cut(block, block[:0], row, left, springs.q.shape[1], springs.v.shape[1])
    run_group(window, mechanism, springs, windows, scheme, work, out)


@kernel(allocates=False)
def _begin(group: int, springs: Springs, windows: Windows, work: Work) -> None:
    """The states that a group starts in, and all that is read of the grid there."""
    wide, count = width(work.q), windows.start.shape[0]
    for lane in range(wide):
        work.row[lane] = windows.start[min(group * wide + lane, count - 1)]
    if windows.q.shape[0] > 0:
        for lane in range(wide):
            w = min(group * wide + lane, count - 1)
            for k in range(windows.q.shape[1]):
                put(work.q, k, lane, windows.q[w, k])
            for k in range(windows.v.shape[1]):
                put(work.v, k, lane, windows.v[w, k])
    else:
        fetch(springs.q, work.row, work.q)
        fetch(springs.v, work.row, work.v)
    # What does not change is fetched once.
    fetch_springs(springs, work.row, work.kp, work.kd)
    fetch_springs(springs, work.row, work.kp1, work.kd1)
    fetch(springs.feed, work.row, work.extra)
    fetch(springs.q, work.row, work.target)
    fetch(springs.v, work.row, work.aim1)


@kernel(allocates=False)
def _take_over(source: Pose, to: Pose, left: Any, n: int) -> None:
    """Lanes that have steps left go on; others stay where they are until their turn."""
    for lane in range(width(to.q)):
        if left[lane] >= n:
            for k in range(source.q.shape[0]):
                put(to.q, k, lane, get(source.q, k, lane))
            for k in range(source.v.shape[0]):
                put(to.v, k, lane, get(source.v, k, lane))


@kernel(allocates=False)
def _tell(group: int, leg: int, now: Pose, out: States) -> None:
    """The group's states at the end of a leg, copies dropped."""
    wide = width(now.q)
    for lane in range(min(wide, out.q.shape[0] - group * wide)):
        w = group * wide + lane
        for k in range(out.q.shape[2]):
            out.q[w, leg, k] = get(now.q, k, lane)
        for k in range(out.v.shape[2]):
            out.v[w, leg, k] = get(now.v, k, lane)
