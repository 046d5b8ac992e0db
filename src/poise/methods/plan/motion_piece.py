"""What a solved segment can be asked: poses at any time, velocities, and how well its keys are met."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.constraints.report import Outcome
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.limits.floor import TOLERANCE
from poise.methods.plan.model.affine_figure import AffineFigure
from poise.methods.plan.model.ground_frame import GroundFrame
from poise.methods.plan.model.linear_dynamics import Footing
from poise.methods.plan.model.start_state import StartState
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.solve.gauss_newton import Solved
from poise.methods.plan.solve.refinement import Problem
from poise.methods.plan.solve.rows import Rows
from poise.motion import Clip

UNITS = {
    "position": "m",
    "velocity": "m/s",
    "orientation": "rad",
    "angular_velocity": "rad/s",
    "angular_momentum": "kg·m²/s",
}
BRIEF = 2.5e-4
"""Step of differences of a motion whose third derivative jumps [s]."""
_STENCIL = np.array([25 / 12, -4.0, 3.0, -4 / 3, 1 / 4])
"""Fourth-order one-sided difference: x'(0) h from x(0), x(−h) … x(−4h)."""


class MotionPiece(ABC):
    """A segment that has been solved; times count from its start."""

    def __init__(
        self,
        name: str,
        duration: float,
        footing: Footing,
        frame: GroundFrame,
        start: StartState,
        problem: Problem,
        solved: Solved,
    ) -> None:
        self.name, self.duration = name, duration
        self.footing, self.frame, self.start = footing, frame, start
        self.character = footing.figure.character
        self._problem, self.solved = problem, solved
        self.iterations = solved.iterations
        self.effort = solved.effort
        """½ ∫ |f|² of the linear model."""
        self.facts: dict[str, Any] = {}

    @abstractmethod
    def pose(self, times: Array) -> Array:
        """True poses in the world (T, nq)."""

    @abstractmethod
    def reason(self) -> str:
        """Why keys that are missed may be so."""

    def outcomes(self, begins: float) -> list[Outcome]:
        """How each key of the exported motion is met, and the ground."""
        found, reason = [], self.reason()
        for rows, residual in zip(self._problem.asked, self.truth):
            found += judged(rows, residual, begins, self.name, reason)
        if (floor := self._problem.floor) is not None:
            found.append(floor.outcome(self._cleared(floor.looked_at), begins, self.name))
        return found

    def outcomes_of(self, begins: float, motion: Callable[[Array], Array]) -> list[Outcome]:
        """How each key is met by another motion, told by its poses (T, nq) at times [s] (T,)."""
        found, asked = [], self._problem.asked
        times = np.array([rows.time for rows in asked])
        if not times.size:
            return []
        changed = self._differenced(times, lambda own: motion(begins + own), BRIEF)
        for rows, q, v in zip(asked, *changed):
            own = self.state(rows.time)
            self._known[rows.time] = q, v
            found += judged(rows, self.true_residual(rows), begins, self.name, self.reason())
            self._known[rows.time] = own
        return found

    @property
    def keys(self) -> tuple[tuple[float, PartialKey], ...]:
        """Keys and when they are, after its start [s]."""
        found = {
            (rows.time, id(group.key)): (float(rows.time), group.key)
            for rows in self._problem.asked
            for group in rows.groups
        }
        return tuple(found.values())

    def off_the_curve(self, begins: float, clip: Clip) -> list[str]:
        """Keys that the motion meets at their time, but not the clip's own curve between two frames."""
        found = []
        for rows, residual in zip(self._problem.asked, self.truth):
            time, (q, v) = begins + rows.time, self.state(rows.time)
            self._known[rows.time] = clip.at(time), v
            shown = self.true_residual(rows)
            self._known[rows.time] = q, v
            for group in rows.groups:
                if group.error(residual) <= group.tolerance < group.error(shown):
                    found.append(
                        f"{self.name}: {group.quantity.replace('_', ' ')} of {group.key.of} at {time:.3f} s "
                        f"falls between two frames, where the clip's own curve is off by "
                        f"{group.error(shown):.2g} {UNITS[group.quantity]}; a higher rate comes nearer"
                    )
        return found

    def angles(self, times: Array) -> Array:
        """Turns θ that the linear motion asks of the bones [rad] (T, n, 3)."""
        states = self._problem.spline.states(times, self.solved.y)
        said = states[..., 0] @ self.footing.turning.T
        return said.reshape(len(times), -1, 3) + self.start.left_over(times, self.duration)[0]

    @property
    def end(self) -> tuple[Array, Array]:
        """Pose (nq,) and velocity (nv,) with which it ends."""
        return self.state(self.duration)

    def state(self, time: float) -> tuple[Array, Array]:
        """Pose (nq,) and velocity (nv,) at a time."""
        if time not in self._known:
            q, v = self.states(np.array([time]))
            self._known[time] = q[0], v[0]
        return self._known[time]

    def states(self, times: Array) -> tuple[Array, Array]:
        """Poses (T, nq) and velocities (T, nv), from poses before each time (or after, near the start)."""
        return self._differenced(times, self.pose, min(2e-3, self.duration / 40))

    def _differenced(self, times: Array, pose: Callable[[Array], Array], h: float) -> tuple[Array, Array]:
        sign = np.where(times >= 4 * h, -1.0, 1.0)
        q = pose((times[:, None] + sign[:, None] * h * np.arange(5)).ravel()).reshape(len(times), 5, -1)
        away = self.character.manifold.minus(q, q[:, :1])
        return q[:, 0], -sign[:, None] * np.einsum("k,tkv->tv", _STENCIL, away) / h

    @cached_property
    def _known(self) -> dict[float, tuple[Array, Array]]:
        return {}

    @cached_property
    def truth(self) -> list[Array]:
        """What is left of the rows of each asked instant in the exported motion."""
        times = np.array([rows.time for rows in self._problem.asked])
        if times.size:
            for time, q, v in zip(times.tolist(), *self.states(times)):
                self._known[time] = q, v
        return [self.true_residual(rows) for rows in self._problem.asked]

    @cached_property
    def clearance(self) -> Array:
        """How far soles are from what is there in the exported motion [m] (T, s); empty if nobody asked."""
        floor = self._problem.floor
        return np.zeros((0, 0)) if floor is None else self._cleared(floor.times)

    def _cleared(self, times: Array) -> Array:
        floor = self._problem.floor
        assert floor is not None  # else nobody asks
        return floor.soles.clearance(Kinematics(self.character, self.pose(times)), floor.world, times)

    @abstractmethod
    def true_residual(self, rows: Rows) -> Array:
        """What is left of rows in the exported motion."""

    @property
    def worst(self) -> float:
        """The largest error of a key of the exported motion, or of the ground, over its tolerance."""
        found = [0.0, -float(self.clearance.min(initial=0.0)) / TOLERANCE]
        for rows, residual in zip(self._problem.asked, self.truth):
            found += [group.error(residual) / group.tolerance for group in rows.groups]
        return max(found)


