"""How a problem of inverse kinodynamics is solved: least norm where it can be met, else the nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.methods.kinodynamics.inverse import Problem, Start
from poise.solvers import Solution, least_norm, renewed, settle

FARTHEST = 2.5
"""No correction [rad] beyond this is tried where targets cannot be met."""


def solve(
    problem: Problem, begin: Start, *, iterations: int, accuracy: float, nearest: bool = True
) -> Solution:
    """The least-norm solution, or where none exists the nearest (if that is of use: it takes its time)."""

    def allowed(x: Array) -> bool:
        return largest(problem, x) < FARTHEST

    if any(len(rows.times) > 1 for rows in problem.rows):
        # Bells cannot follow every frame of an interval to the last digit: well within tolerance is enough.
        near = [
            rows.weight * rows.constraint.tolerance_for(problem.character) * np.sqrt(len(rows.times))
            for rows in problem.rows
        ]
        accuracy = max(accuracy, 0.25 * float(min(near)))
    along = problem.linearised if problem.trials.cheap(problem.measure.rows) else None

    def attempt(begin: Start) -> Solution:
        known = begin.jacobian
        if known is not None and begin.rough:
            known = renewed(along, begin.u, known)[1] if along is not None else None
        return least_norm(
            problem.residual,
            problem.jacobian,
            begin.u,
            known=known,
            accuracy=accuracy,
            iterations=iterations,
            poor=0.4,
            along=along,
            allowed=allowed,
            near=begin.rough and known is not None,
        )

    nothing = Start(np.zeros_like(begin.u))
    solution = attempt(begin if allowed(begin.u) else nothing)
    if not nearest:
        return solution
    if solution.reason != "met" and iterations and np.any(begin.u):
        # A guess may lead into a corner; from the animation itself the way may be free.
        solution = min(solution, attempt(nothing), key=size)
    if solution.reason != "met" and iterations:
        # Out of reach there are valleys, and which one leads lowest is not known before.
        bound = 0.999 * FARTHEST / problem.layout.scale[problem.layout.unknowns[1]]
        starts = {x.tobytes(): x for x in (solution.x, np.clip(begin.u, -bound, bound), nothing.u)}
        ends = (settle(problem.linearised, replace(solution, x=x), bound=bound) for x in starts.values())
        solution = min(solution, *ends, key=size)
    if solution.reason != "met" and len({c.priority for c in problem.constraints}) > 1:
        solution = _first_things_first(problem, solution, accuracy, allowed)
    return solution


def _first_things_first(
    problem: Problem, solution: Solution, accuracy: float, allowed: Callable[[Array], bool]
) -> Solution:
    """The nearest correction for which the strongest priority holds exactly, whatever weaker ones lose."""
    top = problem.foremost()
    exact = least_norm(
        top.residual, top.jacobian, solution.x, accuracy=accuracy, iterations=8, near=True, allowed=allowed
    )
    if exact.reason != "met":
        return solution
    r, j = problem.linearised(exact.x)
    return replace(
        solution, x=exact.x, residual=r, jacobian=j, iterations=solution.iterations + exact.iterations
    )


def size(solution: Solution) -> float:
    """|r|"""
    return float(np.linalg.norm(solution.residual))


def largest(problem: Problem, u: Array) -> float:
    """The largest coefficient of a correction [rad or m]."""
    return float(np.abs(problem.layout.coefficients(u)).max(initial=0.0))
