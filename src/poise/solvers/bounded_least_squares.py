"""Where a residual cannot vanish: down to the least-squares point within bounds, along curved valleys.

    minimise ½ |r(x)|²    subject to  |x| ≤ bound, component by component

Where r stays large its curvature counts, which the Jacobian alone does not know: a straight arm that reaches
for what is too far away turns slowly along a curved valley, and Gauss–Newton steps are refused one after the
other; at a bound most of them are. L-BFGS-B follows the valley and slides along the bounds.

Where there are many more equations than unknowns (a place held over an interval) they bend the valley less
than they make it steep: Gauss–Newton in a trust region within the bounds gets as low with a fifth of the
Jacobians, each of which takes a simulation for every unknown.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.arrays import Array
from poise.solvers.least_norm import Along, Solution

FLAT = 1e-6
"""It ends when a step gains less than this part of |r|²."""
MANY = 2.0
"""So many equations for each unknown are many."""
STEPS = 15
"""Of Gauss–Newton."""


def settle(along: Along, solution: Solution, *, bound: Array, iterations: int = 60) -> Solution:
    """Go on from where ``least_norm`` ended; what lies beyond the bounds (n,) is brought back first."""
    best: list[tuple[float, Array, Array, Array]] = []
    count = 0

    def slopes(x: Array) -> tuple[Array, Array] | None:
        """r and J; None where they are no numbers."""
        nonlocal count
        count += 1
        r, j = along(x, None)
        half = 0.5 * float(r @ r)
        if not (np.isfinite(half) and np.isfinite(j).all()):
            return None
        if not best or half < best[0][0]:
            best[:] = [(half, x.copy(), r, j)]
        return r, j

    begin = np.clip(solution.x, -bound, bound)
    many = len(solution.residual) >= MANY * len(begin)
    steps = _gauss_newton(slopes, begin, bound) if many else _valley(slopes, begin, bound, iterations)
    if not best:
        return solution
    half, x, r, j = best[0]
    return Solution(
        x,
        r,
        j,
        solution.iterations + steps,
        solution.evaluations + count,
        solution.jacobians + count,
        (*solution.history, float(np.sqrt(2 * half))),
        "stationary",
    )


Slopes = Callable[[Array], "tuple[Array, Array] | None"]


def _valley(slopes: Slopes, begin: Array, bound: Array, iterations: int) -> int:
    from scipy.optimize import minimize

    def value(x: Array) -> tuple[float, Array]:
        found = slopes(x)
        if found is None:
            return np.inf, np.zeros_like(x)
        r, j = found
        return 0.5 * float(r @ r), j.T @ r

    done = minimize(
        value,
        begin,
        jac=True,
        method="L-BFGS-B",
        bounds=np.stack([-bound, bound], axis=1),
        options={"maxiter": iterations, "maxfun": 2 * iterations, "ftol": FLAT, "gtol": 1e-8},
    )
    return int(done.nit)


def _gauss_newton(slopes: Slopes, begin: Array, bound: Array) -> int:
    """min |r + J s| within the bounds and a box that grows where that came true and shrinks where not."""
    from scipy.optimize import lsq_linear

    x, found, reach = begin, slopes(begin), 1.0
    if found is None:
        return 0
    for step in range(STEPS):
        r, j = found
        low, high = np.maximum(-bound - x, -reach), np.minimum(bound - x, reach)
        s = lsq_linear(j, -r, (low, np.maximum(high, low + 1e-12)), max_iter=50).x
        after = slopes(x + s)
        size, promised = float(r @ r), float(np.sum((r + j @ s) ** 2))
        gain = -np.inf if after is None else size - float(after[0] @ after[0])
        if after is not None and gain > 0:
            x, found = x + s, after
        reach = min(2.0 * reach, 4.0) if gain > 0.7 * (size - promised) else reach
        if gain < 0.25 * (size - promised):
            reach = 0.25 * float(np.abs(s).max(initial=0.0))
        if size - promised < FLAT * size or (0 <= gain < FLAT * size) or reach < 1e-6:
            return step + 1
    return STEPS
