"""Hit the mark: change the kinematic motion so that its loosened version meets constraints at exact times."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from poise.constraints import Constraint, Report
from poise.curves import TangentCurve
from poise.errors import InputError, UnknownNameError
from poise.looseness import Keyed, Options, Spec
from poise.methods.loosen.hit.correction import Shape, build
from poise.methods.loosen.hit.problem import Problem, Start
from poise.methods.loosen.hit.report import LARGE, handed_out, looked_at, report, strays
from poise.methods.loosen.hit.solve import largest, size, solve
from poise.methods.loosen.loosen import Window, windows_of
from poise.methods.loosen.simulate.gains import inertia_of
from poise.methods.loosen.simulate.simulator import RunawayError, Simulator
from poise.motion import Clip, edit
from poise.solvers import Solution
from poise.watching import Cancel, Progress, watcher
from poise.workers import algebra_on_one_thread

METHODS = ("newton", "paper")
QUARTERS = 20
"""Times that the step is made a quarter where the animation itself runs away."""
FINER = 2
"""Times that a search is taken up in steps a quarter as long, where it led to motions that run away."""


class Result:
    """What was achieved. Hand it to the next call as ``start`` to go on from here."""

    def __init__(
        self, problem: Problem, solution: Solution, report: Report, setup: str, asked: Mapping[str, Any]
    ) -> None:
        self.problem, self.solution, self.report = problem, solution, report
        self.setup = setup
        """What was asked for beside the targets, to tell whether a next call may go on from here."""
        self.asked = asked
        """Shape, joints and method, as they were given."""

    @cached_property
    def correction(self) -> TangentCurve:
        """What was added to the kinematic motion."""
        layout = self.problem.layout
        return TangentCurve(layout.basis, layout.coefficients(self.solution.x))

    @cached_property
    def clip(self) -> Clip:
        """The dynamic motion that meets the constraints, or comes nearest; simulated when first asked for."""
        return handed_out(self.problem, self.solution.x)

    @cached_property
    def kinematic(self) -> Clip:
        """The corrected kinematic motion, before it is loosened."""
        return edit.apply(self.correction, self.problem.simulator.clip, wrap=self.problem.simulator.clip.loop)


@algebra_on_one_thread()
def hit(
    clip: Clip,
    constraints: Sequence[Constraint],
    tension: Spec | Keyed = "relaxed",
    window: Window = "auto",
    *,
    shape: Shape | float | Mapping[str, Shape] | None = None,
    joints: Sequence[str] | None = None,
    method: str = "newton",
    start: Result | None = None,
    iterations: int = 30,
    accuracy: float = 5e-9,
    scale: float = 1.0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **options: Any,
) -> Result:
    """Loosen a clip and still meet constraints on the dynamic motion.

    ``shape`` is the correction's width [s] or a ``Shape``, for all or by constraint name; ``joints`` limits
    it to matching joints (default: those each constraint feels, without the root). ``start`` continues from
    an earlier result with the same times: dragging a target. ``scale`` shortens the paper's steps (it
    suggests 0.8). ``progress`` is told the part of the ``iterations`` that is used up, ``cancel`` may end the
    call with ``CancelledError``. ``options`` are those of ``Options``.
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    if not constraints:
        raise InputError("there is nothing to hit: give at least one constraint")
    if iterations < 0 or not accuracy > 0:
        raise InputError(
            f"iterations must not be negative and accuracy must be positive, not {iterations} and {accuracy}"
        )
    began = time.perf_counter()
    setup = repr((tension, window, shape, joints, method, sorted(options.items())))

    tell = watcher("the search for the marks", progress, cancel)

    def solved(problem: Problem, begin: Start, *, nearest: bool = True) -> Solution:
        if method == "paper":
            from poise.methods.loosen.hit.published import iterate

            return iterate(problem, iterations=iterations, accuracy=accuracy, scale=scale, told=tell)
        return solve(problem, begin, iterations=iterations, accuracy=accuracy, nearest=nearest, told=tell)

    warm = start is not None and start.report.met and start.setup == setup
    if start is not None and warm and same_but_targets(start.problem, clip, constraints):
        problem = start.problem.retargeted(constraints)
        before = problem.simulator.simulations
        solution = solved(problem, Start(start.solution.x, start.solution.jacobian), nearest=False)
        if solution.reason != "met" or largest(problem, solution.x) > LARGE:
            # Dragged too far: an answer found afresh does not carry the way it came.
            afresh = solved(problem, problem.guess)
            if (afresh.reason == "met", -size(afresh)) >= (solution.reason == "met", -size(solution)):
                solution = afresh
    else:
        simulator = Simulator(clip, tension, Options(**options))
        shapes = shapes_of(shape, constraints, method)
        for _ in range(QUARTERS):  # ``finer`` refuses steps that are too small, before
            layout = build(simulator, constraints, shapes, joints, inertia_of(clip.character))
            problem = Problem(simulator, constraints, layout, windows_of(simulator, window))
            before = simulator.simulations
            try:
                begin = problem.guess
                break
            except RunawayError as lost:
                simulator = simulator.finer(lost.time)
        problem, solution = _as_shown(problem, solved(problem, begin), solved)
        before = min(before, problem.simulator.simulations)
    simulations = problem.simulator.simulations - before
    told = report(problem, solution, simulations, time.perf_counter() - began)
    return Result(problem, solution, told, setup, {"shape": shape, "joints": joints, "method": method})


def _as_shown(
    problem: Problem, solution: Solution, solved: Callable[[Problem, Start], Solution]
) -> tuple[Problem, Solution]:
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


def same_but_targets(problem: Problem, clip: Clip, constraints: Sequence[Constraint]) -> bool:
    """Whether an earlier problem differs from the new one in its targets alone."""
    old = problem.constraints
    return (
        problem.simulator.clip is clip
        and len(old) == len(constraints)
        and all(
            a.handle == b.handle
            and a.when == b.when
            and (a.rate, a.norm, a.priority) == (b.rate, b.norm, b.priority)
            for a, b in zip(old, constraints)
        )
    )


def shapes_of(
    shape: Shape | float | Mapping[str, Shape] | None, constraints: Sequence[Constraint], method: str
) -> list[Shape]:
    """The correction's shape for each constraint."""
    default = Shape(lead=0.0) if method == "paper" else Shape()
    if shape is None:
        return [default] * len(constraints)
    if isinstance(shape, Mapping):
        names = [c.name for c in constraints]
        for name in shape:
            if name not in names:
                raise UnknownNameError("constraint", name, names)
        return [shape.get(c.name, default) for c in constraints]
    if not isinstance(shape, Shape):
        shape = Shape(width=float(shape), lead=default.lead)
    return [shape] * len(constraints)
