"""The smallest x that makes a residual vanish, or as small as it gets.

    minimise |x|  subject to  r(x) = 0,      r: Rⁿ → Rᵐ, m ≤ n usually, r expensive

Steps s = −Jᵀ (J Jᵀ + λ)⁻¹ r solve the linearised problem with the least change, λ from a trust region; early
on x is also drawn towards the origin where the constraints do not feel it. J is
measured once and then kept by Broyden's rank-one updates, renewed when progress is poor: superlinear
convergence at one residual per step. Where r cannot vanish the iteration settles in a least-squares
point and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array

LEAST = 1e-13
"""Smallest damping, relative to the largest eigenvalue of the Gram matrix."""
PATIENCE = 4
"""So many refused or fruitless steps in a row mean that it gets no better."""
SLOW = 0.99
"""Less than one percent in that many steps is fruitless."""
SHORTER = 0.3
"""Of a step that was refused though the Jacobian was right."""
RADIUS = 1.5
"""How far the linear model is trusted to begin with."""
EARLY = 0.05
"""While the residual is larger than this part of the first, x is also drawn towards the origin; later that
would only disturb the convergence."""

Residual = Callable[[Array], Array]
Jacobian = Callable[[Array, Array], Array]
"""``jacobian(x, r)`` → (m, n); r is the residual at x."""
Along = Callable[[Array, Array | None], tuple[Array, Array]]
"""``along(x, d)`` → residual (m,) and derivatives (m, k) along the columns of d (n, k); d None: all axes."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the iteration ended."""

    x: Array
    residual: Array
    jacobian: Array
    iterations: int
    evaluations: int
    jacobians: int
    history: tuple[float, ...]
    """|r| at the start and after each iteration."""
    reason: str
    """"met", "stationary", "stalled" or "budget"."""
    radius: float = RADIUS
    """How far the linear model is trusted there."""


def least_norm(
    residual: Residual,
    jacobian: Jacobian,
    start: Array,
    *,
    known: Array | None = None,
    rough: bool = False,
    accuracy: float = 1e-11,
    iterations: int = 30,
    radius: float = RADIUS,
    poor: float = 0.3,
    along: Along | None = None,
    allowed: Callable[[Array], bool] = lambda x: True,
    near: bool = False,
    everywhere: bool = False,
) -> Solution:
    """Solve from ``start``; ``known`` is a Jacobian to begin with (of a neighbouring problem); where it is
    ``rough`` and ``along`` is there, only its row space is believed.

    A step that leaves more than ``poor`` of the residual calls for a fresh Jacobian. Where a few derivatives
    come at the price of the residual, ``along`` gives them together: J is then renewed at every step in its
    row space D, which is all that the step feels, J ← J' D Dᵀ, and converges like Newton's. Steps
    to where ``allowed`` is false are refused like those that do not help. ``near`` stays as near to the start
    as it can instead of drawing x towards the origin. With ``everywhere`` the known J is that of the start,
    and ``along`` gives all of it at every step: what a residual takes that never vanishes.
    """
    x = np.array(start, dtype=np.float64)
    j = known
    across: Array | None = None
    evaluations, jacobians = 1, 0
    if along is not None and (known is None or rough):
        across = None if known is None else _row_space(known)
        r, j = _renewed(along, x, across)
        jacobians = 1
    else:
        r = residual(x)
    fresh = j is not None and (known is None or everywhere)
    size = _length(r)
    history = [size]
    reason = "budget"
    count = refused = 0
    best = (size, x, r)
    while count <= iterations:
        if not np.isfinite(size):
            reason = "stalled"
            break
        if size <= accuracy:
            reason = "met"
            break
        if count >= iterations:
            break
        if j is None:
            j, across = jacobian(x, r), None
            jacobians += 1
            fresh = True
        step, predicted = _step(j, r, x, radius, spare=not near and size > EARLY * history[0])
        after = x + step
        j_after: Array | None = None
        if not allowed(after):
            r_after = np.full_like(r, np.inf)
        elif along is not None:
            if across is None and not everywhere:
                across = _row_space(j)
            if across is not None and _nearly(history, accuracy):
                r_after, j_after = _completed(along, after, j, across)
                across = None
            else:
                r_after, j_after = _renewed(along, after, across)
            jacobians += 1
        else:
            r_after = residual(after)
        evaluations += 1
        count += 1
        size_after = _length(r_after)
        better = np.isfinite(size_after) and size_after < size
        gain = size - size_after if better else 0.0
        if fresh and size - predicted < 1e-3 * size and gain < 1e-3 * size:
            reason = "stationary"
            if better:
                x, r, size = after, r_after, size_after
                j = j if j_after is None else j_after
            else:
                radius = SHORTER * _length(step)
            history.append(size)
            break
        if better:
            moved = float(step @ step)
            if j_after is not None:
                j = j_after
            elif moved > 0:
                j = j + np.outer(r_after - r - j @ step, step) / moved
            worse = size_after > poor * size
            # The region grows where the linear model was right, and shrinks where it promised too much.
            trust = (size - size_after) / max(size - predicted, 1e-300)
            length = _length(step)
            if trust > 0.6:
                radius = max(radius, 2.5 * length)
            elif trust < 0.2:
                radius = max(0.5 * length, 1e-9)
            x, r, size = after, r_after, size_after
            best = (size, x, r)
            fresh, refused = j_after is not None and (everywhere or len(r) >= len(x)), 0
            if worse and size > accuracy and not fresh:
                j = None
        elif fresh:
            refused += 1
            if refused >= PATIENCE:
                reason = "stationary"
                history.append(size)
                break
            radius = SHORTER * _length(step)
            if radius < 1e-12 * max(1.0, _length(x)):
                reason = "stalled"
                history.append(size)
                break
        else:
            j = None
        history.append(size)
        if len(history) > PATIENCE + 3 and size > SLOW * history[-PATIENCE - 1]:
            reason = "stationary"
            break
    size, x, r = best if best[0] <= size else (size, x, r)
    if j is None:
        j = jacobian(x, r)
        jacobians += 1
    return Solution(x, r, j, count, evaluations, jacobians, tuple(history), reason, radius)


