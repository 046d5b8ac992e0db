"""The smallest x that makes a residual vanish, or as small as it gets.

    minimise |x|  subject to  r(x) = 0,      r: Rⁿ → Rᵐ, m ≤ n usually, r expensive

Steps come from the singular values of the Jacobian J = U Σ Vᵀ: towards the solution of the linearised
problem nearest to the origin, x + s = V Σ/(Σ² + λ) (Uᵀ(Jx − r)) …, with λ from a trust region. J is
measured once and then kept by Broyden's rank-one updates, renewed when progress is poor: superlinear
convergence at one residual per step. Where r cannot vanish the iteration settles in a least-squares
point and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array

PATIENCE = 4
"""So many refused or fruitless steps in a row mean that it gets no better."""
SLOW = 0.99
"""Less than one percent in that many steps is fruitless."""
EARLY = 0.05
"""While the residual is larger than this part of the first, x is also drawn towards the origin; later that
would only disturb the convergence."""

Residual = Callable[[Array], Array]
Jacobian = Callable[[Array, Array], Array]
"""``jacobian(x, r)`` → (m, n); r is the residual at x."""


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
    """|r| after each iteration, first before any."""
    reason: str
    """"met", "stationary", "stalled" or "budget"."""


def least_norm(
    residual: Residual,
    jacobian: Jacobian,
    start: Array,
    *,
    known: Array | None = None,
    accuracy: float = 1e-11,
    iterations: int = 30,
    radius: float = 1.5,
    poor: float = 0.3,
) -> Solution:
    """Solve from ``start``; ``known`` is a Jacobian to begin with (of a neighbouring problem).

    A step that leaves more than ``poor`` of the residual calls for a fresh Jacobian.
    """
    x = np.array(start, dtype=np.float64)
    r = residual(x)
    evaluations, jacobians = 1, 0
    j = known
    fresh = False
    size = float(np.linalg.norm(r))
    history = [size]
    reason = "budget"
    count = refused = 0
    best = (size, x, r)
    while True:
        if not np.isfinite(size):
            reason = "stalled"
            break
        if size <= accuracy:
            reason = "met"
            break
        if count >= iterations:
            break
        if j is None:
            j = jacobian(x, r)
            jacobians += 1
            fresh = True
        step, predicted = _step(j, r, x, radius, spare=size > EARLY * history[0])
        after = x + step
        r_after = residual(after)
        evaluations += 1
        count += 1
        size_after = float(np.linalg.norm(r_after))
        better = np.isfinite(size_after) and size_after < size
        gain = size - size_after if better else 0.0
        if fresh and size - predicted < 1e-3 * size and gain < 1e-3 * size:
            reason = "stationary"
            if better:
                x, r, size = after, r_after, size_after
            history.append(size)
            break
        if better:
            moved = float(step @ step)
            if moved > 0:
                j = j + np.outer(r_after - r - j @ step, step) / moved
            worse = size_after > poor * size
            # The region grows where the linear model was right, and shrinks where it promised too much.
            trust = (size - size_after) / max(size - predicted, 1e-300)
            length = float(np.linalg.norm(step))
            if trust > 0.6:
                radius = max(radius, 2.5 * length)
            elif trust < 0.2:
                radius = max(0.5 * length, 1e-9)
            x, r, size = after, r_after, size_after
            best = (size, x, r)
            fresh, refused = False, 0
            if worse and size > accuracy:
                j = None
        elif fresh:
            refused += 1
            if refused >= PATIENCE:
                reason = "stationary"
                history.append(size)
                break
            radius = 0.3 * float(np.linalg.norm(step))
            if radius < 1e-12 * max(1.0, float(np.linalg.norm(x))):
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
    return Solution(x, r, j, count, evaluations, jacobians, tuple(history), reason)


def _step(j: Array, r: Array, x: Array, radius: float, *, spare: bool) -> tuple[Array, float]:
    """The step within the radius, and the residual's size that the linear model predicts after it."""
    u, s, vt = np.linalg.svd(j, full_matrices=False)
    b = u.T @ r
    scale = float(s[0] ** 2) if len(s) else 1.0

    def newton(lam: float) -> Array:
        return -vt.T @ (s / (s * s + lam * scale + 1e-300) * b)

    least = 1e-13
    towards = newton(least)
    if np.linalg.norm(towards) > radius:
        low, high = -13.0, 6.0
        for _ in range(40):
            middle = 0.5 * (low + high)
            if np.linalg.norm(newton(10.0**middle)) > radius:
                low = middle
            else:
                high = middle
        towards = newton(10.0**high)
    elif spare:
        # What of x the constraints do not feel may go, as far as the radius allows.
        felt = vt.T @ ((s * s / (s * s + least * scale)) * (vt @ x))
        room = radius - float(np.linalg.norm(towards))
        length = float(np.linalg.norm(felt - x))
        if length > 0:
            towards = towards + min(1.0, room / length) * (felt - x)
    return towards, float(np.linalg.norm(r + j @ towards))
