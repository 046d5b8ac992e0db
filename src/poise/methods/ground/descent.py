"""Descent: Gauss–Newton with damping on the price's diagonal, one banded factorisation a step.

The cone's smoothing falls in stages, each begun where the last one ended. The true merit must fall (Armijo),
or the step is shortened and damped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError
from poise.methods.ground.problem import Look, Problem
from poise.solvers.banded import factorise, solve
from poise.watching import Progress
from poise.workers import algebra_on_one_thread

STAGES = (3e-3, 1e-4, 3e-6)
"""Smoothing of the cone [weights²]."""
HOLDS = (1e3, 1e5, 1e7)
"""Weight of pins in each stage [m²/m²]: with more at once the first steps are a thousandth long."""
EXACT = 1e10
"""The same in the last steps: what is left of pins is below a micrometre."""
STEPS = 8
"""Most steps of a stage: fewer leave up to 4 % of samples uncarried."""
LAST = 5
"""Steps with pins at their full weight."""
CAP = 0.6
"""Furthest that a step moves a degree of freedom [rad, m]."""
GAIN = 1e-3
"""A stage ends with a step that gains less of the merit."""
GENTLE = 0.1
"""Damping of the first step from a motion that was carried before it was moved a little."""
ENOUGH = 0.03
"""What is left of a sample by then needs no further step [weights]."""
TRIES = 8
"""Times that damping is raised, or a step shortened, before a stage ends: beyond that nothing is gained."""


@dataclass(frozen=True)
class Step:
    """What one step did."""

    smoothing: float
    merit: float
    length: float
    damping: float


def descend(
    problem: Problem,
    c: Array,
    progress: Progress = lambda part: None,
    stages: tuple[float, ...] = STAGES,
    hopeless: Callable[[Look], bool] = lambda look: False,
) -> tuple[Look, tuple[Step, ...]]:
    """The displacement of least merit near coefficients c (K, m), and the steps that led there; from the
    second stage on it ends early where ``hopeless`` says so."""
    log: list[Step] = []
    damping = 1.0
    with algebra_on_one_thread():
        for stage, problem.smoothing in enumerate(stages):
            problem.hold = HOLDS[len(HOLDS) - len(stages) + stage]
            look = problem.look(c)
            for step in range(STEPS):
                progress((stage + step / STEPS) / len(stages))
                found, damping = _step(problem, problem.sloped(look), damping)
                if found is None:
                    break
                log.append(Step(problem.smoothing, found[0].merit, found[1], damping))
                gain, look = (look.merit - found[0].merit) / max(look.merit, 1e-12), found[0]
                if gain < GAIN:
                    break
            c = look.c
            if stage and hopeless(look):
                return look, tuple(log)
        if problem.pinned.count:
            problem.hold = EXACT
            look = problem.look(c)
            for _ in range(LAST):
                found, damping = _step(problem, problem.sloped(look), damping)
                if found is None:
                    break
                log.append(Step(problem.smoothing, found[0].merit, found[1], damping))
                look = found[0]
    return look, tuple(log)


def stepped(problem: Problem, steps: int) -> Look:
    """What a few steps from no displacement lead to, with the cone's smoothing as it is; it ends early where
    contacts carry."""
    with algebra_on_one_thread():
        look = problem.look(np.zeros((problem.keys.count, problem.keys.size)), slope=True)
        damping = GENTLE
        for step in range(steps):
            if _missing(problem, look) < ENOUGH:
                break
            if step:
                look = problem.sloped(look)
            found, damping = _step(problem, look, damping)
            if found is None:
                break
            look = found[0]
    return look


def _missing(problem: Problem, look: Look) -> float:
    """The most that contacts leave of a sample [weights]."""
    left = look.carried.left[problem.asked]
    return float(np.linalg.norm(left, axis=1).max(initial=0.0))


def _step(problem: Problem, at: Look, damping: float) -> tuple[tuple[Look, float] | None, float]:
    """The next displacement and the length of the step to it; None where no step leads down."""
    band, gradient = problem.system(at)
    for _ in range(TRIES):
        damped = band.copy()
        damped[:, 0] += damping * problem.diagonal
        try:
            way = solve(factorise(damped), -gradient)
        except PoiseError:
            damping *= 30.0
            continue
        hope = -0.5 * float(gradient @ way)
        change = problem.keys.unfolded(way)
        furthest = float(np.abs(problem.keys.displacement(change)).max())
        length = min(1.0, CAP / max(furthest, 1e-9))
        for _ in range(3):
            new = problem.look(at.c + length * change, near=at)
            if new.merit <= at.merit - 1e-3 * length * hope:
                ratio = (at.merit - new.merit) / max(hope, 1e-12)
                factor = 0.1 if ratio > 0.7 else 0.5 if ratio > 0.3 else 2.0 if ratio > 0.1 else 5.0
                return (new, length), max(damping * factor, 1e-6)
            length *= 0.5
        damping *= 10.0
    return None, damping
