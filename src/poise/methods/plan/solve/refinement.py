"""Keys met by the motion that is exported, not only by the model that is searched.

The search leaves a key a little unmet (γ is finite), and true poses differ a little from warped ones. Both
are made up for by aiming beyond the target, as multipliers do: with m the model's residual, t the true one,
and c = m + lead what the search left of its aim at γ, the next aim at γ′ is

    lead′ = (t − m) + (γ/γ′) c

the difference between truth and model, and the force that the key already needed. Keys alone get γ′; bounds,
whose rows come and go, stay as hard as they were, and the ground has an aim of its own (:mod:`.floor`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from poise.arrays import Array
from poise.methods.plan.limits.floor import Floor
from poise.methods.plan.model.modal_spline import ModalSpline
from poise.methods.plan.scene.settings import Settings
from poise.methods.plan.solve import gauss_newton
from poise.methods.plan.solve.gauss_newton import Solved
from poise.methods.plan.solve.rows import Rows

ENOUGH = 0.2
"""Keys are refined until they are met with this part of their tolerance."""
HARDER = (10.0, 100.0)
"""γ′/γ of the first refinements; the last of all others."""
TOLERANCE = 1e-5
"""Part of the objective that no step may promise any more."""


class Problem(gauss_newton.Problem, Protocol):
    """A stance's or a flight's."""

    spline: ModalSpline
    asked: list[Rows]
    lead: Array
    floor: Floor | None


class Motion(Protocol):
    """What a search has found so far."""

    solved: Solved
    iterations: int

    @property
    def truth(self) -> list[Array]:
        """What is left of the rows of each asked instant in the exported motion."""

    @property
    def clearance(self) -> Array:
        """How high its soles are above the ground."""

    @property
    def worst(self) -> float:
        """The largest error of a key of the exported motion, or of the ground, over its tolerance."""


M = TypeVar("M", bound=Motion)


def searched(problem: Problem, settings: Settings, start: Array, motion_of: Callable[[Solved], M]) -> M:
    """The motion of least effort, refined as often as keys need it and the settings allow."""
    gammas = settings.gammas
    refined = settings.refine if problem.asked or problem.floor is not None else 0
    tolerance = 10 * TOLERANCE if refined else TOLERANCE  # what is refined need not be perfect before
    motion = motion_of(gauss_newton.solve(problem, start, gammas, tolerance=tolerance, told=settings.told))
    best, total, pressure, before = motion, motion.solved.iterations, 1.0, np.inf
    for again in range(refined):
        if motion.worst < ENOUGH or 0.8 * before < motion.worst < 1.0:  # met, and hardly any better
            break
        before = motion.worst
        harder = HARDER[min(again, len(HARDER) - 1)]
        left = motion.solved.residual[: len(problem.lead)]
        if problem.asked:
            problem.lead = np.concatenate(motion.truth) - (left - problem.lead) + pressure / harder * left
        if problem.floor is not None:
            problem.floor.raise_aim(motion.clearance)
        pressure = harder
        solved = motion.solved
        pressed = _Pressed(problem, float(np.sqrt(pressure)))
        found = gauss_newton.solve(
            pressed,
            solved.y,
            gammas[-1:],
            bend=solved.bend,
            tolerance=TOLERANCE,
            most=25,
            told=settings.told,
        )
        motion = motion_of(replace(found, residual=pressed.released(found.residual)))
        total += found.iterations
        best = min(motion, best, key=lambda m: m.worst)
    best.iterations = total
    return best


@dataclass(frozen=True)
class _Pressed:
    """A problem whose keys weigh more than its bounds."""

    problem: Problem
    factor: float

    def values(self, y: Array) -> Array:
        c = self.problem.values(y)
        c[: len(self.problem.lead)] *= self.factor
        return c

    def rows(self, y: Array) -> tuple[Array, Array]:
        c, j = self.problem.rows(y)
        c[: len(self.problem.lead)] *= self.factor
        j[: len(self.problem.lead)] *= self.factor
        return c, j

    def turn(self, step: Array) -> float:
        return self.problem.turn(step)

    def released(self, c: Array) -> Array:
        """C as the problem has it."""
        out = c.copy()
        out[: len(self.problem.lead)] /= self.factor
        return out
