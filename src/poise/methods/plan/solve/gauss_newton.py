"""Least effort that meets the keys: minimise F = ½|y|² + γ |C(y)|².

The Hessian is 1 + 2γ JᵀJ + S, where S = 2γ Σ C_i ∇²C_i is what Gauss and Newton leave out. Keys of a warped
motion bend a lot, and without S the search crawls; it is learnt from the change of J along the way (a
structured secant, after Dennis, Gay and Welsch): with s the last step and c = 2γ C after it,

    S s = (J₊ − J)ᵀ c.

Exponentials wrap round: a step turns no bone by more than ``reach``, and γ grows in stages, so that a motion
first finds its way and then hits. A step that is too long is shortened to where a parabola through what is
known along it is least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from poise.arrays import Array

PASSING = 1e-4
"""Tolerance of the stages before the last."""
TRIES = 20
"""Lengths of a step that are tried; the first at most halves each time."""
SHORTEST = 1e-4
"""Part of a step at which its direction is given up."""


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
    bend: Array
    """S, as it was learnt."""


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
    bend: Array | None = None,
    reach: float = 0.5,
    tolerance: float = 1e-8,
    most: int = 60,
    told: Callable[[], None] = lambda: None,
) -> Solved:
    """From ``start`` through the stages of γ, until no step promises more than ``tolerance`` of F.

    ``bend`` is what is known of S before; ``told`` is called at every step.
    """
    y = start.copy()
    c, j = problem.rows(y)
    s = np.zeros((y.size, y.size)) if bend is None else bend
    if not len(c):  # nothing is asked: no effort is best
        return Solved(0 * y, c, 0.0, 0.0, 0, True, s)
    total, converged, objective = 0, False, 0.0
    for stage, gamma in enumerate(gammas):
        stop = tolerance if stage == len(gammas) - 1 else max(tolerance, PASSING)
        objective, converged = _objective(y, c, gamma), False
        slope = y + 2 * gamma * (c @ j)
        if stage:
            s = s * (0.1 * gamma / gammas[stage - 1])  # residuals shrink as γ grows
        for _ in range(most):
            total += 1
            told()
            step = _step(j, s, slope, gamma)
            downhill = float(slope @ step)
            if -0.5 * downhill <= stop * objective:
                converged = True
                break
            length = min(1.0, reach / max(problem.turn(step), 1e-12))
            for _ in range(TRIES):
                trial = y + length * step
                found = _tried(problem, trial, gamma)
                if found <= objective + 1e-4 * length * downhill or length < SHORTEST:
                    break
                least = -0.5 * downhill * length / ((found - objective) / length - downhill)
                length = max(0.1 * length, min(0.5 * length, least))
            if not found <= objective:
                converged = not s.any()  # nothing better along the best direction there is
                if converged:
                    break
                s = np.zeros_like(s)
                continue
            c, j2 = problem.rows(trial)
            pull = 2 * gamma * c
            slope2 = trial + pull @ j2
            s = _learnt(s, length * step, pull @ j2 - pull @ j, slope2 - slope)
            y, j, objective, slope = trial, j2, found, slope2
    return Solved(y, c, objective, 0.5 * float(y @ y), total, converged, s)


def _objective(y: Array, c: Array, gamma: float) -> float:
    return 0.5 * float(y @ y) + gamma * float(c @ c)


def _tried(problem: Problem, y: Array, gamma: float) -> float:
    """F; infinite so far from anything sensible that C has no value."""
    try:
        found = _objective(y, problem.values(y), gamma)
    except np.linalg.LinAlgError:
        return np.inf
    return found if np.isfinite(found) else np.inf


def _step(j: Array, s: Array, slope: Array, gamma: float) -> Array:
    """The Newton step, or Gauss's where what was learnt would lead uphill."""
    from scipy.linalg.lapack import dposv

    told = j[j.any(axis=1)]  # most bounds are kept and say nothing
    plain = 2 * gamma * (told.T @ told)
    plain.flat[:: len(slope) + 1] += 1.0
    _, step, failed = dposv(plain + s, -slope, overwrite_a=1)
    if failed:
        _, step, failed = dposv(plain, -slope, overwrite_a=1)
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
