"""The elastic problem of ``adapt`` on a stretch of a walk, one layer, beside SciPy's least squares.

    minimise ½ cᵀ M c + ½ Σ W s²,   s = how far e(c) is outside its bounds

M, W and the bounds are ours. SciPy is given our compiled rows e and their Jacobians, the Cholesky factor of
M, and the accuracy that we ask of ourselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import poise
from poise import clips
from poise import constraints as c
from poise.arrays import Array
from poise.constraints import Constraint, FootPlant
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.detect import detect
from poise.methods.adapt.problem.problem import Stage
from poise.methods.adapt.solve.gauss_newton import Effort
from poise.methods.adapt.solve.system import System
from poise.motion import Clip, operators
from poise.operations.values.displacement import Displacement
from poise.speed.duel import Duel
from poise.workers import algebra_on_one_thread, on_threads

FRAMES = 30
"""Of the stretch."""
GAIN = 1e-4
"""Both end when a step improves the merit by less than this part."""
HAND = "RightHand"


class AdaptWork:
    """A stretch of a clip, what is asked of it, the stage of its problem, and who solves that."""

    def __init__(
        self,
        clip: Clip,
        asked: Sequence[Constraint | FootPlant],
        joints: tuple[str, ...] | None = None,
    ) -> None:
        one = Displacement(0.1, joints=joints or tuple(clip.character.names))
        setup = poise.adapt(clip, asked, floor=True, displacements=[one], iterations=1, plants=False).setup
        self.problem = setup.problem
        self.stage: Stage = self.problem.stages[0]
        self.effort = Effort(steps=30, gain=GAIN)
        self.found, self.system = self.solve()
        n = self.stage.space.count
        self.price = np.zeros((n, n))
        for k in range(self.stage.band.shape[1]):
            at = np.arange(n - k)
            self.price[at + k, at] = self.price[at, at + k] = self.stage.band[: n - k, k]

    def solve(self) -> Any:
        """Ours, on one thread: coefficients and the system they solve."""
        with on_threads(1):
            return self.problem.solve(0, [self.stage.start], self.problem.free.estimate, effort=self.effort)

    def merit(self, coefficients: Array) -> float:
        """What is minimised, at coefficients (K, m)."""
        x = flat(self.stage, coefficients)
        rows = self.system.evaluate(coefficients, jacobian=False)
        return 0.5 * float(x @ self.price @ x) + self.system.table.loss(rows)

    def scipy(self) -> Array:
        """Coefficients (K, m) by SciPy's ``least_squares``, its usual method, on one thread."""
        from scipy.optimize import least_squares

        n, table = self.stage.space.count, self.system.table
        root, strength = np.linalg.cholesky(self.price).T, np.sqrt(table.weight)

        def outside(x: Array) -> Array:
            rows = self.system.evaluate(unflat(self.stage, x), jacobian=False)
            return np.maximum(rows - table.upper, 0.0) - np.maximum(table.lower - rows, 0.0)

        def residual(x: Array) -> Array:
            return np.concatenate([root @ x, strength * outside(x)])

        def jacobian(x: Array) -> Array:
            rows = self.system.evaluate(unflat(self.stage, x))
            acting = strength * ((rows > table.upper) | (rows < table.lower))
            return np.vstack([root, acting[:, None] * sparse_jacobian(self.system, n).toarray()])

        with on_threads(1), algebra_on_one_thread():
            found = least_squares(residual, np.zeros(n), jacobian, ftol=GAIN, xtol=1e-8, gtol=None)
        return unflat(self.stage, found.x)

    def duel(self) -> Duel:
        """Beside SciPy; ours must end with no more than its merit, 5 % apart."""

        def merits() -> tuple[float, float]:
            return self.merit(self.found.coefficients), self.merit(self.scipy())

        def part() -> float:
            ours, theirs = merits()
            return ours / theirs

        return Duel(self.solve, self.scipy, part, 1.05, unit="call")


def bundled_stretch() -> AdaptWork:
    """A stretch of the bundled walk whose feet stand and whose hand reaches."""
    walk = operators.unroll(clips.get("walk"), 2)
    clip = operators.trim(walk, 0.5, 0.5 + (FRAMES - 1) / walk.fps)
    frame = clip.frames // 2
    place = Kinematics(clip.character, clip.q[frame : frame + 1]).point(HAND)[0] + [0.1, 0.0, 0.05]
    return AdaptWork(clip, [*detect(clip), c.pin(HAND, place, float(clip.times[frame]), name="hand")])


def sparse_jacobian(system: System, n: int) -> Any:
    """J (R, n) in unknowns."""
    from scipy.sparse import coo_matrix

    table, space, stencil = system.table, system.space, system.stencil
    row = np.repeat(np.arange(table.count), np.diff(table.entries.start))
    sample = np.searchsorted(table.entries.row_start, row, side="right") - 1
    g = space.group[table.entries.dof]
    columns, weights = stencil.columns[g, sample], stencil.weights[0, g, sample]  # (E, 4)
    slots = space.slot[table.entries.dof[:, None], columns]
    values = weights * system.value[:, None]
    keep = (slots >= 0) & (values != 0)
    rows = np.broadcast_to(row[:, None], slots.shape)
    return coo_matrix((values[keep], (rows[keep], slots[keep])), shape=(table.count, n)).tocsr()


def flat(stage: Stage, coefficients: Array) -> Array:
    """Unknowns (n,) of coefficients (K, m)."""
    x = np.zeros(stage.space.count)
    alive = stage.space.slot >= 0
    x[stage.space.slot[alive]] = coefficients.T[alive]
    return x


def unflat(stage: Stage, x: Array) -> Array:
    """Coefficients (K, m) of unknowns (n,)."""
    out = stage.start
    alive = stage.space.slot >= 0
    out.T[alive] = x[stage.space.slot[alive]]
    return out
