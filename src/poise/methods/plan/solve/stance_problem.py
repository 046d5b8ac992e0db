"""The keys of a stance as functions of the unknowns of its splines.

    θ(t) = Θ̂ ω(t) + e(t),    y_h = Σ_i exp(θ_i) b_hi + const,    ẏ_h = Σ_i ∂exp(θ_i)[θ̇_i] b_hi

Derivatives by modal positions and velocities follow in closed form; see :mod:`.bone_turns` for those by the
unknowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from poise.arrays import Array
from poise.manifold.symmetric import INDEX
from poise.methods.plan.limits.floor import Floor
from poise.methods.plan.model.bone_rotations import BoneTurns
from poise.methods.plan.model.exponential import Turned, rotations, turned
from poise.methods.plan.model.start_state import Stretch
from poise.methods.plan.solve.rows import Rows
from poise.methods.plan.solve.stacked_rows import StackedRows


class Bound(Protocol):
    """Further rows: joint limits, the ground that only pushes."""

    def values(self, y: Array) -> Array:
        """C, zero where the bound is kept."""

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J, zero where the bound is kept."""


class StanceProblem:
    """Residuals C(y) and their Jacobian."""

    def __init__(
        self,
        stretch: Stretch,
        asked: Sequence[Rows],
        bounds: Sequence[Bound] = (),
        guides: Sequence[Rows] = (),
        floor: Floor | None = None,
    ) -> None:
        self.stretch = stretch
        self.footing, self.spline, self.start, self.duration = stretch
        self.asked, self.bounds = list(asked), list(bounds)
        self.instants = [*self.asked, *guides]
        self.stack = StackedRows(self.footing.warp, self.instants, honest=len(self.asked))
        self.lead = np.zeros(sum(len(rows.target) for rows in self.asked))
        """Rows aim beyond their targets by this much, to make up for what true poses lose."""
        times = np.array([rows.time for rows in self.instants])
        self.turns = BoneTurns(stretch, times)
        self.floor = floor
        """Of one of the bounds."""

    def turn(self, step: Array) -> float:
        """The largest turn of a bone that a step makes at any instant [rad]."""
        return self.turns.largest(step)

    def values(self, y: Array) -> Array:
        """C (r,)."""
        turns, rates = rotations(*self.turns.at(y))
        own = self._residual(turns, rates)
        which = self.stack.spinning
        if which.size:
            inertia, angular = self.footing.momentum.values(turns[which], rates[which])
            own[self.stack.spinning_rows] += self._spun(angular, inertia)
        return np.concatenate([own, *(bound.values(y) for bound in self.bounds)])

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C (r,) and J (r, unknowns)."""
        stack = self.stack
        now = turned(*self.turns.at(y))
        c = self._residual(now.value, now.rate)
        along, second = (g @ self.turns.turning for g in stack.gradients(now))  # (3H, low)
        by_velocity = stack.rate @ along
        by_position = stack.place @ along + stack.rate @ second  # (R, low)
        if stack.spinning.size:
            found = self.footing.momentum.gradients(Turned(*(a[stack.spinning] for a in now)))
            c[stack.spinning_rows] += self._spun(found.angular, found.inertia)
            by_mode = found.gradients @ self.turns.turning  # (S, 12, low)
            wanted = stack.spin_rate[stack.spinning]
            turning = np.einsum("sabm,sb->sam", by_mode[:, INDEX], wanted)
            of_row, weights = stack.spinning_place, stack.spin[stack.spinning_rows, None]
            by_position[stack.spinning_rows] += (weights @ (by_mode[:, 6:9] - turning)[of_row])[:, 0]
            by_velocity[stack.spinning_rows] += (weights @ by_mode[:, 9:][of_row])[:, 0]
        s = self.turns.by_unknown[stack.instant_of_row]  # (R, low, 2, d)
        j = by_position[:, :, None] * s[:, :, 0] + by_velocity[:, :, None] * s[:, :, 1]
        bounds = [bound.rows(y) for bound in self.bounds]
        return (
            np.concatenate([c, *(r for r, _ in bounds)]),
            np.concatenate([j.reshape(stack.size, y.size), *(j for _, j in bounds)]),
        )

    def _residual(self, turns: Array, rates: Array) -> Array:
        y, dy = self.stack.images(turns, rates)
        c = self.stack.residual(y + self.stack.constants, dy)
        c[: len(self.lead)] += self.lead
        return c

    def _spun(self, angular: Array, inertia: Array) -> Array:
        """N (L − J ω*) of rows at instants where momentum matters."""
        stack = self.stack
        off = angular - np.einsum("sab,sb->sa", inertia, stack.spin_rate[stack.spinning])
        return np.einsum("ra,ra->r", stack.spin[stack.spinning_rows], off[stack.spinning_place])
