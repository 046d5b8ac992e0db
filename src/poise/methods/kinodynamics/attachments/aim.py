"""Hit with what a bone carries: the skeleton's motion changes so that soft things are where they should be.

The unknowns are, as for skeletons, the coefficients of a correction curve on the animation; the residual is
measured on the clip that results, soft bodies swaying on it. A soft body is a *passive* system: it has no
muscles to correct, so the joints that carry it do.

A lateral push shorter than the body's own swing moves its tip the wrong way: with bells of standard
deviation σ and a slowest frequency f₁ the gain vanishes at f₁σ ≈ 0.1 and turns round below. Under 0.15 the
report warns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint, Report, outcome
from poise.curves import TangentCurve
from poise.errors import InputError, UnknownNameError
from poise.handles import AttachmentPoint, On, PointPosition
from poise.kinematics import Carried, Dressed
from poise.methods.kinodynamics.attachments.attachment import Attachment
from poise.methods.kinodynamics.attachments.sway import Sway, Window, sway, sway_of, windows_of
from poise.methods.kinodynamics.correction import Layout, Shape, build
from poise.methods.kinodynamics.reach import change_of_pose
from poise.methods.kinodynamics.residuals import Rows, weighted
from poise.methods.kinodynamics.simulator import Options, Simulator
from poise.methods.kinodynamics.solving import FARTHEST, size
from poise.methods.kinodynamics.tension import Keyed, Spec, inertia_of
from poise.motion import Clip, MeshClip, edit
from poise.solvers import Solution, least_norm
from poise.watching import Cancel, Progress, watcher

TRIAL = 1e-4
"""Change of a whitened unknown in trials."""
SLUGGISH = 0.15
"""f₁σ below which lateral corrections hardly reach the tip."""
PARTS = 7
"""Halvings in search of the smallest part of a correction."""
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


class Swung:
    """A motion and its attachments at the times that constraints ask for; each simulated once."""

    def __init__(self, problem: AttachedProblem, carrier: Clip) -> None:
        self.problem, self.carrier = problem, carrier
        self._motions: dict[str, Sway] = {}
        self._states: dict[str, Array] = {}

    def displacement(self, handle: AttachmentPoint, times: Array) -> Array:
        """How far a point is from its place at rest, in the bone's axes [m], (T, 3)."""
        name, place, problem = handle.attachment, np.array([handle.place]), self.problem
        every = problem.moments[name]
        if name not in self._states:
            motion = sway_of(self.carrier, problem.attachments[name], large=problem.large)
            frames = np.rint(every * self.carrier.fps).astype(np.int64)
            last = self.carrier.frames - 1
            frames = frames % (last + 1) if self.carrier.loop else np.clip(frames, 0, last)
            self._motions[name] = motion
            self._states[name] = motion.states(every, problem.windows[name][frames])
            problem.simulations += len(every)
        motion, states = self._motions[name], self._states[name][np.searchsorted(every, times)]
        return np.asarray(motion.local(states, motion.embedded(place))[:, 0] - place)


