"""Where a residual cannot vanish: down to the least-squares point, along curved valleys.

    minimise ½ |r(x)|²

Where r stays large its curvature counts, which the Jacobian alone does not know: a straight arm that reaches
for what is too far away turns slowly along a curved valley, and Gauss–Newton steps are refused one after the
other. BFGS follows it: gradients Jᵀ r, and an inverse Hessian that begins with Gauss–Newton's and learns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.arrays import Array
from poise.solvers.quasi_newton import Jacobian, Residual, Solution

LIFT = 0.1
"""Floor of the roots of the first Hessian's eigenvalues, relative to the largest."""


def settle(
    residual: Residual,
    jacobian: Jacobian,
    solution: Solution,
    *,
    accuracy: float,
    iterations: int = 40,
    allowed: Callable[[Array], bool] = lambda x: True,
) -> Solution:
    """Go on from where ``least_norm`` ended; steps to where ``allowed`` is false are not taken."""
    x, r, j = solution.x, solution.residual, jacobian(solution.x, solution.residual)
    g = j.T @ r
    evaluations, jacobians, count = 0, 1, 0
    if not (np.isfinite(j).all() and float(np.abs(j).max(initial=0.0)) > 1e-15 and allowed(x)):
        return solution
    _, s, vt = np.linalg.svd(j, full_matrices=False)
    lift = (LIFT * float(s[0])) ** 2 + 1e-300
    inverse = np.eye(len(x)) / lift + vt.T @ np.diag(1 / (s * s + lift) - 1 / lift) @ vt
    history = list(solution.history)
    while count < iterations:
        value = float(r @ r)
        if value <= accuracy**2 or float(np.linalg.norm(g)) < 1e-5 * s[0] * np.sqrt(value):
            break
        step = -inverse @ g
        step /= max(1.0, float(np.linalg.norm(step)))
        found = _descend(residual, allowed, x, step, float(step @ g), value)
        evaluations += found[2]
        if found[0] is None:
            break
        r_after, share = found[0], found[1]
        after = float(r_after @ r_after)
        x = x + share * step
        j = jacobian(x, r_after)
        jacobians, count = jacobians + 1, count + 1
        g_after = j.T @ r_after
        inverse = _learned(inverse, share * step, g_after - g)
        r, g = r_after, g_after
        history.append(float(np.sqrt(after)))
        if value - after < 1e-7 * value:
            break
    return Solution(
        x,
        r,
        j,
        solution.iterations + count,
        solution.evaluations + evaluations,
        solution.jacobians + jacobians,
        tuple(history),
        "met" if float(np.linalg.norm(r)) <= accuracy else "stationary",
    )


def _descend(
    residual: Residual, allowed: Callable[[Array], bool], x: Array, step: Array, slope: float, value: float
) -> tuple[Array | None, float, int]:
    """The residual after the longest share of the step that descends enough, that share, and the cost."""
    share = 1.0
    for count in range(1, 9):
        there = x + share * step
        if allowed(there):
            r = residual(there)
            after = float(r @ r)
            if np.isfinite(after) and 0.5 * after <= 0.5 * value + 1e-4 * share * slope:
                return r, share, count
        share *= 0.4
    return None, 0.0, 8


def _learned(inverse: Array, dx: Array, dg: Array) -> Array:
    """BFGS's update of the inverse Hessian; skipped where the curvature along the step is not positive."""
    along = float(dx @ dg)
    if along <= 1e-10 * float(np.linalg.norm(dx) * np.linalg.norm(dg)):
        return inverse
    turn = np.eye(len(dx)) - np.outer(dx, dg) / along
    return np.asarray(turn @ inverse @ turn.T + np.outer(dx, dx) / along)
