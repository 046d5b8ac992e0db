"""Least effort that meets the keys: minimise F = ½|y|² + γ |C(y)|².

The Hessian is 1 + 2γ JᵀJ + S, where S = 2γ Σ C_i ∇²C_i is what Gauss and Newton leave out. Keys of a warped
motion bend a lot, and without S the search crawls; it is learnt from the change of J along the way (a
structured secant, after Dennis, Gay and Welsch): with s the last step and c = 2γ C after it,

    S s = (J₊ − J)ᵀ c.

Exponentials wrap round: a step turns no bone by more than ``reach``, and γ grows in stages, so that a motion
first finds its way and then hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from poise.arrays import Array


@dataclass(frozen=True)
class Solved:
    """Where the search ended."""

    y: Array
    residual: Array
    objective: float
    """½|y|² + γ|C|²."""
    effort: float
    """½|y|²."""
    iterations: int
    converged: bool


class Problem(Protocol):
    """What is searched."""

    def values(self, y: Array) -> Array:
        """C."""

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J."""

    def turn(self, step: Array) -> float:
        """The largest turn of a bone that a step makes [rad]."""


def solve(
    problem: Problem,
    start: Array,
    gammas: Sequence[float],
    *,
    reach: float = 0.5,
    tolerance: float = 1e-8,
    most: int = 60,
) -> Solved:
    """From ``start``, through the stages of γ."""
    y = start.copy()
    c, j = problem.rows(y)
    if not len(c):  # nothing is asked: no effort is best
        return Solved(0 * y, c, 0.0, 0.0, 0, True)
    total, converged, objective = 0, False, 0.0
    bend = np.zeros((y.size, y.size))
    for stage, gamma in enumerate(gammas):
        stop = tolerance if stage == len(gammas) - 1 else 1e-3
        objective, converged = _objective(y, c, gamma), False
        slope = y + 2 * gamma * (c @ j)
        bend *= gamma / gammas[max(stage - 1, 0)] * 0.1 if stage else 0.0  # residuals shrink as γ grows
        for _ in range(most):
            total += 1
            step = _step(j, bend, slope, gamma)
            downhill = float(slope @ step)
            length = min(1.0, reach / max(problem.turn(step), 1e-12))
            while True:
                trial = y + length * step
                try:
                    found = _objective(trial, problem.values(trial), gamma)
                except np.linalg.LinAlgError:  # so far from anything sensible that it has no value
                    found = np.inf
                if found <= objective + 1e-4 * length * downhill or length < 1e-4:
                    break
                length *= 0.5
            if not found <= objective:
                if not bend.any():
                    converged = bool(np.isfinite(found))  # nothing better along the best direction there is
                    break
                bend[:] = 0.0
                continue
            c2, j2 = problem.rows(trial)
            pull = 2 * gamma * c2
            slope2 = trial + pull @ j2
            bend = _learnt(bend, length * step, pull @ j2 - pull @ j, slope2 - slope)
            gain = objective - found
            y, c, j, objective, slope = trial, c2, j2, found, slope2
            if gain <= stop * max(objective, 1e-12) and length >= 0.5:
                converged = True
                break
    return Solved(y, c, objective, 0.5 * float(y @ y), total, converged)


def _objective(y: Array, c: Array, gamma: float) -> float:
    return 0.5 * float(y @ y) + gamma * float(c @ c)


def _step(j: Array, bend: Array, slope: Array, gamma: float) -> Array:
    """The Newton step, or Gauss's where what was learnt would lead uphill."""
    from scipy.linalg.lapack import dposv

    plain = 2 * gamma * (j.T @ j)
    plain.flat[:: len(slope) + 1] += 1.0
    _, step, failed = dposv(plain + bend, -slope)
    if failed:
        _, step, failed = dposv(plain, -slope)
    if failed:
        raise np.linalg.LinAlgError("the search ran away")
    return np.asarray(step)


def _learnt(bend: Array, s: Array, along: Array, change: Array) -> Array:
    """S after a step s for which S s should be ``along``; ``change`` is that of the whole gradient."""
    curved = float(change @ s)
    if curved <= 1e-12 * float(np.linalg.norm(change) * np.linalg.norm(s)):
        return bend
    known = bend @ s
    size = abs(float(s @ known))
    if size > 0:
        bend = bend * min(1.0, abs(float(s @ along)) / size)
        known = bend @ s
    off = along - known
    both = np.outer(off, change)
    return bend + (both + both.T) / curved - float(off @ s) / curved**2 * np.outer(change, change)
