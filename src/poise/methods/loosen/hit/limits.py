"""Targets met within joint limits: what a correction bends too far is bounded, and the search goes on.

In the simulation limits give way to the animation, and a correction moves the animation itself: the smallest
one that brings a foot to its place may bend the knee backwards. So where the corrected animation is past
limits the states are looked at, and each joint that is past its own there is given a bound at that frame,

    lower ≤ x_KD(t) ≤ upper,

and the search goes on with the same bells: the bound at the worst frame keeps the others too. Where targets
and bounds cannot all be had, what is asked for goes first. What the animation does itself is no fault of the
correction: a limit never lies within the angle animated at its frame.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint, within
from poise.handles import JointValue
from poise.methods.loosen.hit.past_limits import Past, past_limits, strained_frames
from poise.methods.loosen.hit.problem import Problem, Start
from poise.methods.loosen.hit.report import LARGE, looked_at
from poise.methods.loosen.hit.search import Solver
from poise.methods.loosen.hit.seen import measured
from poise.methods.loosen.hit.solve import exactly, largest, size
from poise.methods.loosen.simulate.simulator import RunawayError
from poise.operations.hit import Hit
from poise.solvers import Solution

SLACK = np.radians(2.0)
"""How far past its limit a joint may be left [rad, m]."""
WITHIN = np.radians(0.5)
"""How far past it a bound lies: joints at rest on their limits are not fought."""
ROUNDS = 4
"""Times that the search goes on with more bounds."""


def strained(problem: Problem, x: Array) -> Past | None:
    """Where the motion of a correction x is past limits by more than the slack; None: nowhere."""
    frames = strained_frames(problem, x)
    if not len(frames):
        return None
    found = past_limits(problem.simulator.clip, looked_at(problem, x).q[frames], frames)
    return found if found.worst > SLACK else None


def bounds_of(problem: Problem, past: Past) -> list[Constraint]:
    """A bound for each joint that is past its limits, at the frame where it is farthest."""
    character, clip = problem.character, problem.simulator.clip
    first = min(c.priority for c in problem.asked)
    found = []
    for body in np.unique(character.dof_body[(past.amount > SLACK).any(axis=0)]).tolist():
        span, name = character.dofs(body), character.names[body]
        k = int(past.amount[:, span].max(axis=1).argmax())
        frame = int(past.frames[k])
        found.append(
            within(
                JointValue(name), frame * clip.dt, least=past.lower[k, span] - WITHIN,
                most=past.upper[k, span] + WITHIN, priority=first, name=f"limits of {name} at frame {frame}",
            )
        )  # fmt: skip
    return found


def kept_within(problem: Problem, solution: Solution, asked: Hit, solved: Solver) -> tuple[Problem, Solution]:
    """A solution with bounds where it leads joints past their limits; or it as it is, where that helps none.

    Nothing that was met is given up for it, and no limb is flung about.
    """
    if solution.reason != "met" or problem.unknowns <= problem.measure.rows:
        return problem, solution  # out of reach, or a whole pose, which leaves no choice
    past = strained(problem, solution.x)
    best, least = (problem, solution), _score(problem, solution, past)
    bounds: list[Constraint] = []
    for _ in range(ROUNDS):
        if past is None:
            break
        bounds += bounds_of(problem, past)
        tighter = problem.bounded(bounds)
        spent = solution.iterations
        try:
            solution = _bounded(tighter, solution, asked, solved)
            past = strained(tighter, solution.x)
            score = _score(tighter, solution, past)
        except RunawayError:  # no clip can show it
            break
        solution = replace(solution, iterations=spent + solution.iterations)
        if score >= least:
            break
        best, least = (tighter, solution), score
    return best


def _bounded(problem: Problem, solution: Solution, asked: Hit, solved: Solver) -> Solution:
    """A problem with bounds, solved from a solution without, or from inverse kinematics."""
    ends: list[Solution] = []
    for begin in (Start(solution.x), problem.guess):
        ends.append(solved(problem, begin, nearest=False))
        if ends[-1].reason == "met":
            return ends[-1]
    best = min(ends, key=size)
    found = exactly(problem.bounded(()), best, asked.accuracy)  # what is asked for goes first
    return replace(best, x=found.x, residual=problem.residual(found.x))


def _missed(problem: Problem, solution: Solution) -> int:
    """How many targets are missed."""
    clip = looked_at(problem, solution.x)
    return sum(not measured(c, clip).met for c in problem.asked)


def _score(problem: Problem, solution: Solution, past: Past | None) -> tuple[int, bool, float]:
    """What is better is smaller: fewer misses, no limb flung about, less far past limits."""
    wild = largest(problem, solution.x) > LARGE
    return _missed(problem, solution), wild, SLACK if past is None else past.worst