def _nearly(history: list[float], accuracy: float) -> bool:
    """Whether one more step will do, convergence being quadratic: |r₊| / |r| = (|r| / |r₋|)²."""
    return len(history) > 2 and history[-1] ** 3 < accuracy * history[-2] ** 2


def _row_space(j: Array) -> Array | None:
    """An orthonormal basis of the rows of j (m, n), (n, m); None where that is everything."""
    return np.linalg.qr(j.T)[0] if len(j) < j.shape[1] else None


def _renewed(along: Along, x: Array, across: Array | None) -> tuple[Array, Array]:
    """The residual, and the Jacobian measured again in its row space (n, m), which stays."""
    if across is None:
        return along(x, None)
    r, measured = along(x, across)
    return r, measured @ across.T


def _completed(along: Along, x: Array, j: Array, across: Array) -> tuple[Array, Array]:
    """The residual after the last step, and the Jacobian with what was never measured: along x.

    What of x lies outside the row space is what a next solve from here will draw towards the origin.
    """
    spare = x - across @ (across.T @ x)
    d = (spare / max(_length(spare), 1e-300))[:, None]
    r, measured = along(x, d)
    return r, j + (measured - j @ d) @ d.T


def _step(j: Array, r: Array, x: Array, radius: float, *, spare: bool) -> tuple[Array, float]:
    """The step within the radius, and the residual's size that the linear model predicts after it."""
    gram = j @ j.T
    scale = float(gram.trace())
    if not scale > 1e-30:  # nothing that may change makes a difference
        return np.zeros_like(x), _length(r)
    ridge = gram.copy()
    ridge.flat[:: len(r) + 1] += LEAST * scale
    both = np.array([-r, j @ x]) if spare else -r[None]
    wanted, *felt = np.linalg.solve(ridge, both.T).T @ j
    size = _length(wanted)
    if size > radius:
        step = _shortened(j, gram, r, radius)
    else:
        step = wanted
        if spare:
            # What of x the constraints do not feel may go, as far as the radius allows.
            gone = felt[0] - x
            gap = _length(gone)
            step = step + min(1.0, (radius - size) / max(gap, 1e-300)) * gone
    return step, _length(r + j @ step)


def _length(x: Array) -> float:
    return math.sqrt(float(x @ x))


def _shortened(j: Array, gram: Array, r: Array, radius: float) -> Array:
    """The damped step as long as the radius: J Jᵀ = U W Uᵀ, |s(λ)|² = Σ w b² / (w + λ)², b = Uᵀ r."""
    w, u = np.linalg.eigh(gram)
    w, b = np.maximum(w, 0.0), u.T @ r
    low, high = np.log10(LEAST), 6.0
    scale = max(float(w[-1]), 1e-300)
    for _ in range(40):
        middle = 0.5 * (low + high)
        length = float(np.sqrt(np.sum(w * (b / (w + 10.0**middle * scale)) ** 2)))
        low, high = (middle, high) if length > radius else (low, middle)
    return np.asarray(-j.T @ (u @ (b / (w + 10.0**high * scale))))
