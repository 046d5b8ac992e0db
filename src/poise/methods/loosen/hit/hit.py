"""Hit the mark: change the kinematic motion so that its loosened version meets constraints at exact times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import msgspec
import numpy as np

from poise.constraints import Constraint, Report
from poise.curves import TangentCurve
from poise.errors import InputError, UnknownNameError
from poise.kernels.compile_log import working_time
from poise.methods.loosen.hit.correction import build
from poise.methods.loosen.hit.problem import Problem, Start
from poise.methods.loosen.hit.report import LARGE, handed_out, looked_at, report, strays
from poise.methods.loosen.hit.solve import largest, size, solve
from poise.methods.loosen.simulate.gains import inertia_of
from poise.methods.loosen.simulate.simulator import RunawayError, Simulator
from poise.methods.loosen.window.windows import windows_of
from poise.motion import Clip, edit
from poise.operations.frozen_data import encoded
from poise.operations.hit import Hit
from poise.operations.result import Result
from poise.operations.values.bell import Bell
from poise.solvers import Solution
from poise.watching import Cancel, Progress, watcher
from poise.workers import algebra_on_one_thread

WIDTH = 1.0
"""Of a correction [s], unless told otherwise."""
QUARTERS = 20
"""Times that the step is made a quarter where the animation itself runs away."""
FINER = 2
"""Times that a search is taken up in steps a quarter as long, where it led to motions that run away."""


class HitResult(Result):
    """What was achieved. Hand it to the next call as ``start`` to go on from here."""

    def __init__(
        self, problem: Problem, solution: Solution, report: Report, asked: Hit, clip: Clip | None = None
    ) -> None:
        super().__init__(clip, report)
        self.problem, self.solution = problem, solution
        self.footing = problem.simulator.clip
        self.asked = asked
        """What was asked for, to tell whether a next call may go on from here."""

    @cached_property
    def correction(self) -> TangentCurve:
        """What was added to the kinematic motion."""
        layout = self.problem.layout
        return TangentCurve(layout.basis, layout.coefficients(self.solution.x))

    @property
    def demands(self) -> tuple[Constraint, ...]:
        return self.problem.constraints

    @property
    def clip(self) -> Clip:
        """The dynamic motion that meets the constraints, or comes nearest; simulated when first asked for."""
        if self._clip is None:
            self._clip = handed_out(self.problem, self.solution.x)
        return self._clip

    @cached_property
    def kinematic(self) -> Clip:
        """The corrected kinematic motion, before it is loosened."""
        return edit.apply(self.correction, self.problem.simulator.clip, wrap=self.problem.simulator.clip.loop)

    def drag(self, constraints: Sequence[Constraint], last: HitResult | None = None) -> HitResult:
        """Other targets or times, at once: see ``drag``."""
        from poise.methods.loosen.hit.drag import drag

        return drag(self, constraints, last)


@algebra_on_one_thread()
def hit(
    clip: Clip,
    constraints: Sequence[Constraint],
    asked: Hit,
    *,
    start: HitResult | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> HitResult:
    """Loosen a clip and still meet constraints on the dynamic motion.

    ``start`` continues from an earlier result with the same times: dragging a target. ``progress`` is told
    the part of the iterations that is used up, ``cancel`` may end the call with ``CancelledError``.
    """
    if not constraints:
        raise InputError("there is nothing to hit: give at least one constraint")
    began = working_time()
    tell = watcher("the search for the marks", progress, cancel)

    def solved(problem: Problem, begin: Start, *, nearest: bool = True) -> Solution:
        most, near = asked.iterations, asked.accuracy
        if asked.method == "paper":
            from poise.methods.loosen.hit.published import iterate

            return iterate(problem, iterations=most, accuracy=near, scale=asked.scale, told=tell)
        return solve(problem, begin, iterations=most, accuracy=near, nearest=nearest, told=tell)

    warm = start is not None and start.report.met and _setup(start.asked) == _setup(asked)
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
        simulator = Simulator(clip, asked.spec, asked)
        bells = bells_of(asked, constraints)
        for _ in range(QUARTERS):  # ``finer`` refuses steps that are too small, before
            layout = build(simulator, constraints, bells, asked.joints, inertia_of(clip.character))
            problem = Problem(simulator, constraints, layout, windows_of(simulator, asked.window))
            before = simulator.simulations
            try:
                begin = problem.guess
                break
            except RunawayError as lost:
                simulator = simulator.finer(lost.time)
        problem, solution = _as_shown(problem, solved(problem, begin), solved)
        before = min(before, problem.simulator.simulations)
    simulations = problem.simulator.simulations - before
    told = report(problem, solution, simulations, working_time() - began)
    return HitResult(problem, solution, told, asked)


def _setup(asked: Hit) -> bytes:
    """What was asked for beside the targets."""
    return encoded(msgspec.structs.replace(asked, constraints=()))


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
