"""One pose that meets constraints: the pose solver behind the vocabulary of ``poise.constraints``.

A constraint's ``priority`` says where it stands: priorities below ``strict`` are levels, met exactly and in
their order, whatever the ones below ask; all others share the soft level, where they pull with their
``weight`` [m⁻², rad⁻²] against the desired pose and one another. By default priority 0 is strict and the rest
is soft.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, checked, frozen
from poise.character import Character
from poise.constraints import Always, At, Constraint, During, Outcome, Report, outcome
from poise.errors import InputError
from poise.kernels.compile_log import working_time
from poise.kinematics import Kinematics
from poise.methods.key.pose.result import PoseResult
from poise.methods.key.pose.solver import POSE_WEIGHT, PoseSolver
from poise.methods.key.pose.task import Task
from poise.operations.pose import Pose
from poise.workers import algebra_on_one_thread


@algebra_on_one_thread()
def solve(
    character: Character,
    constraints: Sequence[Constraint],
    asked: Pose,
    *,
    start: ArrayLike | None = None,
    pose: ArrayLike | None = None,
    free: ArrayLike | None = None,
    previous: ArrayLike | None = None,
    dt: float | None = None,
    pose_weight: ArrayLike = POSE_WEIGHT,
    warm: bool = False,
) -> PoseResult:
    """The pose nearest to ``pose`` (nq,) that meets the constraints as they stand at the time asked for.

    ``start`` (nq,) is where iteration begins, by default the desired pose, by default the rest pose.
    Constraints on momentum measure the step from the pose ``previous`` (nq,), ``dt`` [s] before: A(previous)
    (q ⊖ previous) / dt. ``free`` (nv,), ``pose_weight``, ``warm``: see ``PoseSolver``.
    """
    began = working_time()
    at, strict = asked.at, asked.strict
    holding = [c for c in constraints if _holds(c, at)]
    for constraint in holding:
        _refuse_unequal(constraint)
    wanted = character.rest_pose() if pose is None else checked(pose, "pose", (character.nq,), most=FARTHEST)
    begin = wanted if start is None else checked(start, "start", (character.nq,), most=FARTHEST)
    tasks = [Task(c.handle, c.priority if c.priority < strict else None, c.weight) for c in holding]
    solver = PoseSolver(
        character,
        tasks,
        free=free,
        pose_weight=pose_weight,
        limits=asked.joint_limits,
        momentum=previous is not None,
    )
    now = np.array([float(at)])
    here = Kinematics(character, begin)
    for c in holding:
        c.dim(character)
    solved = solver.solve(
        begin,
        wanted,
        [c.target_at(here, now) for c in holding],
        previous=previous,
        dt=dt,
        accuracy=asked.accuracy,
        iterations=asked.iterations,
        warm=warm,
        history=True,
    )
    q = solved.q[0]
    still = Kinematics(character, q)
    moving = still
    if previous is not None and dt is not None:
        before = checked(previous, "previous", (character.nq,), most=FARTHEST)
        moving = Kinematics(character, before, character.manifold.minus(q, before) / dt)
    outcomes = []
    for c in holding:
        found = outcome(c, moving if c.handle.needs_velocity else still, now)
        outcomes.append(found if found.met else _explained(found, strict))
    settled = bool(solved.settled[0])
    skipped = [
        f"{c.name} does not hold at {at:g} s and is left out" for c in constraints if not _holds(c, at)
    ]
    message = "settled" if settled else f"not settled after {asked.iterations} evaluations"
    report = Report(
        outcomes=tuple(outcomes),
        iterations=int(solved.iterations[0]),
        seconds=working_time() - began,
        message=message,
        warnings=tuple(skipped),
        details={
            "settled": settled,
            "levels": _by_level(outcomes, strict),
            "history": solved.history.tolist(),
        },
    )
    return PoseResult(character, frozen(q), report)


def _holds(constraint: Constraint, at: float) -> bool:
    match constraint.when:
        case At(time=moment):
            return abs(moment - at) <= 1e-9
        case During(start=first, end=last):
            return first - 1e-9 <= at <= last + 1e-9
        case Always():
            return True
    return False


def _refuse_unequal(constraint: Constraint) -> None:
    bounds = np.concatenate([np.asarray(constraint.lower), np.asarray(constraint.upper)])
    if constraint.norm or constraint.rate or bounds.any():
        what = "a rate" if constraint.rate else "a distance" if constraint.norm else "a range"
        raise InputError(
            f"{constraint.name} asks for {what}; a pose is solved for values that are to be met exactly "
            "(no norm, rate, lower or upper)"
        )


def _explained(found: Outcome, strict: int) -> Outcome:
    if found.priority < strict:
        return replace(found, reason="as near as joint limits and stronger levels allow")
    return replace(found, reason="soft: it gives way to strict levels, the desired pose and other soft ones")


def _by_level(outcomes: Sequence[Outcome], strict: int) -> list[dict[str, object]]:
    """How each level fared: strict ones by their number, the soft one last."""
    levels: list[dict[str, object]] = []
    for level in sorted({min(o.priority, strict) for o in outcomes}):
        own = [o for o in outcomes if min(o.priority, strict) == level]
        worst = max(own, key=lambda o: o.error / o.tolerance)
        levels.append(
            {
                "level": level if level < strict else "soft",
                "met": all(o.met for o in own),
                "worst": worst.name,
                "error": worst.error,
                "unit": worst.unit,
            }
        )
    return levels
