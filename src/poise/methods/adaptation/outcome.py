"""What was achieved: each constraint's outcome, and who pays for a conflict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint, Outcome, Report, report_on
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
    names = [s["name"] for s in shares if s["share"] >= 0.05]
    conflict = ""
    first = report_on(wanted, clip)
    if len(first.missed) > 0 and names:
        conflict = f"{', '.join(names[:4])} cannot all be met: least squares"
    reasons = {o.name: _reason(o, shares) for o in first.missed}
    outcomes = tuple(_because(o, reasons.get(o.name, "")) for o in first.outcomes)
    return Report(
        outcomes=outcomes,
        iterations=sum(d.steps for d in descents),
        seconds=seconds,
        message=conflict or "; ".join(dict.fromkeys(d.reason for d in descents)),
        details={
            "shares": shares,
            "merit": [d.history for d in descents],
            "factorisations": sum(d.factorisations for d in descents),
        },
    )


def _because(outcome: Outcome, reason: str) -> Outcome:
    from dataclasses import replace

    return replace(outcome, reason=reason) if reason else outcome


def _reason(outcome: Outcome, shares: list[dict[str, Any]]) -> str:
    others = [s["name"] for s in shares if s["name"] != outcome.name and s["share"] >= 0.01][:3]
    return f"held back by {', '.join(others)}" if others else "out of reach, or dear"


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
