"""Measure a clip and judge it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array, frozen
from poise.motion import Clip
from poise.operations.check import Check
from poise.plausibility.balance import balance
from poise.plausibility.finding import Finding
from poise.plausibility.flight_rules import in_flight, unexplained
from poise.plausibility.floor import Floor
from poise.plausibility.ground_rules import pushes
from poise.plausibility.human_strength import is_human
from poise.plausibility.penetration import hover, penetration
from poise.plausibility.physics import Physics, physics
from poise.plausibility.report import PlausibilityReport
from poise.plausibility.skate import skate
from poise.plausibility.torque_rules import effort

JUDGES = (in_flight, unexplained, skate, penetration, hover, pushes, balance, effort)
"""Each looks at the physics of a clip and yields findings."""
IN_PLACE = 0.25
"""A root that travels less than this, over stature, stays in place."""
WORTH = 0.95
"""Findings with a higher score are not worth a word."""


def judge(clip: Clip, asked: Check, floor: Floor | None = None) -> PlausibilityReport:
    """Say what in a clip real bodies do not do; ``floor``: that of another report, to judge by the same."""
    measured = physics(clip, floor=asked.floor if floor is None else floor, cutoff=asked.cutoff)
    findings = [f for look in JUDGES for f in look(measured) if f.score <= WORTH]
    findings.sort(key=lambda f: (f.score, f.start))
    phases = tuple(
        replace(
            p, score=min((f.score for f in findings if f.start <= p.end and f.end >= p.start), default=1.0)
        )
        for p in measured.phases
    )
    return PlausibilityReport(
        measured,
        phases,
        measured.contacts,
        tuple(findings),
        frozen(_curve(clip, findings)),
        (*measured.notes, *_assumptions(measured, findings)),
    )


def _curve(clip: Clip, findings: list[Finding]) -> Array:
    """The worst score at every frame (F,); a loop's findings go on at its start."""
    curve = np.ones(clip.frames)
    for f in findings:
        frames = np.arange(f.start, f.end + 1)
        inside = frames % clip.frames if clip.loop else frames[(frames >= 0) & (frames < clip.frames)]
        curve[inside] = np.minimum(curve[inside], f.score)
    return curve


def _assumptions(measured: Physics, findings: list[Finding]) -> list[str]:
    found = []
    clip, pace = measured.clip, measured.pace
    if clip.character.total_mass > 0 and not is_human(clip.character):
        found.append(f"{clip.character.name!r} is not built like a person: torques were not judged")
    if pace is not None and pace.too_fast:
        found.append(
            "forces and torques were judged at the right speed: "
            "else all would be too strong for the same reason"
        )
    take = measured.take
    off = float(measured.ground.at(take.raw.positions[take.own, 0].mean(axis=0)))
    if not (measured.floor.given or measured.floor.hanging) and abs(off) > 0.03 * measured.take.scale:
        found.append(f"stands {100 * abs(off):.1f} cm {'above' if off > 0 else 'below'} z = 0")
    way = np.ptp(take.raw.positions[take.own, 0, :2], axis=0).max()
    if any(f.kind == "skate" and f.serious for f in findings) and way < IN_PLACE * take.stature:
        found.append("if it is meant to go in place, as on a treadmill, its feet have to slide")
    return found
