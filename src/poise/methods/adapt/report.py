"""What was achieved: each constraint's outcome, and who pays for a conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.constraints import FootPlant, Outcome, Report, outcome
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.quality import Manner, manner
from poise.methods.adapt.problem.limits import exceeded
from poise.methods.adapt.problem.requirements import Requirements
from poise.methods.adapt.solve.gauss_newton import Descent
from poise.motion import Clip

DEEP = 1e-3
"""Below the floor by more [m], something presses a foot into it."""


def report(
    asked: Requirements,
    clip: Clip,
    places: Array,
    plants: Sequence[FootPlant],
    descents: Sequence[Descent],
    seconds: float,
) -> Report:
    """Outcomes on the finished clip.

    ``details["shares"]`` tells what part of the strain each bears, ``details["manner"]`` what holding feet
    did to slide, knees and jerk (before, after), ``details["limits"]`` which joints are beyond theirs [rad].
    """
    outcomes, strains = [], []
    for constraint, block in zip(asked.constraints(places), asked.blocks):
        times = block.times
        kin = Kinematics(clip.character, clip.sampler.configuration(times), clip.sampler.velocity(times))
        outcomes.append(outcome(constraint, kin, times))
        off = constraint.violation(constraint.error(kin, times))
        strains.append(0.5 * float(np.sum(block.weight * off**2)))
    shares = _shares(outcomes, strains)
    missed = {o.name for o in outcomes if not o.met}
    strained = [s["name"] for s in shares if s["name"] in missed] + (_deep(asked, clip) if missed else [])
    before, after = manner(asked.clip, plants), manner(clip, plants)
    over = exceeded(asked.bounds, clip) if asked.bounds is not None else {}
    ended = _message(strained) or "; ".join(dict.fromkeys(d.reason for d in descents))
    return Report(
        outcomes=tuple(o if o.met else replace(o, reason=_reason(o.name, strained)) for o in outcomes),
        iterations=sum(d.steps for d in descents),
        seconds=seconds,
        message=ended + _beyond(over) + (_cost(before, after) if plants else ""),
        details={
            "shares": shares,
            "manner": {name: (was, asdict(after)[name]) for name, was in asdict(before).items()},
            "limits": over,
            "merit": [d.history for d in descents],
            "factorisations": sum(d.factorisations for d in descents),
        },
    )


def _deep(asked: Requirements, clip: Clip) -> list[str]:
    """Floors that what was missed is pressed into."""
    kin, found = Kinematics(clip.character, clip.q), []
    for c in (block.constraint for block in asked.floor):
        if c is not None and np.abs(c.violation(c.error(kin, np.asarray(clip.times)))).max() > DEEP:
            found.append(c.name)
    return found


def _shares(outcomes: Sequence[Outcome], strains: Sequence[float]) -> list[dict[str, Any]]:
    """Residual of each constraint and its part of the elastic energy, most strained first."""
    total = sum(strains) or 1.0
    order = sorted(range(len(strains)), key=lambda k: -strains[k])
    return [
        {
            "name": outcomes[k].name,
            "residual": outcomes[k].error,
            "unit": outcomes[k].unit,
            "share": strains[k] / total,
        }
        for k in order
    ]


def _reason(name: str, strained: list[str]) -> str:
    """What stands against a missed constraint: those that strain most beside it."""
    others = [s for s in strained if s != name][:3]
    return f"against {', '.join(others)}" if others else "out of reach"


def _cost(before: Manner, after: Manner) -> str:
    """What holding feet cost, in words."""
    slides = f"feet slide {100 * before.slide:.1f} → {100 * after.slide:.1f} cm/s"
    knees = f", knees' acceleration ×{after.knees / before.knees:.2f}" if before.knees > 0 else ""
    return f"; {slides}{knees}" + (f", jerk ×{after.jerk / before.jerk:.2f}" if before.jerk > 0 else "")


def _beyond(over: dict[str, float]) -> str:
    """Which joint is most beyond its limits, in words."""
    return "".join(f"; {name} is {by:.2f} rad beyond its limits" for name, by in list(over.items())[:1])


def _message(strained: list[str]) -> str:
    """The conflict in words: who pulls most, and who gave way to it."""
    if not strained:
        return ""
    gave = f" pulls against {', '.join(strained[1:4])}" if len(strained) > 1 else " is out of reach"
    return f"{strained[0]}{gave}; a compromise in least squares"
