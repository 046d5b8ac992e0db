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
from typing import NamedTuple

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


class Known(NamedTuple):
    """What is known of the Jacobian to begin with."""

    jacobian: Array | None = None
    """(m, n), of a neighbouring problem."""
    rough: bool = False
    """Only its row space is believed, where derivatives along ways can be had."""
    everywhere: bool = False
    """It is that of the start, and all of it is had at every step, as residuals that never vanish need."""


NOTHING = Known()


def least_norm(
    residual: Residual,
    jacobian: Jacobian,
    start: Array,
    *,
    known: Known = NOTHING,
    accuracy: float = 1e-11,
    iterations: int = 30,
    radius: float = RADIUS,
    poor: float = 0.3,
    along: Along | None = None,
    allowed: Callable[[Array], bool] = lambda x: True,
    enough: Callable[[], bool] = lambda: False,
    near: bool = False,
) -> Solution:
    """Solve from ``start``; after so many iterations, or when ``enough`` says so, it is left at that.

    A step that leaves more than ``poor`` of the residual calls for a fresh Jacobian. Where a few derivatives
    come at the price of the residual, ``along`` gives them together: J is then renewed at every step in its
    row space D, which is all that the step feels, J ← J' D Dᵀ, and converges like Newton's. Steps
    to where ``allowed`` is false are refused like those that do not help. ``near`` stays as near to the start
    as it can instead of drawing x towards the origin.
    """
    search = _Search(residual, jacobian, start, known, along, accuracy, radius)
    reason, count = "", 0
    while not reason:
        if not np.isfinite(search.size):
            reason = "stalled"
        elif search.size <= accuracy:
            reason = "met"
        elif count >= iterations or enough():
            reason = "budget"
        else:
            reason = search.advance(poor, allowed, near=near)
            count += 1
    return search.solution(count, reason)


class _Search:
    """A solve on its way: where it is, the slope there, and how far that is trusted."""

    def __init__(
        self,
        residual: Residual,
        jacobian: Jacobian,
        start: Array,
        known: Known,
        along: Along | None,
        accuracy: float,
        radius: float,
    ) -> None:
        self.residual, self.jacobian, self.along = residual, jacobian, along
        self.everywhere, self.accuracy, self.radius = known.everywhere, accuracy, radius
        self.x = np.array(start, dtype=np.float64)
        self.j, self.across = known.jacobian, None
        self.evaluations, self.jacobians, self.refused = 1, 0, 0
        if along is not None and (known.jacobian is None or known.rough):
            self.across = None if known.jacobian is None else _row_space(known.jacobian)
            self.r, self.j = _renewed(along, self.x, self.across)
            self.jacobians = 1
        else:
            self.r = residual(self.x)
        self.fresh = self.j is not None and (known.jacobian is None or known.everywhere)
        self.size = _length(self.r)
        self.history = [self.size]

    def advance(self, poor: float, allowed: Callable[[Array], bool], *, near: bool) -> str:
        """Take or refuse one step; why there will be no other, or nothing."""
        j = self._slope()
        early = self.size > EARLY * self.history[0]
        step, predicted = _step(j, self.r, self.x, self.radius, spare=not near and early)
        after = self.x + step
        r_after, j_after = (
            self._measured(after, j) if allowed(after) else (np.full_like(self.r, np.inf), None)
        )
        self.evaluations += 1
        size_after = _length(r_after)
        better = bool(np.isfinite(size_after) and size_after < self.size)
        gain = self.size - size_after if better else 0.0
        reason = ""
        if self.fresh and self.size - predicted < 1e-3 * self.size and gain < 1e-3 * self.size:
            reason = "stationary"
            if better:
                self.x, self.r, self.size = after, r_after, size_after
                self.j = j if j_after is None else j_after
            else:
                self.radius = SHORTER * _length(step)
        elif better:
            self._take(step, after, r_after, j_after, predicted, poor)
        elif self.fresh:
            reason = self._shorten(step)
        else:
            self.j = None
        self.history.append(self.size)
        if not reason and len(self.history) > PATIENCE + 3 and self.size > SLOW * self.history[-PATIENCE - 1]:
            reason = "stationary"
        return reason

    def _slope(self) -> Array:
        if self.j is None:
            self.j, self.across = self.jacobian(self.x, self.r), None
            self.jacobians += 1
            self.fresh = True
        return self.j

    def _measured(self, after: Array, j: Array) -> tuple[Array, Array | None]:
        """The residual there, and the Jacobian where it comes along."""
        if self.along is None:
            return self.residual(after), None
        if self.across is None and not self.everywhere:
            self.across = _row_space(j)
        self.jacobians += 1
        if self.across is not None and _nearly(self.history, self.accuracy):
            across, self.across = self.across, None
            return _completed(self.along, after, j, across)
        return _renewed(self.along, after, self.across)

    def _take(
        self, step: Array, after: Array, r_after: Array, j_after: Array | None, predicted: float, poor: float
    ) -> None:
        """Go there. The region grows where the linear model was right, and shrinks where it promised too
        much."""
        moved, length, size_after = float(step @ step), _length(step), _length(r_after)
        if j_after is not None:
            self.j = j_after
        elif moved > 0 and self.j is not None:
            self.j = self.j + np.outer(r_after - self.r - self.j @ step, step) / moved
        worse = size_after > poor * self.size
        trust = (self.size - size_after) / max(self.size - predicted, 1e-300)
        if trust > 0.6:
            self.radius = max(self.radius, 2.5 * length)
        elif trust < 0.2:
            self.radius = max(0.5 * length, 1e-9)
        self.x, self.r, self.size = after, r_after, size_after
        self.fresh = j_after is not None and (self.everywhere or len(self.r) >= len(self.x))
        self.refused = 0
        if worse and self.size > self.accuracy and not self.fresh:
            self.j = None

    def _shorten(self, step: Array) -> str:
        """Refuse a step though the Jacobian was right; why there is no shorter one, or nothing."""
        self.refused += 1
        if self.refused >= PATIENCE:
            return "stationary"
        self.radius = SHORTER * _length(step)
        return "stalled" if self.radius < 1e-12 * max(1.0, _length(self.x)) else ""

    def solution(self, count: int, reason: str) -> Solution:
        """Where it ended: no step was taken that did not help."""
        j, told = self._slope(), tuple(self.history)
        return Solution(self.x, self.r, j, count, self.evaluations, self.jacobians, told, reason, self.radius)


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
