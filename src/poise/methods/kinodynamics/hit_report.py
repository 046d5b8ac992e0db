"""What a hit achieved: constraint by constraint, and why what is missed is missed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.constraints import Report, outcome
from poise.kinematics import Kinematics
from poise.methods.kinodynamics.inverse import Problem
from poise.methods.kinodynamics.solving import FARTHEST, largest
from poise.solvers import Solution

LARGE = 1.5
"""A correction larger than this [rad] is worth a warning."""


def report(problem: Problem, solution: Solution, simulations: int, seconds: float) -> Report:
    """Measured on the dynamic states of the solution."""
    states = problem.states(solution.x)
    character = problem.character
    outcomes = []
    for number, rows in enumerate(problem.rows):
        c = rows.constraint
        v = None if rows.around is None else problem.velocity(states[None], rows)[0]
        kin = Kinematics(character, states[rows.state], v)
        fate = outcome(c, kin, rows.times)
        outcomes.append(fate if fate.met else replace(fate, reason=_why(problem, solution, number)))
    warnings = []
    most = largest(problem, solution.x)
    if most > LARGE:
        k = int(np.argmax(np.abs(problem.layout.coefficients(solution.x)).max(axis=0)))
        warnings.append(
            f"the correction turns {character.dof_names[k]} by {most:.2f} rad: targets too close in time, "
            "too soft or too narrow?"
        )
    fps = problem.simulator.clip.fps
    between = [
        rows.constraint.name
        for rows in problem.rows
        if any(abs(x - round(x)) > 1e-6 for x in (rows.times * fps).tolist())
    ]
    if between:
        warnings.append(
            f"{', '.join(between)}: between two frames; the dynamic state is met there, the clip's own curve "
            "through its frames only nearly (resample the clip to have a frame there)"
        )
    return Report(
        outcomes=tuple(outcomes),
        iterations=solution.iterations,
        simulations=simulations,
        seconds=seconds,
        message=_message(solution.reason, all(o.met for o in outcomes)),
        warnings=tuple(warnings),
        details={"history": list(solution.history), "jacobians": solution.jacobians, "largest": most},
    )


def _message(reason: str, met: bool) -> str:
    if met:
        return "all met"
    return {"budget": "iterations used up", "stalled": "no further progress"}.get(
        reason, "as near as it gets"
    )


def _why(problem: Problem, solution: Solution, missed: int) -> str:
    """A miss in words: in conflict with other constraints, or out of reach. ``missed`` counts constraints."""
    sizes = [len(rows.times) * rows.constraint.dim(problem.character) for rows in problem.rows]
    ends = np.cumsum(sizes)
    spans = [slice(int(end - size), int(end)) for end, size in zip(ends, sizes)]
    j, r, own = solution.jacobian, solution.residual, spans[missed]
    alone = -np.linalg.pinv(j[own], rcond=1e-6) @ r[own]
    solved = np.linalg.norm(r[own] + j[own] @ alone) < 0.1 * np.linalg.norm(r[own])
    if not solved or np.linalg.norm(alone) > 3.0:
        return "out of reach: no motion of the joints allowed to move brings it nearer"
    change = j @ alone
    others = [
        problem.constraints[k].name
        for k, span in enumerate(spans)
        if k != missed and np.linalg.norm(change[span]) > 0.1 * np.linalg.norm(r[own])
    ]
    if others:
        return f"in conflict with {', '.join(others)}"
    if solution.reason == "stationary":
        return f"out of reach with corrections below {FARTHEST:g} rad"
    return "stopped before it was reached"