def true_residual(figure: AffineFigure, rows: Rows, q: Array, v: Array) -> Array:
    """The residual of rows in a true pose (nq,) and velocity (nv,), in the figure's own frame."""
    kin = Kinematics(figure.character, q, v)
    turns = kin.rotations[0] @ np.swapaxes(figure.rotations, 1, 2)
    rates = so3.hat(kin.velocities[0, :, 3:]) @ turns
    y = _image(rows.columns, kin.positions[0, 0], turns)
    dy = _image(rows.columns, kin.velocities[0, 0, :3], rates)
    if not rows.momentum:
        return rows.residual(y, dy, np.zeros(3), np.zeros((3, 3)))
    return rows.residual(y, dy, kin.momentum[0, 3:], kin.inertia[0])


def _image(columns: Array, root: Array, turns: Array) -> Array:
    """𝐖 a for all columns, (h, 3)."""
    arms = columns[1:].reshape(len(turns), 3, -1)
    return columns[0][:, None] * root + (turns @ arms).sum(axis=0).T


def judged(rows: Rows, residual: Array, begins: float, segment: str, reason: str) -> list[Outcome]:
    """One outcome per quantity of each key, from what is left of its rows."""
    found = []
    for group in rows.groups:
        error = group.error(residual)
        word = group.quantity.replace("_", " ")
        wanted = getattr(group.key, group.quantity)
        found.append(
            Outcome(
                name=f"{segment}: {word} of {group.key.of}",
                when=f"{begins + rows.time:.3f} s",
                wanted=tuple(float("nan") if x is None else float(x) for x in wanted),
                got=(),
                error=error,
                unit=UNITS[group.quantity],
                tolerance=group.tolerance,
                met=bool(error <= group.tolerance),
                worst_time=begins + rows.time,
                reason="" if error <= group.tolerance else reason,
            )
        )
    return found
