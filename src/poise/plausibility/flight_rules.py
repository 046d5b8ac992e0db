"""What can be wrong in the air: another gravity, a push from nowhere, a change of spin, no parabola,
nothing that holds."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from poise.contacts.ballistics import GRAVITY, parabola
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.forces import Forces
from poise.plausibility.phase import Phase
from poise.plausibility.physics import Physics
from poise.plausibility.playback_speed import TOLERANCE, Pace, spoken

PACE = math.log(1 + TOLERANCE), math.log(1.45)
"""|log of the time ratio|: fine, absurd."""
PUSH = 0.3, 1.0
"""Horizontal acceleration over gravity: fine, absurd."""
SPIN = 0.3, 1.2
"""Change of angular momentum over its size, or over that of the body turning once in 2π seconds: fine,
absurd."""
GYRATION = 0.25
"""Radius of gyration of a figure, over stature."""
CALM = 0.04
"""Left out at the ends of a flight where the filter mixes in the push of the floor, if there is enough left
[s]."""


def in_flight(physics: Physics) -> Iterator[Finding]:
    """Findings about flights."""
    total = physics.forces
    for phase in physics.phases:
        if phase.kind != "flight" or phase.parabola is None or total is None:
            continue
        yield from _gravity(phase, physics.pace)
        yield from _push(phase, total.gravity)
        yield from _spin(physics, total, phase)


def _gravity(phase: Phase, pace: Pace | None) -> Iterator[Finding]:
    fit = phase.parabola
    if fit is None:
        return
    off = abs(math.log(max(fit.ratio, 1e-3)))
    # One odd flight among right ones must be very sure of itself.
    sure = 2 if pace is not None and pace.off else 4
    if off <= PACE[0] or abs(fit.gravity - GRAVITY) <= sure * fit.uncertainty:
        return
    said = spoken(fit.ratio, 0.5 * fit.uncertainty / fit.gravity)
    words = f"falls with {fit.gravity:.1f} ± {fit.uncertainty:.1f} m/s² instead of {GRAVITY}: {said}"
    score = score_between(off, *PACE)
    yield Finding("gravity", phase.start, phase.end, "", fit.gravity, "m/s²", GRAVITY, score, words)


def _push(phase: Phase, gravity: float) -> Iterator[Finding]:
    fit = phase.parabola
    if fit is None:
        return
    push = math.hypot(*fit.drift)
    # Horizontal accelerations are as uncertain as the vertical one.
    sure = max(push - 2 * fit.uncertainty, 0.0)
    if sure <= PUSH[0] * gravity:
        return
    words = f"is pushed sideways in the air with {push:.1f} m/s²"
    score = score_between(sure / gravity, *PUSH)
    yield Finding("drift", phase.start, phase.end, "", push, "m/s²", 0.0, score, words)


def _spin(physics: Physics, total: Forces, phase: Phase) -> Iterator[Finding]:
    fit, take = phase.parabola, physics.take
    if fit is None:
        return
    a, b = fit.start + take.lead, fit.end + take.lead
    calm = round(CALM / take.dt) if take.cutoff is not None else 0
    if b - a + 1 >= 2 * calm + 9:
        a, b = a + calm, b - calm
    spin = total.momentum[a : b + 1, 3:]
    third = max(len(spin) // 3, 1)
    change = float(np.linalg.norm(spin[-third:].mean(axis=0) - spin[:third].mean(axis=0)))
    size = float(np.linalg.norm(spin.mean(axis=0)))
    pace = math.sqrt(total.gravity / GRAVITY)
    whole = total.mass * (GYRATION * take.stature) ** 2 * pace
    share = change / max(size, whole)
    if share <= SPIN[0]:
        return
    words = f"its spin changes in the air by {change:.1f} kg·m²/s, {100 * share:.0f} % of " + (
        "what it has" if size >= whole else "a turn in six seconds"
    )
    score = score_between(share, *SPIN)
    yield Finding("spin", phase.start, phase.end, "", change, "kg·m²/s", 0.0, score, words)


def unexplained(physics: Physics) -> Iterator[Finding]:
    """Findings about phases in which nothing that is seen carries the body."""
    take = physics.take
    for phase in physics.phases:
        if phase.kind != "unexplained":
            continue
        if phase.parts:
            parts = " and ".join(phase.parts)
            words = (
                f"is carried, but touches no floor for {phase.seconds:.2f} s: "
                f"something unseen may hold the {parts}"
            )
            yield Finding("support", phase.start, phase.end, parts, phase.seconds, "s", 0.0, 0.7, words)
            continue
        a, b = phase.start + take.lead, phase.end + take.lead
        fit = parabola(take.raw.com, take.dt, a, b)
        words = (
            f"is in the air for {phase.seconds:.2f} s, but falls along no parabola "
            f"(the nearest has {fit.gravity:.1f} m/s² and is off by {100 * fit.residual:.1f} cm)"
        )
        yield Finding("arc", phase.start, phase.end, "", fit.gravity, "m/s²", GRAVITY, 0.2, words)
