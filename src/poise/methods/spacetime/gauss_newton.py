"""Least effort that meets the keys: minimise F = ½|y|² + γ |C(y)|².

The Hessian is 1 + 2γ JᵀJ + S, where S = 2γ Σ C_i ∇²C_i is what Gauss and Newton leave out. Keys of a warped
motion bend a lot, and without S the search crawls; it is learnt from the change of J along the way (a
structured secant, after Dennis, Gay and Welsch): with s the last step and c = 2γ C after it,

    S s = (J₊ − J)ᵀ c.

A step is that of H + μ, with μ as large as the last steps were worse than H had promised (Levenberg and
Marquardt; efforts y are all of one kind, so μ needs no scales). Exponentials wrap round: a step turns no bone
by more than ``reach``, and γ grows in stages, so that a motion first finds its way and then hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from poise.arrays import Array


PASSING = 1e-3
"""Tolerance of the stages before the last."""
HOPELESS = 1e8
"""Damping at which a direction is given up."""


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
) -> Solved:
    """From ``start`` through the stages of γ, until no step promises more than ``tolerance`` of F.

    ``bend`` is what is known of S before.
    """
    y = start.copy()
    c, j = problem.rows(y)
    s = np.zeros((y.size, y.size)) if bend is None else bend
    if not len(c):  # nothing is asked: no effort is best
        return Solved(0 * y, c, 0.0, 0.0, 0, True, s)
    total, converged, objective, damping = 0, False, 0.0, 0.0
    for stage, gamma in enumerate(gammas):
        stop = tolerance if stage == len(gammas) - 1 else max(tolerance, PASSING)
        objective, converged = _objective(y, c, gamma), False
        slope = y + 2 * gamma * (c @ j)
        if stage:
            s = s * (0.1 * gamma / gammas[stage - 1])  # residuals shrink as γ grows
        for _ in range(most):
            total += 1
            hessian = _hessian(j, s, gamma)
            ratio = -1.0
            while ratio < 1e-3 and damping < HOPELESS:
                step = _step(hessian, slope, damping)
                step *= min(1.0, reach / max(problem.turn(step), 1e-12))
                promised = -float(slope @ step) - 0.5 * float(step @ hessian @ step)
                converged = promised <= stop * objective and damping <= 1.0
                if converged:
                    break
                trial = y + step
                found = _tried(problem, trial, gamma)
                ratio = (objective - found) / max(promised, 1e-300)
                if ratio < 0.25:
                    damping = max(4 * damping, 1.0)
                elif ratio > 0.7:
                    damping = 0.2 * damping if damping > 0.1 else 0.0
            if converged:
                break
            if ratio < 1e-3:
                converged = not s.any()  # nothing better along the best direction there is
                if converged:
                    break
                s, damping = np.zeros_like(s), 0.0
                continue
            c, j2 = problem.rows(trial)
            pull = 2 * gamma * c
            slope2 = trial + pull @ j2
            s = _learnt(s, step, pull @ j2 - pull @ j, slope2 - slope)
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


def _hessian(j: Array, s: Array, gamma: float) -> Array:
    """With what was learnt, or Gauss's where that would lead uphill."""
    from scipy.linalg.lapack import dpotrf

    plain = 2 * gamma * (j.T @ j)
    plain.flat[:: len(s) + 1] += 1.0
    whole = plain + s
    return plain if dpotrf(whole)[1] else whole


def _step(hessian: Array, slope: Array, damping: float) -> Array:
    """−(H + μ)⁻¹ g."""
    from scipy.linalg.lapack import dposv

    shifted = hessian.copy()
    shifted.flat[:: len(slope) + 1] += damping
    _, step, failed = dposv(shifted, -slope, overwrite_a=1)
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
