"""What was achieved: each constraint's outcome, and who pays for a conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint, Report, report_on
from poise.kinematics import Kinematics
from poise.methods.adaptation.descent import Descent
from poise.methods.adaptation.requirements import Requirements
from poise.methods.adaptation.rows import block_of
from poise.motion import Clip


def report(
    asked: Requirements, clip: Clip, places: Array, descents: Sequence[Descent], seconds: float
) -> Report:
    """Outcomes on the finished clip; ``details["shares"]`` says what part of the strain each bears."""
    wanted = asked.constraints(places)
    shares = _shares(wanted, clip)
    first = report_on(wanted, clip)
    missed = {o.name for o in first.missed}
    strained = [s["name"] for s in shares if s["name"] in missed]
    reasons = {name: _reason(name, strained) for name in missed}
    return Report(
        outcomes=tuple(replace(o, reason=reasons.get(o.name, "")) for o in first.outcomes),
        iterations=sum(d.steps for d in descents),
        seconds=seconds,
        message=_message(strained) or "; ".join(dict.fromkeys(d.reason for d in descents)),
        details={
            "shares": shares,
            "merit": [d.history for d in descents],
            "factorisations": sum(d.factorisations for d in descents),
        },
    )


def _reason(name: str, strained: list[str]) -> str:
    """What stands against a missed constraint: those that strain most beside it."""
    others = [s for s in strained if s != name][:3]
    return f"against {', '.join(others)}" if others else "out of reach"


def _message(strained: list[str]) -> str:
    """The conflict in words: who pulls most, and who gave way to it."""
    if not strained:
        return ""
    gave = f" pulls against {', '.join(strained[1:4])}" if len(strained) > 1 else " is out of reach"
    return f"{strained[0]}{gave}; a compromise in least squares"


def _shares(wanted: Sequence[Constraint], clip: Clip) -> list[dict[str, Any]]:
    """Part of the elastic energy in each constraint, worst first."""
    found = []
    for constraint in wanted:
        times = constraint.when.times(clip)
        kin = Kinematics(clip.character, clip.sampler.configuration(times), clip.sampler.velocity(times))
        off = constraint.violation(constraint.error(kin, times))
        weight = block_of(constraint, clip).weight
        energy = 0.5 * float(np.sum(weight * off**2))
        found.append(
            {
                "name": constraint.name,
                "residual": float(np.linalg.norm(off, axis=1).max()),
                "unit": constraint.unit(clip.character),
                "share": energy,
            }
        )
    total = sum(f["share"] for f in found) or 1.0
    for entry in found:
        entry["share"] /= total
    return sorted(found, key=lambda f: -f["share"])
