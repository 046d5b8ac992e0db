"""What no repair is about: a body that what is there cannot carry. It is reported, with what is missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.gravity import EARTH
from poise.plausibility.report import PlausibilityReport
from poise.repair.result import RepairOutcome

KINDS = ("support", "pull", "push", "balance")


def without_support(report: PlausibilityReport) -> Iterator[RepairOutcome]:
    """One outcome for all that is condemned for want of a force or a moment."""
    found = tuple(f for f in report.findings if f.kind in KINDS and f.serious)
    if not found:
        return
    support = report.support
    weight = report.physics.clip.character.total_mass * EARTH
    worst = min(found, key=lambda f: f.score)
    rows = support.need.rows - support.need.lead
    inside = (rows >= worst.start) & (rows <= worst.end)
    left = support.left[inside].mean(axis=0) if inside.any() else np.zeros(6)
    if worst.kind == "balance":  # the weight acts so far beside what touches
        missing = f"{worst.amount * weight:.0f} N·m are missing"
    else:
        force, moment = (float(np.linalg.norm(left[k : k + 3]) * weight) for k in (0, 3))
        missing = f"{force:.0f} N and {moment * support.need.arm:.0f} N·m are missing"
    words = (
        f"{worst.words}; {missing}. No small change mends that: pose it otherwise, give the world it is in "
        "(--world), or let poise ground look for forces"
    )
    yield RepairOutcome("weight", found, False, words, found)