class AttachedProblem:
    """Constraints on poses and on what they carry, as a function of the correction's coefficients."""

    def __init__(
        self,
        clip: Clip,
        constraints: Sequence[Constraint],
        attachments: Sequence[Attachment],
        layout: Layout,
        *,
        tension: Spec | Keyed | None,
        skeleton_window: Any,
        window: Window,
        large: bool,
        options: Options,
    ) -> None:
        self.clip, self.constraints, self.layout = clip, tuple(constraints), layout
        self.attachments = {a.name: a for a in attachments}
        self.tension, self.options, self.large = tension, options, large
        self._skeleton = None if tension is None else self._skeleton_windows(skeleton_window)
        base = self.carrier(np.zeros(self.unknowns))
        self.windows = {a.name: windows_of(sway_of(base, a, large=large), window) for a in attachments}
        """Of each frame [s], by attachment."""
        self.rows = weighted(
            [Rows(c, c.when.times(clip), np.zeros(0, dtype=np.int64), None, 1.0) for c in self.constraints]
        )
        self.moments = {name: self._moments(name) for name in self.attachments}
        """Times at which each attachment is looked at [s]."""
        self.simulations = 0
        self.told: Callable[[], None] = lambda: None
        """Called before every trial; it may stop the search."""

    def _moments(self, name: str) -> Array:
        looked = [np.zeros(0)]
        for rows in self.rows:
            handle = rows.constraint.handle
            if isinstance(handle, AttachmentPoint) and handle.attachment == name:
                looked.append(rows.times)
        return np.unique(np.concatenate(looked))

    def _skeleton_windows(self, window: Any) -> Array:
        from poise.methods.kinodynamics.loosen import windows_of as skeleton_windows

        return skeleton_windows(Simulator(self.clip, self.tension or "relaxed", self.options), window)

    @property
    def unknowns(self) -> int:
        """How many."""
        return len(self.layout.unknowns[0])

    def curve(self, u: Array) -> TangentCurve:
        """The correction."""
        return TangentCurve(self.layout.basis, self.layout.coefficients(u))

    def animation(self, u: Array) -> Clip:
        """The clip with the correction applied at its frames."""
        return edit.apply(self.curve(u), self.clip, wrap=self.clip.loop) if np.any(u) else self.clip

    def carrier(self, u: Array) -> Clip:
        """The motion that carries attachments."""
        if self.tension is None or self._skeleton is None:
            return self.animation(u)
        simulator = Simulator(self.clip, self.tension, self.options, correction=self.curve(u))
        return self.clip.with_q(simulator.states(self.clip.times, self._skeleton)[0])

    def poses(self, swung: Swung, constraint: Constraint, times: Array) -> Dressed:
        """Poses at times, with the points of attachments the constraint speaks of."""
        moved: dict[Carried, Array] = {}
        handle = constraint.handle
        if isinstance(handle, AttachmentPoint):
            moved[handle.attachment, handle.place] = swung.displacement(handle, times)
        return Dressed(swung.carrier.character, swung.carrier.at(times), displacements=moved)

    def swung(self, u: Array) -> Swung:
        """A corrected motion with its attachments."""
        return Swung(self, self.carrier(u))

    def residual(self, u: Array) -> Array:
        """Weighted violations, (r,)."""
        self.told()
        swung = self.swung(u)
        parts = []
        for rows in self.rows:
            c, kin = rows.constraint, self.poses(swung, rows.constraint, rows.times)
            parts.append(rows.weight * c.violation(c.error(kin, rows.times)).ravel())
        return np.concatenate(parts)

    def jacobian(self, u: Array, r: Array) -> Array:
        """∂r/∂u by trials, (r, n)."""
        return self.along(u, None, r)[1]

    def along(self, u: Array, directions: Array | None, r: Array | None = None) -> tuple[Array, Array]:
        """r(u) and its derivatives along directions (n, k), (r, k), or along all unknowns."""
        r = self.residual(u) if r is None else r
        ways = np.eye(self.unknowns) if directions is None else directions
        changed = [(self.residual(u + TRIAL * way) - r) / TRIAL for way in ways.T]
        return r, np.stack(changed, axis=1)

    def guess(self) -> Array:
        """Unknowns from inverse kinematics, soft points fixed to their bones where they are, (n,)."""
        u = np.zeros(self.unknowns)
        swung = self.swung(u)
        function, dof = self.layout.unknowns
        for rows in self.rows:
            if len(rows.times) > 1:
                continue
            c, t = rows.constraint, float(rows.times[0])
            kin = self.poses(swung, c, rows.times)
            if isinstance(c.handle, AttachmentPoint):
                at = np.array(c.handle.place) + kin.displacements[c.handle.attachment, c.handle.place][0]
                x, y, z = at.tolist()
                c = c.replaced(handle=PointPosition(On(c.handle.bone, (x, y, z)), c.handle.axes))
            bell = int(np.argmax(np.abs(self.layout.basis.values(rows.times)[0])))
            scale = np.where(self.layout.free[bell], self.layout.scale, 0.0)
            change, _ = change_of_pose(self.clip.character, kin.q[0], [c], [rows.weight], t, scale)
            mine = function == bell
            u[mine] = change[dof[mine]] / self.layout.scale[dof[mine]]
        return u

    def largest(self, u: Array) -> float:
        """The largest coefficient of a correction [rad or m]."""
        return float(np.abs(self.layout.coefficients(u)).max(initial=0.0))


