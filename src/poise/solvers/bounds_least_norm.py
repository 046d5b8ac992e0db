"""The smallest x that keeps expensive states within bounds.

    minimise |x|  subject to  m(z(x)) ≤ 0,      z expensive and nearly linear, m cheap and bent

Bounds do not say where to go, only where not: steps that would meet them as equations, all at once, go too
far where many say nearly the same (a point at neighbouring frames). With Z ≈ ∂z/∂x, measured by trials and
kept by rank-one updates, each iteration finds the smallest y whose states z + Z (y − x) keep to them: a
sequence of least-distance problems, minimise |y| subject to A y ≤ b, solved by non-negative least squares
(Lawson & Hanson 1974, chapter 23). Then y is simulated.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.arrays import Array
from poise.solvers.expensive_least_norm import TRIAL, Measure, States, slopes_along
from poise.solvers.least_norm import Solution

INNER = 6
"""Least-distance problems of an iteration."""
INSIDE = 0.1
"""How far inside the bounds is aimed at, as a part of the accuracy."""


def least_norm_within(
    states: States,
    margins: Measure,
    start: Array,
    *,
    accuracy: float,
    iterations: int = 12,
    allowed: Callable[[Array], bool] = lambda x: True,
) -> Solution:
    """Solve from ``start``; ``margins`` (B, k) are positive where bounds are crossed.

    The residual is what is crossed. Where no x is seen to keep to all bounds the reason is "stationary".
    """
    x = np.array(start, dtype=np.float64)
    z = states(x)
    crossed = np.maximum(margins(z[None])[0], 0.0)
    history, reason, trials = [float(np.linalg.norm(crossed))], "budget", 0
    slopes = np.zeros((len(z), len(x)))
    while len(history) <= iterations + 1:
        if history[-1] <= accuracy:
            reason = "met"
        if reason == "met" or len(history) > iterations:
            break
        if not trials:
            slopes = np.stack([(states(x + TRIAL * e) - z) / TRIAL for e in np.eye(len(x))], axis=1)
            trials = 1
        y = _smallest(margins, x, z, slopes, INSIDE * accuracy)
        if y is None or not allowed(y):
            reason = "stationary"
            break
        step, after = y - x, states(y)
        bend = 2 * (after - z - slopes @ step)  # the slope at the step's end, not its mean
        slopes = slopes + np.outer(bend, step) / max(float(step @ step), 1e-300)
        x, z = y, after
        crossed = np.maximum(margins(z[None])[0], 0.0)
        history.append(float(np.linalg.norm(crossed)))
    jacobian = slopes_along(margins, z, slopes)[1]
    done = len(history) - 1
    return Solution(x, crossed, jacobian, done, done + 1, trials, tuple(history), reason)


def _smallest(margins: Measure, x: Array, z: Array, slopes: Array, inside: float) -> Array | None:
    """The smallest y that keeps to all bounds, were states linear; None where there seems to be none."""
    y = x
    for _ in range(INNER):
        value, slope = slopes_along(margins, z + slopes @ (y - x), slopes)
        found = least_distance(slope, slope @ y - value - inside)
        if found is None:
            return None
        last, y = y, found
        if np.linalg.norm(y - last) <= 1e-6 * np.linalg.norm(y):
            break
    return y


def least_distance(a: Array, b: Array) -> Array | None:
    """The smallest y with a y ≤ b, rows scaled alike; None where there is none."""
    from scipy.optimize import nnls

    size = np.linalg.norm(a, axis=1)
    if (b[size == 0] < 0).any():
        return None
    a, b = a[size > 0] / size[size > 0, None], b[size > 0] / size[size > 0]
    if not (b < 0).any():
        return np.zeros(a.shape[1])
    top = np.zeros(a.shape[1] + 1)
    top[-1] = 1.0
    rows = np.concatenate([-a.T, -b[None]])
    off = rows @ nnls(rows, top, maxiter=30 * rows.shape[1])[0] - top
    return None if abs(off[-1]) < 1e-12 else np.asarray(-off[:-1] / off[-1])
