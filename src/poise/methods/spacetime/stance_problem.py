"""The keys of a stance as functions of the unknowns of its splines.

    θ(t) = Θ̂ ω(t) + e(t),    y_h = Σ_i exp(θ_i) b_hi + const,    ẏ_h = Σ_i ∂exp(θ_i)[θ̇_i] b_hi

Derivatives by modal positions and velocities follow in closed form; a mode's state depends on its own
unknowns only, so the Jacobian by the unknowns is those derivatives times a few numbers per mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from poise.arrays import Array
from poise.methods.spacetime.exponential import Turned, turned
from poise.methods.spacetime.footing import Footing
from poise.methods.spacetime.joint_limits import only_negative
from poise.methods.spacetime.modal_spline import ModalSpline
from poise.methods.spacetime.momentum import Moments
from poise.methods.spacetime.rows import Rows
from poise.methods.spacetime.start_state import StartState


class Bound(Protocol):
    """Further rows: joint limits, the ground that only pushes."""

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J, zero where the bound is kept."""


class StanceProblem:
    """Residuals C(y) and their Jacobian."""

    def __init__(
        self,
        footing: Footing,
        spline: ModalSpline,
        start: StartState,
        duration: float,
        asked: Sequence[Rows],
        never_below: Sequence[Rows] = (),
        bounds: Sequence[Bound] = (),
        guides: Sequence[Rows] = (),
    ) -> None:
        self.bounds = list(bounds)
        self.footing, self.spline, self.start, self.duration = footing, spline, start, duration
        self.asked, self.never_below = list(asked), list(never_below)
        self.instants = [*self.asked, *guides, *self.never_below]
        times = np.array([rows.time for rows in self.instants])
        sampled = spline.sample(times)
        low = spline.steered
        self._by_unknown = sampled.by_unknown  # (T, low, 2, d)
        self._turning = np.ascontiguousarray(footing.turning[:, :low])  # (3n, low)
        extra, extra_rate = start.left_over(times, duration)
        n = footing.figure.bones
        base = np.einsum("bm,tma->tba", footing.turning, sampled.fixed)  # (T, 3n, 2)
        self._angles = base[..., 0].reshape(-1, n, 3) + extra
        self._rates = base[..., 1].reshape(-1, n, 3) + extra_rate
        self._handles = [footing.warp.handle(rows.columns) for rows in self.instants]
        self._spinning = [k for k, rows in enumerate(self.instants) if rows.momentum]

    def turn(self, step: Array) -> float:
        """The largest turn of a bone that a step makes at any instant [rad]."""
        moved = np.einsum("tnd,nd->tn", self._by_unknown[:, :, 0], step.reshape(self.spline.steered, -1))
        turns = (moved @ self._turning.T).reshape(-1, 3)
        return float(np.sqrt((turns**2).sum(axis=1).max(initial=0.0)))

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C (r,) and J (r, unknowns)."""
        unknowns = y.reshape(self.spline.steered, -1)
        states = np.einsum("tnad,nd->tna", self._by_unknown, unknowns)  # (T, low, 2)
        shape = self._angles.shape
        angles = self._angles + (states[..., 0] @ self._turning.T).reshape(shape)
        rates = self._rates + (states[..., 1] @ self._turning.T).reshape(shape)
        now = turned(angles, rates)
        spins: dict[int, Moments] = {}
        if self._spinning:
            found = self.footing.momentum.gradients(Turned(*(a[self._spinning] for a in now)))
            spins = {k: Moments(*(a[i : i + 1] for a in found)) for i, k in enumerate(self._spinning)}
        residuals, jacobians = [], []
        for k, asked in enumerate(self.instants):
            r, by_position, by_velocity = self._instant(k, asked, Turned(*(a[k] for a in now)), spins.get(k))
            s = self._by_unknown[k]  # (low, 2, d)
            j = by_position[:, :, None] * s[:, 0] + by_velocity[:, :, None] * s[:, 1]
            j = j.reshape(len(r), -1)
            if k >= len(self.instants) - len(self.never_below):
                r, j = only_negative(r, j)
            residuals.append(r)
            jacobians.append(j)
        for bound in self.bounds:
            r, j = bound.rows(y)
            residuals.append(r)
            jacobians.append(j)
        if not residuals:
            return np.zeros(0), np.zeros((0, y.size))
        return np.concatenate(residuals), np.concatenate(jacobians)

    def _instant(self, k: int, asked: Rows, now: Turned, spin: Moments | None) -> tuple[Array, Array, Array]:
        """r (r,) and its derivatives by modal positions and velocities, each (r, low)."""
        b, constant = self._handles[k]
        y, dy, by_angle, rate_by_angle = images(now, b)
        y = y + constant.T
        along, second = by_angle @ self._turning, rate_by_angle @ self._turning  # (3h, low)
        by_position = asked.place @ along + asked.rate @ second
        by_velocity = asked.rate @ along
        angular, inertia = np.zeros(3), np.zeros((3, 3))
        if spin is not None:
            angular, inertia = spin.angular[0], spin.inertia[0]
            turning = np.einsum("abk,b->ak", spin.inertia_by_angle[0], asked.spin_rate)
            by_position = by_position + asked.spin @ (spin.angular_by_angle[0] - turning) @ self._turning
            by_velocity = by_velocity + asked.spin @ spin.angular_by_rate[0] @ self._turning
        return asked.aimed(y, dy, angular, inertia), by_position, by_velocity


def images(now: Turned, b: Array) -> tuple[Array, Array, Array, Array]:
    """Σ exp(θ_i) b_i of columns b (3n, h) for one instant, its rate (h, 3), and both by θ, (3h, 3n)."""
    n, h = len(now.value), b.shape[1]
    arms = b.reshape(n, 3, h)
    y = (now.value @ arms).sum(axis=0).T
    dy = (now.rate @ arms).sum(axis=0).T
    by_angle = (now.by_angle.reshape(n, 9, 3) @ arms).reshape(n, 3, 3, h)  # (n, k, axis, h)
    rate_by_angle = (now.rate_by_angle.reshape(n, 9, 3) @ arms).reshape(n, 3, 3, h)
    shape = (3 * h, 3 * n)
    return (
        y,
        dy,
        by_angle.transpose(3, 2, 0, 1).reshape(shape),
        rate_by_angle.transpose(3, 2, 0, 1).reshape(shape),
    )
