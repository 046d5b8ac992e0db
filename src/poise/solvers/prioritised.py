"""Strict levels of equations, the soft ones last: the dense parts of a prioritised solver, compiled.

    level 0 exactly, level 1 as well as level 0 allows, … , then   minimise ½ Σ w e² + ½ Σ p x²

Each level is kept by *multipliers*: at a point x the merit is

    Σ_levels λ·(e − r) + ½ W |e − r|²  +  soft,         λ ← λ + W (e − r) whenever x has settled

and its minimum meets e = r exactly once λ has settled, however heavy the soft level is, without any decision
about rank. That is why there are multipliers and no null-space projectors: a projector must decide which
singular value is zero, and near that decision (an arm that is almost straight) poses jump.

r is zero while all levels can be met, and they are held together. Where they cannot, they are taken apart:
one after the other is brought as near as it can come while all below it weigh next to nothing (FAINT), r is
set to what it misses, and it is held there from then on (``next_level``). W grows a thousandfold from each
level to the one above it, and wherever a level gives way too slowly.

Held at r ≠ 0, where Jᵀ r = 0, the Hessian of a level is W JᵀJ + λ·∂²e, and of its miss ½ |e|² it is known
only that JᵀJ + r·∂²e ≥ 0. An arm stretched to its end has J = 0 along it and is held by λ·∂²e alone, so λ has
to lie along r; a shape that turns with the body misses as much in any direction, r·∂²e = −JᵀJ, and λ longer
than W r would drive it round. Hence λ = ½ W r, and W and λ grow together:

    W (JᵀJ + ½ r·∂²e) = ½ W JᵀJ + ½ W (JᵀJ + r·∂²e) ≥ ½ W JᵀJ,        and  ½ W r·∂²e  where J = 0

A step solves (H + μ) d = −g with some components of d prescribed (those on their bounds).
"""

from __future__ import annotations

import math

from poise.arrays import Array, IntArray
from poise.compilation import kernel

SLOW = 0.3
"""A level whose miss falls by less than this factor is made heavier."""
CREEPING = 0.8
"""The same for levels that are held."""
GROWTH, HEAVIEST = 10.0, 3e4
"""How much heavier it is made at a time, and in all."""
MENDABLE = 1e-4
"""A level that misses less is not given up while its weight can grow: far targets of others pull at it."""
FAINT = 1e-6
"""What is below the level that is being brought to its target weighs this share."""
TOUCHING = 1e-12
"""What is this near to its bound is on it."""
ROUNDS = 8
"""Times that a step is solved again for what does not end on a bound."""
HARDER = 700
"""Times that damping is tripled at most: from 1e-2 to beyond all that a double holds."""


@kernel()
def factor(a: Array) -> bool:
    """Cholesky factor U in place of the upper triangle, a = Uᵀ U; False where a is not positive definite."""
    n = a.shape[0]
    k = 0
    while k < n:
        top = a[k]
        if not top[k] > 0.0:
            return False
        s = 1.0 / math.sqrt(top[k])
        for j in range(k, n):
            top[j] *= s
        if k + 1 == n:
            break
        below = a[k + 1]
        x = top[k + 1]
        for j in range(k + 1, n):
            below[j] -= x * top[j]
        if not below[k + 1] > 0.0:
            return False
        s = 1.0 / math.sqrt(below[k + 1])
        for j in range(k + 1, n):
            below[j] *= s
        for i in range(k + 2, n):  # two pivots at a time: half the passes over the rest
            x, y, row = top[i], below[i], a[i]
            for j in range(i, n):
                row[j] -= x * top[j] + y * below[j]
        k += 2
    return True


@kernel()
def substitute(u: Array, x: Array) -> None:
    """Solve Uᵀ U x = b in place of b."""
    n = u.shape[0]
    for i in range(n):
        row = u[i]
        x[i] /= row[i]
        s = x[i]
        for j in range(i + 1, n):
            x[j] -= s * row[j]
    for i in range(n - 1, -1, -1):
        row = u[i]
        s = x[i]
        for j in range(i + 1, n):
            s -= row[j] * x[j]
        x[i] = s / row[i]


@kernel()
def add_squares(j: Array, weight: Array, h: Array) -> None:
    """h += Σ w_r j_rᵀ j_r, lower triangle; zeros of a row cost nothing."""
    n = h.shape[0]
    for i in range(n):
        out = h[i]
        for r in range(j.shape[0]):
            row = j[r]
            a = weight[r] * row[i]
            if a != 0.0:
                for k in range(i + 1):
                    out[k] += a * row[k]


@kernel()
def damped_step(
    h: Array, g: Array, damping: float, locked: IntArray, told: Array, u: Array, d: Array
) -> bool:
    """d with (h + μ) d = −g, and d = told where ``locked``; False where h + μ is not positive definite.

    h holds its lower triangle; u (n, n) is scratch for the factor.
    """
    n = h.shape[0]
    for i in range(n):
        d[i] = told[i] if locked[i] else -g[i]
    for i in range(n):
        row = h[i]
        for k in range(i):
            x = row[k]
            if locked[i]:
                if not locked[k]:
                    d[k] -= x * told[i]
                x = 0.0
            elif locked[k]:
                d[i] -= x * told[k]
                x = 0.0
            u[k, i] = x
        u[i, i] = 1.0 if locked[i] else row[i] + damping
    if not factor(u):
        return False
    substitute(u, d)
    return True


