"""The search for a correction, and beside it the passes that bring held places to where they must be.

Instants are met by correction curves (``solve``), places over intervals by anchors (``holding``). Where both
are asked for, each is found with what the other came to, in turn, until all hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint
from poise.curves import TangentCurve
from poise.errors import UnknownNameError
from poise.methods.loosen.hit.correction import build
from poise.methods.loosen.hit.hold import Hold, anchors_of, hold_of, is_hold, stretched
from poise.methods.loosen.hit.holding import PASSES, Holding, Settled
from poise.methods.loosen.hit.problem import Problem, Start
from poise.methods.loosen.hit.report import looked_at, strays
from poise.methods.loosen.hit.seen import measured
from poise.methods.loosen.simulate.gains import inertia_of
from poise.methods.loosen.simulate.simulator import RunawayError, Simulator
from poise.operations.hit import Hit
from poise.operations.values.bell import Bell
from poise.solvers import Solution

WIDTH = 1.0
"""Of a correction [s], unless told otherwise."""
QUARTERS = 20
"""Times that the step is made a quarter where the animation itself runs away."""
FINER = 2
"""Times that a search is taken up in steps a quarter as long, where it led to motions that run away."""


TURNS = 4
"""Times that instants are searched for beside holds, and holds brought back beside what was found."""


class Solver(Protocol):
    """What solves a problem, from a start."""

    def __call__(self, problem: Problem, begin: Start, *, nearest: bool = True) -> Solution: ...


def searched(
    simulator: Simulator,
    constraints: Sequence[Constraint],
    asked: Hit,
    windows: Array,
    solved: Solver,
    *,
    passes: int = PASSES,
    moved: Callable[[Sequence[Hold]], Sequence[Hold]] = tuple,
) -> tuple[Problem, Solution]:
    """What meets constraints best: instants, and places held over intervals.

    ``moved`` may aim holds better to begin with; they get so many ``passes``.
    """
    clip = simulator.clip
    kept = [c for c in constraints if _by_anchor(c, simulator, asked)]
    if not kept:
        return aimed(simulator, constraints, asked, windows, solved)
    shapes = dict(zip(map(id, constraints), bells_of(asked, constraints)))
    holds = [hold_of(c, clip, shapes[id(c)]) for c in kept]
    long = stretched(windows, holds)
    holding = Holding(simulator, holds, long)
    now = holding.settled(moved(holds), passes=passes)
    rest = [c for c in constraints if c not in kept]
    if not rest:
        found = _held_alone(simulator, constraints, asked, long, now)
    else:
        found = _in_turns(holding, now, rest, asked, long, solved)
        problem, solution = found
        problem.asked = tuple(constraints)
        if passes == PASSES and not all(measured(c, looked_at(problem, solution.x)).met for c in rest):
            # A hold gives nothing: what is in its way is weighed against it by correction curves alone.
            other = aimed(simulator, constraints, asked, windows, solved)
            if _missed(*other) < _missed(problem, solution):
                return other
    found[0].spent = simulator.simulations
    return found


def _by_anchor(constraint: Constraint, simulator: Simulator, asked: Hit) -> bool:
    """Whether a constraint is held by an anchor: a place over an interval, of a body that joints carry."""
    if asked.method == "paper" or asked.joints is not None or not is_hold(constraint, simulator.clip):
        return False
    hold = hold_of(constraint, simulator.clip, Bell())
    return hold.body > 0


def _held_alone(
    simulator: Simulator, constraints: Sequence[Constraint], asked: Hit, windows: Array, now: Settled
) -> tuple[Problem, Solution]:
    """Settled places and nothing else: no correction."""
    own = simulator.like(holds=anchors_of(now.holds))
    layout = build(own, constraints, bells_of(asked, constraints), None, inertia_of(own.clip.character))
    problem = Problem(own, constraints, layout, windows)
    problem.holds = now.holds
    x, rows = np.zeros(problem.unknowns), problem.measure.rows
    reason, passes = "met" if now.fine else "stalled", len(now.history)
    none = np.zeros((rows, len(x)))
    return problem, Solution(x, np.zeros(rows), none, passes, passes, 0, now.history, reason)


def _in_turns(
    holding: Holding,
    now: Settled,
    rest: Sequence[Constraint],
    asked: Hit,
    windows: Array,
    solved: Solver,
) -> tuple[Problem, Solution]:
    """Instants beside holds, and holds beside the correction that instants need."""
    simulator = holding.simulator
    problem, solution = aimed(simulator.like(holds=anchors_of(now.holds)), rest, asked, windows, solved)
    for turn in range(TURNS):
        layout = problem.layout
        now = holding.settled(now.holds, TangentCurve(layout.basis, layout.coefficients(solution.x)))
        own = problem.simulator.like(holds=anchors_of(now.holds))
        problem = Problem(own, rest, layout, windows)
        problem.holds = now.holds
        if len(now.history) <= 1 or turn == TURNS - 1:  # they were where they must be, and stay
            break
        solution = solved(problem, Start(solution.x, solution.jacobian), nearest=False)
    return problem, replace(solution, residual=problem.residual(solution.x))


def _missed(problem: Problem, solution: Solution) -> tuple[float, ...]:
    """How much is missed, in tolerances, by priority."""
    clip = looked_at(problem, solution.x)
    out = dict.fromkeys(sorted({c.priority for c in problem.asked}), 0.0)
    for c in problem.asked:
        fate = measured(c, clip)
        out[c.priority] += 0.0 if fate.met else c.weight * (fate.error / fate.tolerance) ** 2
    return tuple(out.values())


def aimed(
    simulator: Simulator, constraints: Sequence[Constraint], asked: Hit, windows: Array, solved: Solver
) -> tuple[Problem, Solution]:
    """The search by correction curves alone, beside what the simulator holds."""
    bells = bells_of(asked, constraints)
    for _ in range(QUARTERS):  # ``finer`` refuses steps that are too small, before
        layout = build(simulator, constraints, bells, asked.joints, inertia_of(simulator.clip.character))
        problem = Problem(simulator, constraints, layout, windows)
        try:
            begin = problem.guess
            break
        except RunawayError as lost:
            simulator = simulator.finer(lost.time)
    return _as_shown(problem, solved(problem, begin), solved)


def _as_shown(problem: Problem, solution: Solution, solved: Solver) -> tuple[Problem, Solution]:
    """A solution whose states are those that its clip shows; where no clip can show it, no correction.

    What runs away is simulated for the clip in smaller steps: then the search goes on in these too.
    """
    for _ in range(FINER):
        lost = strays(problem, solution.x)
        if lost is None:
            return problem, solution
        try:
            simulator = problem.simulator.finer(lost)
        except RunawayError:
            break
        problem = Problem(simulator, problem.constraints, problem.layout, problem.all_windows)
        solution = solved(problem, Start(solution.x))
    try:
        looked_at(problem, solution.x)
    except RunawayError:
        x = np.zeros(problem.unknowns)
        r, j = problem.linearised(x)
        solution = replace(solution, x=x, residual=r, jacobian=j, reason="stalled")
    return problem, solution


def bells_of(asked: Hit, constraints: Sequence[Constraint]) -> list[Bell]:
    """The correction's shape for each constraint."""
    names = [c.name for c in constraints]
    for name in asked.widths:
        if name not in names:
            raise UnknownNameError("constraint", name, names)
    lead = 0.0 if asked.method == "paper" else None  # as published

    def made(given: Bell | float | None) -> Bell:
        if isinstance(given, Bell):
            return given
        return Bell(width=WIDTH if given is None else float(given), lead=lead)

    return [made(asked.widths.get(name, asked.width)) for name in names]
