"""What a solved segment can be asked: poses at any time, velocities, and how well its keys are met."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints.report import Outcome
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.spacetime.affine_figure import AffineFigure
from poise.methods.spacetime.rows import Rows

UNITS = {
    "position": "m",
    "velocity": "m/s",
    "orientation": "rad",
    "angular_velocity": "rad/s",
    "angular_momentum": "kg·m²/s",
}
_STENCIL = np.array([25 / 12, -4.0, 3.0, -4 / 3, 1 / 4])
"""Fourth-order one-sided difference: x'(0) h from x(0), x(−h) … x(−4h)."""


class MotionPiece(ABC):
    """A segment that has been solved; times count from its start."""

    name: str
    duration: float
    character: Character
    iterations: int
    effort: float
    """½ ∫ |f|² of the linear model."""
    facts: dict[str, Any]

    @abstractmethod
    def pose(self, times: Array) -> Array:
        """True poses in the world (T, nq)."""

    @abstractmethod
    def outcomes(self, begins: float) -> list[Outcome]:
        """How each key of the exported motion is met."""

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
        h = min(2e-3, self.duration / 40)
        sign = np.where(times >= 4 * h, -1.0, 1.0)
        q = self.pose((times[:, None] + sign[:, None] * h * np.arange(5)).ravel()).reshape(len(times), 5, -1)
        away = self.character.manifold.minus(q, q[:, :1])
        return q[:, 0], -sign[:, None] * np.einsum("k,tkv->tv", _STENCIL, away) / h

    @cached_property
    def _known(self) -> dict[float, tuple[Array, Array]]:
        return {}

    @cached_property
    def truth(self) -> list[Array]:
        """What is left of the rows of each asked instant in the exported motion."""
        times = np.array([rows.time for rows in self._asked])
        if times.size:
            for time, q, v in zip(times.tolist(), *self.states(times)):
                self._known[time] = q, v
        return [self.true_residual(rows) for rows in self._asked]

    @property
    @abstractmethod
    def _asked(self) -> list[Rows]:
        """The rows of each instant with keys."""

    @abstractmethod
    def true_residual(self, rows: Rows) -> Array:
        """What is left of rows in the exported motion."""

    @property
    def worst(self) -> float:
        """The largest error of a key of the exported motion, over its tolerance."""
        found = [0.0]
        for rows, residual in zip(self._asked, self.truth):
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
