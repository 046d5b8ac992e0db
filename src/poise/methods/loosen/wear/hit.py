"""Hit with what a bone carries: the skeleton's motion changes so that soft things are where they should be.

The unknowns are, as for skeletons, the coefficients of a correction curve on the animation; the residual is
measured on the clip that results, soft bodies swaying on it. A soft body is a *passive* system: it has no
muscles to correct, so the joints that carry it do. In each iteration a soft point's offset on its bone is
taken to be linear in the unknowns, its slope measured with all that sways; what the joints do is exact.

A lateral push shorter than the body's own swing moves its tip the wrong way: with bells of standard
deviation σ and a slowest frequency f₁ the gain vanishes at f₁σ ≈ 0.1 and turns round below. Under 0.15 the
report warns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from poise.constraints import Constraint, Report, outcome
from poise.errors import InputError, UnknownNameError
from poise.handles import AttachmentPoint
from poise.kernels.compile_log import working_time
from poise.methods.loosen.hit.correction import build
from poise.methods.loosen.hit.solve import FARTHEST
from poise.methods.loosen.simulate.gains import inertia_of
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.wear.attachment import Attachment
from poise.methods.loosen.wear.hit_problem import AttachedProblem
from poise.methods.loosen.wear.sway import sway
from poise.motion import Clip, MeshClip
from poise.operations.loosen import Loosen
from poise.operations.values.bell import Bell
from poise.operations.wear import Wear
from poise.solvers import Solution, least_norm_through, least_norm_within
from poise.watching import Cancel, Progress, watcher
from poise.workers import algebra_on_one_thread

NEAR_ENOUGH = 5e-6
"""What counts as met [m]: a two-hundredth of a millimetre; of velocities ten times as much [m/s]."""
SLUGGISH = 0.15
"""f₁σ below which lateral corrections hardly reach the tip."""
SIGMAS = 6.0
"""A bell's width in standard deviations."""


class AttachedResult:
    """What was achieved."""

    def __init__(self, problem: AttachedProblem, solution: Solution, report: Report) -> None:
        self.problem, self.solution, self.report = problem, solution, report
        self.correction = problem.curve(solution.x)
        """What was added to the animation."""

    @cached_property
    def kinematic(self) -> Clip:
        """The corrected animation."""
        return self.problem.animation(self.solution.x)

    @cached_property
    def clip(self) -> Clip:
        """The corrected motion that carries the attachments: loosened, where a tension was given."""
        return self.problem.carrier(self.solution.x)

    def mesh(self, attachment: str = "") -> MeshClip:
        """The moving mesh of an attachment (of the only one, where there is one)."""
        names = list(self.problem.attachments)
        name = attachment or names[0]
        if name not in self.problem.attachments:
            raise UnknownNameError("attachment", name, names)
        worn = self.problem.attachments[name]
        return sway(self.clip, worn, self.problem.windows[name], large=self.problem.large)


@algebra_on_one_thread()
def hit_attached(
    clip: Clip,
    constraints: Sequence[Constraint],
    attachments: Sequence[Attachment],
    asked: Wear,
    *,
    loose: Loosen | None = None,
    width: Bell | float | Mapping[str, Bell] | None = None,
    iterations: int = 12,
    accuracy: float = NEAR_ENOUGH,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AttachedResult:
    """Change a clip so that points of what it carries, or of itself, meet constraints at exact times.

    ``attachment.point("tip")`` is a handle for such constraints. The skeleton moves as animated, or loosened
    as ``loose`` says. ``width`` is that of corrections where it differs from what was asked. An iteration is
    one simulation of the corrected motion. With ``rate`` a constraint asks for a velocity.
    """
    if not constraints:
        raise InputError("there is nothing to hit: give at least one constraint")
    if not attachments:
        raise InputError("nothing is attached: give at least one attachment (see attach)")
    began = working_time()
    names = [a.name for a in attachments]
    if len(set(names)) < len(names):
        raise InputError(f"attachments must have different names, not {', '.join(names)}")
    for c in constraints:
        if isinstance(c.handle, AttachmentPoint) and c.handle.attachment not in names:
            raise UnknownNameError("attachment", c.handle.attachment, names, where=c.name)
    shapes = _shapes(asked.width if width is None else width, constraints, passive=loose is None)
    settings = loose or Loosen()
    simulator = Simulator(clip, settings.spec, settings)
    layout = build(simulator, constraints, shapes, asked.joints, inertia_of(clip.character))
    problem = AttachedProblem(
        clip, constraints, attachments, layout, loose=loose, window=asked.window, large=asked.large
    )  # fmt: skip

    tell, tried = watcher("the search for the marks", progress, cancel), count()
    trials = iterations + 1 + 2 * problem.unknowns  # slopes are found anew once or twice
    problem.told = lambda: tell(next(tried) / trials)
    start = np.zeros(problem.unknowns)
    how: dict[str, Any] = {
        "accuracy": accuracy, "iterations": iterations, "allowed": lambda u: problem.largest(u) < FARTHEST,
    }  # fmt: skip
    solution = None
    if all(np.all(np.asarray(c.lower) < np.asarray(c.upper)) for c in constraints):
        solution = least_norm_within(problem.states, problem.margins, start, **how)
    if solution is None or solution.reason != "met":
        solution = least_norm_through(problem.states, problem.measure, start, **how)
    problem.told = lambda: None  # what the result is asked for later is nobody's search
    report = _report(problem, solution, shapes, working_time() - began)
    return AttachedResult(problem, solution, report)


def _shapes(
    shape: Bell | float | Mapping[str, Bell] | None, constraints: Sequence[Constraint], *, passive: bool
) -> list[Bell]:
    # What is carried hardly lags in slow motions; only loosened joints need to be led.
    default = Bell(lead=0.0 if passive else None)
    if isinstance(shape, Mapping):
        names = [c.name for c in constraints]
        for name in shape:
            if name not in names:
                raise UnknownNameError("constraint", name, names)
        return [shape.get(c.name, default) for c in constraints]
    if shape is not None and not isinstance(shape, Bell):
        shape = Bell(width=float(shape), lead=default.lead)
    return [shape or default] * len(constraints)


def _report(problem: AttachedProblem, solution: Solution, shapes: Sequence[Bell], seconds: float) -> Report:
    z = problem.states(solution.x)[None]
    outcomes = [outcome(r.constraint, problem.poses(z, r), r.times) for r in problem.rows]
    warnings = []
    for c, shape in zip(problem.constraints, shapes):
        if isinstance(c.handle, AttachmentPoint):
            slow = float(problem.attachments[c.handle.attachment].frequencies[0])
            product = slow * shape.width / SIGMAS
            if product < SLUGGISH:
                warnings.append(
                    f"{c.name}: a correction {shape.width:g} s wide is too quick for {c.handle.attachment}, "
                    f"which swings at {slow:.2g} Hz (f₁σ = {product:.2f}): below {SLUGGISH} sideways pushes "
                    f"hardly reach it; give a width of {SIGMAS * SLUGGISH * 1.7 / slow:.2g} s or more"
                )
    most = problem.largest(solution.x)
    met = all(o.met for o in outcomes)
    message = {"budget": "iterations used up", "stalled": "no further progress"}.get(
        solution.reason, "as near as it gets"
    )
    return Report(
        outcomes=tuple(outcomes),
        iterations=solution.iterations,
        simulations=problem.simulations,
        seconds=seconds,
        message="all met" if met else message,
        warnings=tuple(warnings),
        details={"history": list(solution.history), "jacobians": solution.jacobians, "largest": most},
    )
