"""How a problem of inverse kinodynamics is solved: least norm where it can be met, else the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.methods.loosen.hit.problem import Problem, Start
from poise.solvers import Known, Solution, least_norm, settle
from poise.watching import Progress

FARTHEST = 2.5
"""No correction [rad] beyond this is tried where targets cannot be met."""
ALIKE = 0.01
"""Valleys whose ends differ by no more than this part are taken for the same."""
MORE = 6
"""Random starts where they are not."""
EXACTLY = 8
"""Steps from a correction that weighs everything to one for which what counts most holds exactly."""
WORK = 2.5e8
"""Steps times degrees of freedom simulated in a search: some seconds. Motions that run away are simulated in
steps a quarter as long, and again, and would take minutes."""
FINE = 1e-3
"""Such steps are finer than anybody's [s]."""


def solve(
    problem: Problem,
    begin: Start,
    *,
    iterations: int,
    accuracy: float,
    nearest: bool = True,
    told: Progress = lambda part: None,
) -> Solution:
    """The least-norm solution, or where none exists the nearest (if that is of use: it takes its time)."""
    heard = _Heard(problem, told, max(1, iterations))

    def allowed(x: Array) -> bool:
        return largest(problem, x) < FARTHEST

    if any(len(rows.times) > 1 for rows in problem.rows):
        # Bells cannot follow every frame of an interval to the last digit: well within tolerance is enough.
        near = [
            rows.weight * rows.constraint.tolerance_for(problem.character) * np.sqrt(len(rows.times))
            for rows in problem.rows
        ]
        accuracy = max(accuracy, 0.25 * float(min(near)))
    along = heard.linearised if problem.cheap else None

    def attempt(begin: Start) -> Solution:
        known = None if begin.rough and along is None else begin.jacobian
        return least_norm(
            heard.residual,
            heard.jacobian,
            begin.u,
            known=Known(known, begin.rough, begin.everywhere),
            accuracy=accuracy,
            iterations=iterations,
            poor=0.4,
            along=along,
            allowed=allowed,
            enough=heard.enough,
            near=(begin.rough and known is not None) or begin.everywhere,
            radius=begin.radius,
        )

    nothing = Start(np.zeros_like(begin.u))
    solution = attempt(begin if allowed(begin.u) else nothing)
    if not nearest:
        return solution
    if solution.reason != "met" and iterations and np.any(begin.u) and not heard.enough():
        # A guess may lead into a corner; from the animation itself the way may be free.
        solution = min(solution, attempt(nothing), key=size)
    if solution.reason != "met" and iterations:
        solution = _nearest(heard, solution, (begin.u, nothing.u))
    if solution.reason != "met" and len({c.priority for c in problem.constraints}) > 1:
        solution = _first_things_first(heard, solution, accuracy)
    return solution


class _Heard:
    """A problem whose evaluations are counted, and told of before each."""

    def __init__(self, problem: Problem, told: Progress, iterations: int) -> None:
        self.problem, self.told, self.iterations = problem, told, iterations
        self.count = 0
        self._before = problem.simulator.simulations

    @property
    def work(self) -> float:
        """Steps times degrees of freedom simulated so far."""
        simulator = self.problem.simulator
        steps = float(np.mean(self.problem.all_windows)) / simulator.h
        return (simulator.simulations - self._before) * steps * self.problem.character.nv

    def enough(self) -> bool:
        """Whether that is more than a search in such fine steps may cost: nobody asks for these, motions
        that run away do."""
        return self.problem.simulator.h < FINE and self.work > WORK

    def _tell(self) -> None:
        self.told(self.count / self.iterations)
        self.count += 1

    def residual(self, u: Array) -> Array:
        self._tell()
        return self.problem.residual(u)

    def jacobian(self, u: Array, r: Array) -> Array:
        self._tell()
        return self.problem.jacobian(u, r)

    def linearised(self, u: Array, along: Array | None = None) -> tuple[Array, Array]:
        self._tell()
        return self.problem.linearised(u, along)


def _nearest(heard: _Heard, solution: Solution, starts: Sequence[Array]) -> Solution:
    """The lowest of the valleys that lead down from where the solution got to and from other starts.

    Where these end at different heights there may be more valleys: then some random starts are tried too.
    Places held over intervals leave little choice of valleys, and each costs a simulation per unknown and
    frame: there the way goes on from where it led.
    """
    bound = 0.999 * FARTHEST / heard.problem.layout.size

    def end(x: Array) -> Solution:
        left = int((WORK - heard.work) * heard.count / max(heard.work, 1.0))  # such evaluations as so far
        begun = replace(solution, x=x)
        return (
            settle(heard.linearised, begun, bound=bound, iterations=min(60, left // 2))
            if left > 5
            else solution
        )

    held = any(len(rows.times) > 1 for rows in heard.problem.rows)
    ends = [solution, *(end(x) for x in ((solution.x,) if held else (solution.x, *starts)))]
    heights = [size(s) for s in ends[1:]]
    if max(heights) > (1 + ALIKE) * min(heights):
        rng = np.random.default_rng(0)
        ends += [end(rng.normal(scale=0.3, size=len(bound))) for _ in range(MORE)]
    return min(ends, key=size)


def _first_things_first(heard: _Heard, solution: Solution, accuracy: float) -> Solution:
    """The nearest correction for which the strongest priority holds exactly, whatever weaker ones lose."""
    exact = exactly(heard.problem.foremost(), solution, accuracy, heard.told)
    if exact.reason != "met":
        return solution
    r, j = heard.problem.linearised(exact.x)
    return replace(
        solution, x=exact.x, residual=r, jacobian=j, iterations=solution.iterations + exact.iterations
    )


def exactly(
    problem: Problem, solution: Solution, accuracy: float, told: Progress = lambda part: None
) -> Solution:
    """The nearest correction to a solution's for which a problem holds exactly, in a few steps."""
    heard = _Heard(problem, told, EXACTLY)
    return least_norm(
        heard.residual, heard.jacobian, solution.x, accuracy=accuracy, iterations=EXACTLY, near=True,
        allowed=lambda x: largest(problem, x) < FARTHEST, enough=heard.enough,
    )  # fmt: skip


def size(solution: Solution) -> float:
    """|r|"""
    return float(np.linalg.norm(solution.residual))


def largest(problem: Problem, u: Array) -> float:
    """The largest coefficient of a correction [rad or m]."""
    return float(np.abs(u * problem.layout.size).max(initial=0.0))
