"""The smallest x that makes a residual of expensive states vanish, or as small as it gets.

    minimise |x|  subject to  r(z(x)) = 0,      z expensive and nearly linear, r cheap and bent

Newton's step makes r ∘ z a plane. Here only z becomes one: with Z ≈ ∂z/∂x each iteration solves

    minimise |y|  subject to  r(z + Z (y − x)) = 0

by ``least_norm``, which takes no state anew: what bends in r (kinematics) costs no iterations. (After the
first iteration y is the nearest to x: what drifts towards the origin would have to be found again.) Z is
measured by trials; the states half way then tell how z bends on the way to y, and y is solved for again. Z is
kept by rank-one updates, and measured again where an iteration leaves more than a little.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.solvers.least_norm import Solution, least_norm

TRIAL = 1e-4
"""Change of an unknown in trials."""
POOR = 0.02
"""An iteration that leaves more than this part of the residual calls for Z anew."""
PATIENCE = 5
"""So many refused iterations in a row mean that it gets no better."""
INNER = 30
"""Steps of the cheap problem."""
FARTHEST = 3.0
"""How far an iteration may go at first."""

States = Callable[[Array], Array]
"""``states(x)`` → z (N,)."""
Measure = Callable[[Array], Array]
"""``measure(zs)`` → residuals (B, m) of several z (B, N)."""


def least_norm_through(
    states: States,
    measure: Measure,
    start: Array,
    *,
    accuracy: float,
    iterations: int = 12,
    allowed: Callable[[Array], bool] = lambda x: True,
) -> Solution:
    """Solve from ``start``; every iteration ends with the states where it arrives: nothing is guessed.

    Steps to where ``allowed`` is false are refused like those that do not help.
    """
    x = np.array(start, dtype=np.float64)
    z = states(x)
    r = measure(z[None])[0]
    size = _length(r)
    history = [size]
    slopes: Array | None = None
    fresh = False
    evaluations, trials, count, refused, radius = 1, 0, 0, 0, FARTHEST
    reason = "budget"
    while count <= iterations:
        if not np.isfinite(size):
            reason = "stalled"
            break
        if size <= accuracy:
            reason = "met"
            break
        if count >= iterations:
            break
        if slopes is None:
            slopes = np.stack([(states(x + TRIAL * e) - z) / TRIAL for e in np.eye(len(x))], axis=1)
            trials, fresh = trials + 1, True

        def trusted(y: Array, x: Array = x, radius: float = radius) -> bool:
            return _length(y - x) <= radius and allowed(y)

        plane = _Model(x, z, slopes)
        y, predicted = _cheap(measure, plane, accuracy, trusted, near=count > 0)
        if fresh and trusted(y):
            y, predicted = _cheap(measure, plane.bent(y, states), accuracy, trusted, near=count > 0)
        step = y - x
        z_after = states(y)
        r_after = measure(z_after[None])[0]
        evaluations, count = evaluations + 1, count + 1
        size_after = _length(r_after)
        better = bool(np.isfinite(size_after) and size_after < size)
        if fresh and size - predicted < 1e-3 * size and not size_after < (1 - 1e-3) * size:
            reason = "stationary"
        if not better:
            refused += 1
            history.append(size)
            if refused >= PATIENCE:
                reason = "stationary"
            if fresh:
                radius = 0.3 * _length(step)
            else:
                slopes = None
        else:
            # Twice the rank-one update that explains the step: the slope at its end, not its mean.
            bend = 2 * (z_after - z - slopes @ step)
            slopes = slopes + np.outer(bend, step) / max(float(step @ step), 1e-300)
            if size_after > POOR * size:
                slopes = None
            radius = max(radius, 2.5 * _length(step))
            x, z, r, size, fresh, refused = y, z_after, r_after, size_after, False, 0
            history.append(size)
        if reason == "stationary":
            break
    if slopes is None:
        slopes = np.zeros((len(z), len(x)))
    jacobian = slopes_along(measure, z, slopes)[1]
    return Solution(x, r, jacobian, count, evaluations, trials, tuple(history), reason)


class _Model(NamedTuple):
    """States near x: z + Z (y − x) + c α², α how far y is along a way w, or a plane."""

    x: Array
    z: Array
    slopes: Array
    way: Array | None = None
    bend: Array | None = None

    def __call__(self, y: Array) -> Array:
        off = y - self.x
        there = self.z + self.slopes @ off
        if self.way is None or self.bend is None:
            return np.asarray(there)
        part = float(self.way @ off) / float(self.way @ self.way)
        return np.asarray(there + part**2 * self.bend)

    def bent(self, y: Array, states: States) -> _Model:
        """The same with how states bend on the way to y, from those half way."""
        way = y - self.x
        if not np.any(way):
            return self
        half = states(self.x + 0.5 * way)
        return self._replace(way=way, bend=4 * (half - self.z - 0.5 * self.slopes @ way))


def _cheap(
    measure: Measure, model: _Model, accuracy: float, allowed: Callable[[Array], bool], *, near: bool
) -> tuple[Array, float]:
    """The smallest (or nearest) y that meets all, were states as modelled; what of the residual is left."""
    found = least_norm(
        lambda y: measure(model(y)[None])[0],
        lambda y, r: slopes_along(measure, model(y), model.slopes)[1],
        model.x,
        accuracy=0.01 * accuracy,
        iterations=INNER,
        allowed=allowed,
        near=near,
    )
    return found.x, _length(found.residual)


def slopes_along(measure: Measure, z: Array, ways: Array) -> tuple[Array, Array]:
    """r (m,) at z, and its derivatives along the columns of ``ways`` (N, k), (m, k)."""
    found = measure(np.concatenate([z[None], z + TRIAL * ways.T]))
    return found[0], (found[1:] - found[0]).T / TRIAL


def _length(x: Array) -> float:
    return float(np.linalg.norm(x))
