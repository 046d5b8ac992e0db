"""What a hit achieved, measured on the clip that it hands out; and why what is missed is missed.

The clip is simulated when somebody asks for it. A report looks only at frames near its constraints, and any
frame can be had alone, to the bit: so the frames it looks at are simulated as the clip's own are, with the
correction as it is handed out, and constraints are measured on these.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Report
from poise.curves import TangentCurve
from poise.methods.loosen.hit.held_report import why_not_held
from poise.methods.loosen.hit.past_limits import past_limits, strained_frames
from poise.methods.loosen.hit.problem import Problem
from poise.methods.loosen.hit.seen import measured
from poise.methods.loosen.hit.solve import FARTHEST, largest
from poise.methods.loosen.simulate.simulator import RunawayError
from poise.motion import Clip
from poise.solvers import Solution

LARGE = 1.5
"""A correction larger than this [rad] is worth a warning."""
TELLING = np.radians(5.0)
"""Joints farther past their limits are worth a warning [rad]."""
ALIKE = 1e-6
"""States [rad, m] that differ by less differ by rounding."""


def handed_out(problem: Problem, x: Array, frames: IntArray | None = None) -> Clip:
    """The dynamic motion with a correction x; of the other ``frames`` only what was animated."""
    simulator = problem.simulator
    clip, layout = simulator.clip, problem.layout
    correction = TangentCurve(layout.basis, layout.coefficients(x))
    corrected = simulator.like(correction=correction)
    if frames is None:
        return clip.with_q(corrected.states(clip.times, problem.all_windows)[0])
    q = np.array(clip.q)
    q[frames] = corrected.states(clip.times[frames], problem.all_windows[frames])[0]
    return clip.with_q(q)


def looked_at(problem: Problem, x: Array, *, brief: bool = False) -> Clip:
    """That motion at the frames that constraints look at, and unless ``brief`` where limits are strained."""
    key = x.tobytes() + (b"brief" if brief else b"")
    if key not in problem.shown:
        problem.shown.clear()
        frames = [problem.frame, *(hold.frames for hold in problem.holds)]
        if not brief:
            frames.append(strained_frames(problem, x))
        problem.shown[key] = handed_out(problem, x, np.unique(np.concatenate(frames)))
    return problem.shown[key]


def strays(problem: Problem, x: Array) -> float | None:
    """A time [s] at which the search took a state for what the clip does not show; None where there is none.

    A window that runs away is simulated for the clip in smaller steps.
    """
    try:
        clip, states = looked_at(problem, x), problem.states(x)
    except RunawayError as lost:
        return lost.time
    inside = np.abs(clip.times[problem.frame] - problem.times) < 0.5 * clip.dt  # of a loop, this cycle
    apart = problem.character.manifold.minus(clip.q[problem.frame[inside]], states[inside])
    off = ~(np.abs(apart).max(axis=1, initial=0.0) < ALIKE)
    return float(problem.times[inside][off][0]) if off.any() else None


def report(
    problem: Problem, solution: Solution, simulations: int, seconds: float, *, brief: bool = False
) -> Report:
    """Measured on the clip of the solution; ``brief``: what a drag can wait for is left out."""
    clip = looked_at(problem, solution.x, brief=brief)
    character = problem.character
    outcomes = []
    holds = {id(hold.constraint): hold for hold in problem.holds}
    for c in problem.asked:
        fate = measured(c, clip)
        if not fate.met and id(c) in holds:
            fate = replace(fate, reason=why_not_held(problem.simulator, holds[id(c)], clip, problem.holds))
        elif not fate.met:
            fate = replace(fate, reason=_why(problem, solution, problem.constraints.index(c)))
        outcomes.append(fate)
    warnings = []
    most = largest(problem, solution.x)
    if most > LARGE:
        k = int(np.argmax(np.abs(problem.layout.coefficients(solution.x)).max(axis=0)))
        warnings.append(
            f"the correction turns {character.dof_names[k]} by {most:.2f} rad: targets too close in time, "
            "too soft or too narrow?"
        )
    if not brief:
        warnings += told_past(problem, solution.x, clip)
    return Report(
        outcomes=tuple(outcomes),
        iterations=solution.iterations,
        simulations=simulations,
        seconds=seconds,
        message=_message(solution.reason, all(o.met for o in outcomes)),
        warnings=tuple(warnings),
        details={"history": list(solution.history), "jacobians": solution.jacobians, "largest": most},
    )


def told_past(problem: Problem, x: Array, clip: Clip) -> list[str]:
    """The joint that is farthest past its limit at the frames that were looked at, in words.

    Corrections may lead joints past limits, also where the simulation keeps to them: what is asked for goes
    first. Angles that the animation has itself do not count.
    """
    frames = np.unique(np.concatenate([problem.frame, strained_frames(problem, x)]))
    past = past_limits(problem.simulator.clip, clip.q[frames], frames)
    if not past.worst > TELLING:
        return []
    k, d = np.unravel_index(int(past.amount.argmax()), past.amount.shape)
    joint = problem.character.names[int(problem.character.dof_body[int(d)])]
    return [
        f"{joint} is {np.degrees(past.worst):.0f}° past its limit at frame {int(frames[k])}: a wider "
        "correction, more joints or another place would spare it"
    ]


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
