"""Rows of several instants as one system, and the images of points that they ask about.

    r = P y + V ẏ + N (L − J ω*) − target,      y_h = Σ_i exp(θ_i) b_hi + const,    ẏ_h its rate

with the y of all instants one below the other (3H,), and P, V block by block. Below them come rows that keep
the first instants *honest*: what turns of bones alone miss of what is held, W̃ K − P N U⁻¹ and its rate, is
what the warp has to stretch them for. Without a price on it, a search that asks for much finds poses that no
rigid body has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.methods.plan.model.exponential import Turned
from poise.methods.plan.model.warp import Warp
from poise.methods.plan.scene.partial_key import WEIGHTS
from poise.methods.plan.solve.rows import Rows

HONESTY = 0.1
"""Residual per unit that bones would have to stretch."""


class StackedRows:
    """Rows of T instants: R of them, about H points in all; the first ``honest`` instants are kept so."""

    def __init__(self, warp: Warp, instants: Sequence[Rows], *, honest: int = 0) -> None:
        n, kept = warp.figure.bones, warp.keep.shape[1]
        rows = np.cumsum([0, *(len(a.target) for a in instants)])
        points = np.cumsum([0, *(a.columns.shape[1] for a in instants)])
        extra, more = kept * honest, 6 * kept * honest
        self.place, self.rate = np.zeros((2, rows[-1] + more, 3 * (points[-1] + extra)))  # P, V
        for k, asked in enumerate(instants):
            block = slice(rows[k], rows[k + 1]), slice(3 * points[k], 3 * points[k + 1])
            self.place[block], self.rate[block] = asked.place, asked.rate
        self.place[rows[-1] :: 2, 3 * points[-1] :] = HONESTY * np.eye(3 * extra)
        self.rate[rows[-1] + 1 :: 2, 3 * points[-1] :] = HONESTY * WEIGHTS["velocity"] * np.eye(3 * extra)
        columns = np.concatenate([np.zeros((1 + 3 * n, 0)), *(a.columns for a in instants)], axis=1)
        arms, constants = warp.handle(columns)
        arms = np.concatenate([arms, np.tile(warp.keep, honest)], axis=1)
        constants = np.concatenate([constants, -np.tile(warp.kept, honest)], axis=1)
        self.arms = np.ascontiguousarray(arms.T.reshape(-1, n, 3))  # b (H, n, 3)
        self.constants = np.ascontiguousarray(constants.T)  # (H, 3)
        self.carried = np.concatenate([columns[0], np.zeros(extra)])
        """How much of the root's place is in each point's, (H,): 1 for points, 0 for axes."""
        self.target = np.concatenate([*(a.target for a in instants), np.zeros(more)])
        self.spin = np.concatenate([*(a.spin for a in instants), np.zeros((more, 3))])  # N (R, 3)
        self.spin_rate = np.array([a.spin_rate for a in instants]).reshape(-1, 3)  # ω* (T, 3)
        each, first = np.arange(len(instants)), np.arange(honest)
        self.instant_of_row = np.concatenate([np.repeat(each, np.diff(rows)), np.repeat(first, 6 * kept)])
        self.instant_of_point = np.concatenate([np.repeat(each, np.diff(points)), np.repeat(first, kept)])
        self.spinning = np.flatnonzero([a.momentum for a in instants])
        """Instants at which angular momentum matters."""
        self.spinning_rows = np.flatnonzero(self.spin.any(axis=1))
        self.spinning_place = np.searchsorted(self.spinning, self.instant_of_row[self.spinning_rows])

    @property
    def size(self) -> int:
        """R."""
        return len(self.target)

    def images(self, turns: Array, rates: Array) -> tuple[Array, Array]:
        """y and ẏ without constants (H, 3) of R and Ṙ (T, n, 3, 3)."""
        y, dy = np.empty((2, len(self.arms), 3))
        _images(self.instant_of_point, turns, rates, self.arms, y, dy)
        return y, dy

    def gradients(self, now: Turned) -> tuple[Array, Array]:
        """∂y/∂θ = ∂ẏ/∂θ̇, and ∂ẏ/∂θ, (3H, 3n) of turns (T, n, …)."""
        count, n = self.arms.shape[:2]
        by_angle, rate_by_angle = np.empty((2, 3 * count, 3 * n))
        _gradients(self.instant_of_point, now.by_angle, now.rate_by_angle, self.arms, by_angle, rate_by_angle)
        return by_angle, rate_by_angle

    def residual(self, y: Array, dy: Array) -> Array:
        """P y + V ẏ − target (R,) of points and their rates (H, 3)."""
        return np.asarray(self.place @ y.ravel() + self.rate @ dy.ravel() - self.target)


@kernel()
def _images(at: Array, turns: Array, rates: Array, arms: Array, y: Array, dy: Array) -> None:
    for h in range(len(arms)):
        f = at[h]
        for a in range(3):
            place = speed = 0.0
            for i in range(arms.shape[1]):
                for c in range(3):
                    place += turns[f, i, a, c] * arms[h, i, c]
                    speed += rates[f, i, a, c] * arms[h, i, c]
            y[h, a], dy[h, a] = place, speed


@kernel()
def _gradients(
    at: Array, turn: Array, turn_rate: Array, arms: Array, by_angle: Array, rate_by_angle: Array
) -> None:
    for h in range(len(arms)):
        f = at[h]
        for i in range(arms.shape[1]):
            bx, by, bz = arms[h, i]
            for k in range(3):
                for a in range(3):
                    d, r = turn[f, i, k, a], turn_rate[f, i, k, a]
                    by_angle[3 * h + a, 3 * i + k] = d[0] * bx + d[1] * by + d[2] * bz
                    rate_by_angle[3 * h + a, 3 * i + k] = r[0] * bx + r[1] * by + r[2] * bz
