"""Joints that turn their bodies as wanted, as near as they can: balls at once, chains with hinges by fitting.

Every body i that has a counterpart should have the rotation W_i. A ball gives it. Hinges cannot, one by one:
those of a limb are turned together so that

    Σ_i Σ_k w_ik |R_i b_ik − W_i b_ik|² + ρ Σ (θ − θ_before)²

is least, within their limits: b_i1 is the direction of the bone, which counts, b_i2 and b_i3 lie across it
and count little (a twist that hinges cannot follow). With M_i = Σ_k w (1 − r rᵀ), r = R_i b_ik, and world
axes a of the joints,

    gradient_a = − a · Σ_k w (r × W_i b_ik),     curvature_ab = aᵀ M b,

summed over all bodies that both axes turn. A frame begins where the last one ended, so that hinges do not
jump from one of two ways to the other.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.contacts.differentiated_clip import Mask
from poise.methods.adapt.retarget.turning import (
    BALL,
    HINGE,
    Plan,
    base_turn,
    product,
    set_ball,
    stay,
    turn_joint,
    wanted_turn,
)

STEPS = 24
"""Steps of a fit at most."""
ENOUGH = 1e-7
"""A step so small [rad] ends it."""
STARTS = 9
"""Poses from which the first frame is tried."""
CALM = 1e-8
"""ρ: how much a hinge likes to stay where it was, beside a bone that should point somewhere: what moves no
bone stays, and nothing else is held back."""
MOST = 32
"""Degrees of freedom of a chain at most."""


@kernel()
def follow(plan: Plan, source: Array, q: Array, turns: Array, warm: bool) -> None:
    """Fill q (F, nq) and world rotations (F, n, 3, 3) of a target from those of a source (F, m, 3, 3).

    q[0] holds where hinges begin, and whether that is worth anything is said by ``warm``.
    """
    n = plan.parents.size
    wanted, base = np.zeros((n, 3, 3)), np.zeros((3, 3))
    work = np.zeros((2 * MOST, MOST))
    before = q[0].copy()
    for f in range(source.shape[0]):
        if f > 0:
            before[:] = q[f - 1]
        for i in range(n):
            if plan.first[i] >= 0:
                wanted_turn(plan, source[f], i, wanted[i])
        for i in range(n):
            c = plan.chain[i]
            if c >= 0:
                if plan.links[plan.starts[c]] == i:
                    _fit(plan, c, wanted, before, q[f], turns[f], work, warm or f > 0)
                continue
            base_turn(plan, i, turns[f], base)
            turn_joint(plan, i, base, wanted[i], before, q[f], turns[f, i])


@kernel()
def _fit(
    plan: Plan,
    c: int,
    wanted: Array,
    before: Array,
    q: Array,
    turns: Array,
    work: Array,
    warm: bool,
) -> None:
    """One chain: from where it was, or from the best of several beginnings."""
    count = 0
    for at in range(plan.starts[c], plan.starts[c + 1]):
        kind = plan.kind[plan.links[at]]
        count += 1 if kind == HINGE else 3 if kind == BALL else 0
    best, state = np.zeros(q.size), np.zeros(q.size)
    base, local = np.zeros((3, 3)), np.zeros((3, 3))
    least = math.inf
    for start in range(1 if warm else STARTS):
        state[:] = before
        hinge = 0
        for at in range(plan.starts[c], plan.starts[c + 1]):
            i = plan.links[at]
            if plan.kind[i] == BALL and not warm and plan.first[i] >= 0:
                base_turn(plan, i, turns, base)
                product(base.T, wanted[i], local)
                set_ball(local, before, plan.coordinates[i], state)
            if plan.kind[i] == HINGE and start > 0:
                hinge += 1
                # Spread over the range: a low-discrepancy sequence, the same in every run.
                part = (start * 0.7548776662 + hinge * start * 0.5698402910) % 1.0
                low, high = max(plan.lower[i, 0], -2.0), min(plan.upper[i, 0], 2.0)
                state[plan.coordinates[i]] = low + part * (high - low)
            base_turn(plan, i, turns, base)
            stay(plan, i, base, state, turns[i])
        cost = _descend(plan, c, count, wanted, before, state, turns, work)
        if cost < least - 1e-6:
            least = cost
            best[:] = state
    for at in range(plan.starts[c], plan.starts[c + 1]):
        i = plan.links[at]
        j = plan.coordinates[i]
        for k in range(1 if plan.kind[i] == HINGE else 4 if plan.kind[i] == BALL else 0):
            q[j + k] = best[j + k]
    _place(plan, c, best, turns)


@kernel()
def _place(plan: Plan, c: int, state: Array, turns: Array) -> None:
    """World rotations of a chain."""
    base = np.zeros((3, 3))
    for at in range(plan.starts[c], plan.starts[c + 1]):
        i = plan.links[at]
        base_turn(plan, i, turns, base)
        stay(plan, i, base, state, turns[i])


@kernel()
def _cost(plan: Plan, c: int, wanted: Array, before: Array, state: Array, turns: Array) -> float:
    total = 0.0
    for at in range(plan.starts[c], plan.starts[c + 1]):
        i = plan.links[at]
        if plan.kind[i] == HINGE:
            total += CALM * (state[plan.coordinates[i]] - before[plan.coordinates[i]]) ** 2
        if plan.first[i] < 0:
            continue
        for k in range(3):
            b = plan.directions[i, k]
            for r in range(3):
                off = 0.0
                for m in range(3):
                    off += (turns[i, r, m] - wanted[i, r, m]) * b[m]
                total += plan.weight[i, k] * off * off
    return total


@kernel()
def _slopes(plan: Plan, c: int, wanted: Array, turns: Array, bend: Array, pull: Array) -> None:
    """M (L, 3, 3) and Σ w r × W b (L, 3) of each link and all that follow it."""
    first, last = plan.starts[c], plan.starts[c + 1]
    r, w = np.zeros(3), np.zeros(3)
    for at in range(last - 1, first - 1, -1):
        i, here = plan.links[at], at - first
        if at + 1 < last:
            bend[here] = bend[here + 1]
            pull[here] = pull[here + 1]
        else:
            bend[here] = 0.0
            pull[here] = 0.0
        if plan.first[i] < 0:
            continue
        for k in range(3):
            b, weight = plan.directions[i, k], plan.weight[i, k]
            for a in range(3):
                r[a] = turns[i, a, 0] * b[0] + turns[i, a, 1] * b[1] + turns[i, a, 2] * b[2]
                w[a] = wanted[i, a, 0] * b[0] + wanted[i, a, 1] * b[1] + wanted[i, a, 2] * b[2]
            pull[here, 0] += weight * (r[1] * w[2] - r[2] * w[1])
            pull[here, 1] += weight * (r[2] * w[0] - r[0] * w[2])
            pull[here, 2] += weight * (r[0] * w[1] - r[1] * w[0])
            for a in range(3):
                for m in range(3):
                    bend[here, a, m] += weight * ((1.0 if a == m else 0.0) - r[a] * r[m])


@kernel()
def _descend(
    plan: Plan,
    c: int,
    count: int,
    wanted: Array,
    before: Array,
    state: Array,
    turns: Array,
    work: Array,
) -> float:
    """Damped Gauss–Newton from a state; the cost it ends with."""
    first, last = plan.starts[c], plan.starts[c + 1]
    length = last - first
    bend, pull = np.zeros((length, 3, 3)), np.zeros((length, 3))
    axes, owner = np.zeros((count, 3)), np.zeros(count, np.int64)
    slope, step, held = np.zeros(count), np.zeros(count), np.zeros(count, np.bool_)
    curve, next_state = work[:count, :count], state.copy()
    damping = 1e-3
    _place(plan, c, state, turns)
    cost = _cost(plan, c, wanted, before, state, turns)
    for _ in range(STEPS):
        _slopes(plan, c, wanted, turns, bend, pull)
        k = 0
        for at in range(first, last):
            i = plan.links[at]
            for d in range(1 if plan.kind[i] == HINGE else 3 if plan.kind[i] == BALL else 0):
                for a in range(3):
                    if plan.kind[i] == HINGE:
                        own = plan.axis[i]
                        axes[k, a] = (
                            turns[i, a, 0] * own[0] + turns[i, a, 1] * own[1] + turns[i, a, 2] * own[2]
                        )
                    else:
                        axes[k, a] = turns[i, a, d]
                owner[k] = at - first
                k += 1
        for a in range(count):
            slope[a] = -(axes[a, 0] * pull[owner[a], 0] + axes[a, 1] * pull[owner[a], 1])
            slope[a] -= axes[a, 2] * pull[owner[a], 2]
            for b in range(a + 1):
                m = bend[max(owner[a], owner[b])]
                value = 0.0
                for r in range(3):
                    value += axes[a, r] * (m[r, 0] * axes[b, 0] + m[r, 1] * axes[b, 1] + m[r, 2] * axes[b, 2])
                curve[a, b] = value
                curve[b, a] = value
        k = 0
        for at in range(first, last):
            i = plan.links[at]
            if plan.kind[i] == HINGE:
                angle = state[plan.coordinates[i]]
                slope[k] += CALM * (angle - before[plan.coordinates[i]])
                curve[k, k] += CALM
                held[k] = (angle <= plan.lower[i, 0] and slope[k] > 0.0) or (
                    angle >= plan.upper[i, 0] and slope[k] < 0.0
                )
                k += 1
            elif plan.kind[i] == BALL:
                k += 3
        better = False
        size = 0.0
        for _try in range(6):
            _solve(curve, slope, held, damping, count, work[MOST : MOST + count, :count], step)
            size = 0.0
            for a in range(count):
                size = max(size, abs(step[a]))
            if size > 1.0:
                for a in range(count):
                    step[a] /= size
            _moved(plan, c, state, step, next_state)
            _place(plan, c, next_state, turns)
            now = _cost(plan, c, wanted, before, next_state, turns)
            if now <= cost:
                better = now < cost
                cost = now
                state[:] = next_state
                damping = max(0.2 * damping, 1e-8)
                break
            damping *= 8.0
        if not better or size < ENOUGH:
            break
    _place(plan, c, state, turns)
    return cost


@kernel()
def _moved(plan: Plan, c: int, state: Array, step: Array, out: Array) -> None:
    """A state after a step, hinges within their limits."""
    k, v = 0, np.zeros(3)
    out[:] = state
    for at in range(plan.starts[c], plan.starts[c + 1]):
        i = plan.links[at]
        j = plan.coordinates[i]
        if plan.kind[i] == HINGE:
            out[j] = min(max(state[j] + step[k], plan.lower[i, 0]), plan.upper[i, 0])
            k += 1
        elif plan.kind[i] == BALL:
            for a in range(3):
                v[a] = step[k + a]
            k += 3
            angle = math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
            half = math.sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
            w, x, y, z = math.cos(0.5 * angle), half * v[0], half * v[1], half * v[2]
            a, b, d, e = state[j], state[j + 1], state[j + 2], state[j + 3]
            out[j] = a * w - b * x - d * y - e * z
            out[j + 1] = a * x + b * w + d * z - e * y
            out[j + 2] = a * y - b * z + d * w + e * x
            out[j + 3] = a * z + b * y - d * x + e * w
            _within(plan, i, out)


@kernel(inline=True)
def _within(plan: Plan, i: int, state: Array) -> None:
    """A ball's rotation vector within its limits."""
    j = plan.coordinates[i]
    size = math.sqrt(state[j + 1] ** 2 + state[j + 2] ** 2 + state[j + 3] ** 2)
    k = 2.0 * math.atan2(size, abs(state[j])) / size if size > 1e-12 else 2.0
    if state[j] < 0.0:
        k = -k
    x, y, z = k * state[j + 1], k * state[j + 2], k * state[j + 3]
    a = min(max(x, plan.lower[i, 0]), plan.upper[i, 0])
    b = min(max(y, plan.lower[i, 1]), plan.upper[i, 1])
    c = min(max(z, plan.lower[i, 2]), plan.upper[i, 2])
    if a != x or b != y or c != z:
        angle = math.sqrt(a * a + b * b + c * c)
        half = math.sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
        state[j], state[j + 1] = math.cos(0.5 * angle), half * a
        state[j + 2], state[j + 3] = half * b, half * c


@kernel()
def _solve(curve: Array, slope: Array, held: Mask, damping: float, n: int, factor: Array, out: Array) -> None:
    """(curve + damping) out = −slope by Cholesky; what is held at a limit stays."""
    for a in range(n):
        for b in range(a + 1):
            value = curve[a, b] if not (held[a] or held[b]) else 0.0
            if a == b:
                value = 1.0 if held[a] else value + damping + 1e-12
            for k in range(b):
                value -= factor[a, k] * factor[b, k]
            factor[a, b] = math.sqrt(max(value, 1e-15)) if a == b else value / factor[b, b]
    for a in range(n):
        value = 0.0 if held[a] else -slope[a]
        for k in range(a):
            value -= factor[a, k] * out[k]
        out[a] = value / factor[a, a]
    for a in range(n - 1, -1, -1):
        value = out[a]
        for k in range(a + 1, n):
            value -= factor[k, a] * out[k]
        out[a] = value / factor[a, a]
