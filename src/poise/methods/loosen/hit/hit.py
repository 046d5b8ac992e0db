"""Hit the mark: change the kinematic motion so that its loosened version meets constraints at exact times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from poise.constraints import Constraint, Report
from poise.curves import TangentCurve
from poise.errors import InputError
from poise.handles import PointPosition
from poise.kernels.compile_log import working_time
from poise.methods.loosen.hit.giving_room import with_room
from poise.methods.loosen.hit.limits import kept_within
from poise.methods.loosen.hit.problem import Problem, Start
from poise.methods.loosen.hit.report import LARGE, handed_out, report
from poise.methods.loosen.hit.search import bells_of, searched
from poise.methods.loosen.hit.seen import measured
from poise.methods.loosen.hit.solve import largest, size, solve
from poise.methods.loosen.simulate.plants import Plant, plants_of
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.windows import windows_of
from poise.motion import Clip, edit
from poise.operations.frozen_data import encoded
from poise.operations.hit import Hit
from poise.operations.result import Result
from poise.solvers import Solution
from poise.watching import Cancel, Progress, watcher
from poise.workers import algebra_on_one_thread

FIGURES = 5
"""In a picture, unless more is hit."""


class HitResult(Result):
    """What was achieved. Hand it to the next call as ``start`` to go on from here.

    Examples:
        >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
        >>> hit = poise.hit(poise.clips.get("punch"), [mark], "loose")
        >>> print(hit.met, hit.correction)
    """

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
        return self.problem.asked

    def measured_on(self, clip: Clip) -> Report:
        """By what is seen, as it was aimed."""
        said: Report = self.report
        pairs = zip((measured(c, clip) for c in self.problem.asked), said.outcomes, strict=True)
        now = tuple(after if after.met else replace(after, reason=was.reason) for after, was in pairs)
        return replace(said, outcomes=now)

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

    def drawn(self) -> dict[str, Any]:
        """A picture shows the frames at which something is hit, the first as its hero, and the way there."""
        clip = self.clip
        hits = [round(o.worst_time * clip.fps) for o in self.report.outcomes]
        hits = [k % clip.frames if clip.loop else min(max(k, 0), clip.frames - 1) for k in hits]
        frames = np.linspace(0, clip.frames - 1, FIGURES).round().astype(int).tolist()
        for hit_ in sorted(set(hits)):  # each takes the place of the evenly spaced one that is nearest
            others = [k for k in frames if k not in hits]
            if others:
                frames.remove(min(others, key=lambda k: abs(k - hit_)))
            frames.append(hit_)
        frames = sorted(set(frames))
        held = {c.handle.point for c in self.problem.asked if isinstance(c.handle, PointPosition)}
        own: dict[str, Any] = {"frames": frames, "hero": frames.index(hits[0])}
        if len(set(hits)) > 1:
            own["offset"] = 0.0  # all in their places, as their targets are
        trails = sorted(point for point in held if isinstance(point, str))
        return super().drawn() | own | ({"trails": trails} if trails else {})

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
    plants: tuple[Plant, ...] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> HitResult:
    """Loosen a clip and still meet constraints on the dynamic motion.

    ``start`` continues from an earlier result with the same times: dragging a target. ``plants``: parts that
    touch, and when, where that is known; else it is found in the clip. ``progress`` is told the part of the
    iterations that is used up, ``cancel`` may end the call with ``CancelledError``.
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

    warm = start is not None and plants is None and start.report.met and not start.problem.holds
    warm = warm and start is not None and not start.problem.beside and _setup(start.asked) == _setup(asked)
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
        if asked.contacts:
            found = plants_of(clip) if plants is None else plants
            plants = with_room(found, clip, constraints, bells_of(asked, constraints))
        begun = Simulator(clip, asked.spec, asked, plants=plants)
        windows = windows_of(begun, asked.window)
        early = begun.simulations
        problem, solution = searched(begun, constraints, asked, windows, solved)
        if asked.method != "paper" and not problem.holds:  # as published; holds need no correction
            problem, solution = kept_within(problem, solution, asked, solved)
        before = early if problem.simulator is begun or problem.holds else 0
    simulations = problem.simulator.simulations + problem.spent - before
    told = report(problem, solution, simulations, working_time() - began)
    return HitResult(problem, solution, told, asked)


def _setup(asked: Hit) -> bytes:
    """What was asked for beside the targets."""
    return encoded(msgspec.structs.replace(asked, constraints=()))


def same_but_targets(problem: Problem, clip: Clip, constraints: Sequence[Constraint]) -> bool:
    """Whether an earlier problem differs from the new one in its targets alone."""
    old = problem.asked
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