def hit_attached(
    clip: Clip,
    constraints: Sequence[Constraint],
    attachments: Sequence[Attachment],
    window: Window = "auto",
    *,
    tension: Spec | Keyed | None = None,
    skeleton_window: Any = "auto",
    shape: Shape | float | Mapping[str, Shape] | None = None,
    joints: Sequence[str] | None = None,
    large: bool = False,
    iterations: int = 12,
    accuracy: float = 1e-7,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **options: Any,
) -> AttachedResult:
    """Change a clip so that points of what it carries, or of itself, meet constraints at exact times.

    ``attachment.point("tip")`` is a handle for such constraints. The skeleton moves as animated, or loosened
    where a ``tension`` is given (``skeleton_window`` is then its window). ``window`` is the attachments',
    ``shape``, ``joints``, ``progress`` and ``cancel`` are as in ``hit``.
    """
    if not constraints:
        raise InputError("there is nothing to hit: give at least one constraint")
    if not attachments:
        raise InputError("nothing is attached: give at least one attachment (see attach)")
    began = time.perf_counter()
    names = [a.name for a in attachments]
    if len(set(names)) < len(names):
        raise InputError(f"attachments must have different names, not {', '.join(names)}")
    for c in constraints:
        if isinstance(c.handle, AttachmentPoint) and c.handle.attachment not in names:
            raise UnknownNameError("attachment", c.handle.attachment, names, where=c.name)
        if c.rate or c.handle.needs_velocity:
            raise InputError(f"{c.name}: velocities cannot be asked for beside attachments; ask for places")
    shapes = _shapes(shape, constraints, passive=tension is None)
    settings = Options(**options)
    simulator = Simulator(clip, tension or "relaxed", settings)
    layout = build(simulator, constraints, shapes, joints, inertia_of(clip.character))
    problem = AttachedProblem(
        clip, constraints, attachments, layout, tension=tension, skeleton_window=skeleton_window,
        window=window, large=large, options=settings,
    )  # fmt: skip

    tell, tried = watcher("the search for the marks", progress, cancel), count()
    trials = iterations * (problem.unknowns + 1)
    problem.told = lambda: tell(next(tried) / max(1, trials))

    def attempt(start: Array) -> Solution:
        return least_norm(
            problem.residual, problem.jacobian, start, accuracy=accuracy, iterations=iterations,
            along=problem.along, allowed=lambda u: problem.largest(u) < FARTHEST,
        )  # fmt: skip

    begin = problem.guess()
    solution = attempt(begin)
    if solution.reason != "met" and np.any(begin):
        # A guess may lead into a corner; from the animation itself the way may be free.
        solution = min(solution, attempt(np.zeros_like(begin)), key=size)
    if solution.reason == "met" and not any(c.equality for c in constraints):
        solution = _no_more_than_needed(problem, solution, accuracy)
    problem.told = lambda: None  # what the result is asked for later is nobody's search
    report = _report(problem, solution, shapes, time.perf_counter() - began)
    return AttachedResult(problem, solution, report)


def _no_more_than_needed(problem: AttachedProblem, solution: Solution, accuracy: float) -> Solution:
    """The smallest part of a correction that keeps to bounds: a step that crosses them goes farther."""
    low, high = 0.0, 1.0
    if not np.any(solution.x):
        return solution
    for _ in range(PARTS):
        middle = 0.5 * (low + high)
        kept = float(np.linalg.norm(problem.residual(middle * solution.x))) <= accuracy
        low, high = (low, middle) if kept else (middle, high)
    x = high * solution.x
    return replace(solution, x=x, residual=problem.residual(x))


def _shapes(
    shape: Shape | float | Mapping[str, Shape] | None, constraints: Sequence[Constraint], *, passive: bool
) -> list[Shape]:
    # What is carried hardly lags in slow motions; only loosened joints need to be led.
    default = Shape(lead=0.0 if passive else None)
    if isinstance(shape, Mapping):
        names = [c.name for c in constraints]
        for name in shape:
            if name not in names:
                raise UnknownNameError("constraint", name, names)
        return [shape.get(c.name, default) for c in constraints]
    if shape is not None and not isinstance(shape, Shape):
        shape = Shape(width=float(shape), lead=default.lead)
    return [shape or default] * len(constraints)


def _report(problem: AttachedProblem, solution: Solution, shapes: Sequence[Shape], seconds: float) -> Report:
    swung = problem.swung(solution.x)
    outcomes = [
        outcome(r.constraint, problem.poses(swung, r.constraint, r.times), r.times) for r in problem.rows
    ]
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
