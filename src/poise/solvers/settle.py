"""Where a residual cannot vanish: down to the least-squares point within bounds, along curved valleys.

    minimise ½ |r(x)|²    subject to  |x| ≤ bound, component by component

Where r stays large its curvature counts, which the Jacobian alone does not know: a straight arm that reaches
for what is too far away turns slowly along a curved valley, and Gauss–Newton steps are refused one after the
other; at a bound most of them are. L-BFGS-B follows the valley and slides along the bounds.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.solvers.quasi_newton import Along, Solution

FLAT = 1e-6
"""It ends when a step gains less than this part of |r|²."""


def settle(along: Along, solution: Solution, *, bound: Array, iterations: int = 60) -> Solution:
    """Go on from where ``least_norm`` ended; what lies beyond the bounds (n,) is brought back first."""
    from scipy.optimize import minimize

    best: list[tuple[float, Array, Array, Array]] = []

    def value(x: Array) -> tuple[float, Array]:
        r, j = along(x, None)
        half = 0.5 * float(r @ r)
        if not (np.isfinite(half) and np.isfinite(j).all()):
            return np.inf, np.zeros_like(x)
        if not best or half < best[0][0]:
            best[:] = [(half, x.copy(), r, j)]
        return half, j.T @ r

    begin = np.clip(solution.x, -bound, bound)
    found = minimize(
        value,
        begin,
        jac=True,
        method="L-BFGS-B",
        bounds=np.stack([-bound, bound], axis=1),
        options={"maxiter": iterations, "ftol": FLAT, "gtol": 1e-8},
    )
    if not best:
        return solution
    half, x, r, j = best[0]
    return Solution(
        x,
        r,
        j,
        solution.iterations + int(found.nit),
        solution.evaluations + int(found.nfev),
        solution.jacobians + int(found.nfev),
        (*solution.history, float(np.sqrt(2 * half))),
        "stationary",
    )