@kernel()
def all_finite(h: Array, g: Array) -> bool:
    """Whether the lower triangle of h, and g, are numbers."""
    total = 0.0
    for i in range(g.size):
        total += abs(g[i])
        for k in range(i + 1):
            total += abs(h[i, k])
    return math.isfinite(total)


@kernel()
def bounded_step(
    h: Array,
    g: Array,
    damping: float,
    x: Array,
    lower: Array,
    upper: Array,
    free: IntArray,
    locked: IntArray,
    told: Array,
    u: Array,
    d: Array,
) -> float:
    """A damped step from x that passes no bound: what would is put on its bound, and the rest solved again.

    Components at a bound that −g pushes out of, and those not ``free``, stay. Returns the damping used: at
    least the one given, more where h is not positive definite among what may move. Where no damping helps
    (a number is none) there is no step: d = 0.
    """
    n = x.size
    for i in range(n):
        under = x[i] <= lower[i] + TOUCHING and g[i] > 0.0
        over = x[i] >= upper[i] - TOUCHING and g[i] < 0.0
        locked[i] = not free[i] or under or over
        told[i] = 0.0
    mu = damping
    rounds = 0
    for _ in range(HARDER):
        if not damped_step(h, g, mu, locked, told, u, d):
            mu = max(3.0 * mu, 1e-2)
            if not (math.isfinite(mu) and all_finite(h, g)):
                break
            continue
        passed = False
        for i in range(n):
            if not locked[i] and (x[i] + d[i] < lower[i] or x[i] + d[i] > upper[i]):
                told[i] = (lower[i] if d[i] < 0.0 else upper[i]) - x[i]
                locked[i] = 1
                passed = True
        if not passed or rounds == ROUNDS:
            return mu
        # What curves downwards often ends on a bound: without it the rest may need no more damping.
        mu = damping
        rounds += 1
    d[:] = 0.0
    return damping


@kernel()
def expected_fall(h: Array, g: Array, d: Array) -> float:
    """By how much the quadratic model says a step d lowers the merit."""
    total = 0.0
    for i in range(d.size):
        row = h[i]
        s = g[i] + 0.5 * row[i] * d[i]
        for k in range(i):
            s += row[k] * d[k]
        total -= s * d[i]
    return total


@kernel()
def next_level(
    top: int,
    apart: bool,
    rank: IntArray,
    live: IntArray,
    e: Array,
    w: Array,
    accuracy: float,
    multiplier: Array,
    shift: Array,
    heavy: Array,
    most: float,
    missed: Array,
) -> int:
    """The point has settled: update the multipliers of the first level that is off.

    Levels before ``top`` are held at e = r; ``top`` is being brought to its target, and where levels are
    taken ``apart`` it has come as near as it can once a new multiplier no longer helps, nor a greater weight
    what misses little (``MENDABLE``): then r = e. Returns
    the new ``top``, or −1 − top where multipliers changed and the point has to settle again. Weights grow to
    at most ``most``. Rows that nothing moves (``live`` 0) are left out.
    """
    for k in range(min(top + 1, heavy.size)):
        worst = 0.0
        for i in range(rank.size):
            if rank[i] == k and live[i]:
                worst = max(worst, abs(e[i] - shift[i]))
        if worst <= accuracy:
            continue
        slow = worst > (SLOW if k == top else CREEPING) * missed[k]
        reached = k == top and slow and ((apart and worst > MENDABLE) or heavy[0] >= most)
        heavier = slow and not reached and heavy[0] < most
        missed[k] = worst
        if slow and not reached and not heavier and k < top:
            continue  # as near as numbers go
        missed[:k] = 1e300  # those above will be disturbed anew
        for i in range(rank.size):
            if rank[i] == k and live[i]:
                multiplier[i] += w[i] * (e[i] - shift[i])
            if heavier and 0 <= rank[i] <= k and live[i]:
                multiplier[i] += 0.5 * (GROWTH - 1.0) * w[i] * shift[i]
        if heavier:
            for i in range(k + 1):  # no level may grow heavier than those above it
                heavy[i] *= GROWTH
        if reached:
            force, square = 0.0, 0.0
            for i in range(rank.size):
                # What is all but met is met: only the rest is given up.
                if rank[i] == k and live[i] and abs(e[i]) > 1e-5 * worst:
                    shift[i] = e[i]
                    force += multiplier[i] * e[i]
                    square += w[i] * e[i] * e[i]
            heavy[k] *= max(2.0 * force / square, 1.0)  # λ = ½ W r along r
            for i in range(k):
                heavy[i] = max(heavy[i], heavy[k])
        if not reached:
            return -1 - top
    missed[:] = 1e300
    return top + 1
