"""Keys met by the motion that is exported, not only by the model that is searched.

The search leaves a key a little unmet (γ is finite), and true poses differ a little from warped ones. Both
are made up for by aiming beyond the target, as multipliers do: with m the model's residual, t the true one,
and c = m + lead what the search left of its aim at γ, the next aim at γ′ is

    lead′ = (t − m) + (γ/γ′) c

the difference between truth and model, and the force that the key already needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from poise.arrays import Array
from poise.methods.spacetime import gauss_newton
from poise.methods.spacetime.gauss_newton import Solved
from poise.methods.spacetime.rows import Rows
from poise.methods.spacetime.settings import Settings

ENOUGH = 0.1
"""Keys are refined until they are met with this part of their tolerance."""


class Problem(gauss_newton.Problem, Protocol):
    """A stance's or a flight's."""

    asked: list[Rows]
    lead: Array


class Motion(Protocol):
    """What a search has found so far."""

    solved: Solved
    iterations: int

    @property
    def truth(self) -> list[Array]:
        """What is left of the rows of each asked instant in the exported motion."""

    @property
    def worst(self) -> float:
        """The largest error of a key of the exported motion, over its tolerance."""


M = TypeVar("M", bound=Motion)


def searched(
    problem: Problem, settings: Settings, start: Array, motion_of: Callable[[Solved], M], *, tolerance: float
) -> M:
    """The motion of least effort, refined as often as keys need it and the settings allow."""
    gammas = settings.gammas
    motion = motion_of(gauss_newton.solve(problem, start, gammas, tolerance=tolerance))
    total = motion.solved.iterations
    gamma = gammas[-1]
    for again in range(1, settings.refine + 1 if problem.asked else 1):
        if motion.worst < ENOUGH:
            break
        harder = gammas[-1] * 10.0 ** min(again, 2)
        left = motion.solved.residual[: len(problem.lead)]
        problem.lead = np.concatenate(motion.truth) - (left - problem.lead) + gamma / harder * left
        gamma = harder
        found = gauss_newton.solve(problem, motion.solved.y, (gamma,), tolerance=0.1 * tolerance, most=25)
        motion = motion_of(found)
        total += found.iterations
    motion.iterations = total
    return motion
