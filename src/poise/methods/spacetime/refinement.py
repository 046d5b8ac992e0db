"""Keys met by the motion that is exported, not only by the model that is searched.

The search leaves a key a little unmet (γ is finite), and true poses differ a little from warped ones. Both
are made up for by aiming beyond the target, as multipliers do: with m the model's residual, t the true one,
and c = m + lead what the search left of its aim at γ, the next aim at γ′ is

    lead′ = (t − m) + (γ/γ′) c

the difference between truth and model, and the force that the key already needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from poise.arrays import Array
from poise.methods.spacetime import gauss_newton
from poise.methods.spacetime.gauss_newton import Solved
from poise.methods.spacetime.rows import Rows
from poise.methods.spacetime.settings import Settings


class Problem(Protocol):
    """A stance's or a flight's."""

    asked: list[Rows]

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J; those of ``asked`` first."""

    def turn(self, step: Array) -> float:
        """The largest turn of a bone that a step makes [rad]."""


class Motion(Protocol):
    """What a search has found so far."""

    solved: Solved
    iterations: int

    def true_residual(self, rows: Rows) -> Array:
        """What is left of rows in the exported motion."""


M = TypeVar("M", bound=Motion)


def searched(
    problem: Problem, settings: Settings, start: Array, motion_of: Callable[[Solved], M], *, tolerance: float
) -> M:
    """The motion of least effort, refined as often as the settings say."""
    gammas = settings.gammas
    motion = motion_of(gauss_newton.solve(problem.rows, problem.turn, start, gammas, tolerance=tolerance))
    total = motion.solved.iterations
    gamma = gammas[-1]
    for again in range(1, settings.refine + 1 if problem.asked else 1):
        harder = gammas[-1] * 10.0 ** min(again, 2)
        _aim(problem.asked, motion, gamma / harder)
        gamma = harder
        found = gauss_newton.solve(
            problem.rows, problem.turn, motion.solved.y, (gamma,), tolerance=0.1 * tolerance, most=25
        )
        motion = motion_of(found)
        total += found.iterations
    motion.iterations = total
    return motion


def _aim(asked: Sequence[Rows], motion: Motion, ratio: float) -> None:
    left = motion.solved.residual
    at = 0
    for rows in asked:
        c = left[at : at + len(rows.target)]
        rows.lead = motion.true_residual(rows) - (c - rows.lead) + ratio * c
        at += len(rows.target)
