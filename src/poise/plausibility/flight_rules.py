"""What can be wrong in the air: another gravity, a push from nowhere, a change of spin; each flight by
itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from poise.contacts.ballistics import Parabola
from poise.contacts.pace import USUAL
from poise.gravity import EARTH
from poise.plausibility.finding import About, Finding, score_between
from poise.plausibility.forces import Forces
from poise.plausibility.phase import Phase
from poise.plausibility.physics import Physics, lasts
from poise.plausibility.playback_speed import TOLERANCE, Pace, spoken

PACE = math.log(1 + TOLERANCE), math.log(1.35)
"""|log of the time ratio|: fine, absurd."""
PUSH = 0.3, 1.0
"""Horizontal acceleration over gravity: fine, absurd …"""
TOLD = 0.5
"""… in flights that last; in shorter ones it is told at most."""
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
        fit = phase.parabola
        if phase.kind != "flight" or fit is None or total is None:
            continue
        if not lasts(physics, phase):  # pushes in hops are told; their gravity and spin say little
            for found in _push(phase, fit, total.gravity):
                yield replace(found, score=max(found.score, TOLD))
            continue
        yield from _gravity(physics, phase, fit, physics.pace)
        yield from _push(phase, fit, total.gravity)
        yield from _spin(physics, total, phase, fit)


def _gravity(physics: Physics, phase: Phase, fit: Parabola, pace: Pace | None) -> Iterator[Finding]:
    off = abs(math.log(max(fit.ratio, 1e-3)))
    # One odd flight among right ones must be very sure of itself.
    sure = 2 if pace is not None and pace.off else 4
    if off <= PACE[0] or abs(fit.gravity - EARTH) <= sure * fit.uncertainty:
        return
    said = spoken(fit.ratio, 0.5 * fit.uncertainty / fit.gravity)
    words = f"falls with {fit.gravity:.1f} ± {fit.uncertainty:.1f} m/s² instead of {EARTH}"
    if physics.support.in_one_piece(fit):
        words += f": {said}"
    else:  # a piece of a flight tells no pace
        words += f" for {(fit.end - fit.start) * physics.clip.dt:.2f} s in the air: nothing pushes it there"
    found = physics.support.pace
    explained = found in USUAL and abs(math.log(max(fit.ratio, 1e-3) / found)) < PACE[1]
    about: About = "recording" if explained else "body"
    score = score_between(off, *PACE)
    yield Finding("gravity", phase.start, phase.end, "", fit.gravity, "m/s²", EARTH, score, words, about)


def _push(phase: Phase, fit: Parabola, gravity: float) -> Iterator[Finding]:
    push = math.hypot(*fit.drift)
    # Horizontal accelerations are as uncertain as the vertical one.
    sure = max(push - 2 * fit.uncertainty, 0.0)
    if sure <= PUSH[0] * gravity:
        return
    words = f"is pushed sideways in the air with {push:.1f} m/s²"
    score = score_between(sure / gravity, *PUSH)
    yield Finding("drift", phase.start, phase.end, "", push, "m/s²", 0.0, score, words)


def _spin(physics: Physics, total: Forces, phase: Phase, fit: Parabola) -> Iterator[Finding]:
    take = physics.take
    a, b = max(fit.start + take.lead, 0), min(fit.end + take.lead, take.frames - 1)
    calm = round(CALM / take.dt) if take.cutoff is not None else 0
    if b - a + 1 >= 2 * calm + 9:
        a, b = a + calm, b - calm
    spin = total.momentum[a : b + 1, 3:]
    third = max(len(spin) // 3, 1)
    change = float(np.linalg.norm(spin[-third:].mean(axis=0) - spin[:third].mean(axis=0)))
    size = float(np.linalg.norm(spin.mean(axis=0)))
    pace = math.sqrt(total.gravity / EARTH)
    whole = total.mass * (GYRATION * take.stature) ** 2 * pace
    share = change / max(size, whole)
    if share <= SPIN[0]:
        return
    words = f"its spin changes in the air by {change:.1f} kg·m²/s, {100 * share:.0f} % of " + (
        "what it has" if size >= whole else "a turn in six seconds"
    )
    score = score_between(share, *SPIN)
    yield Finding("spin", phase.start, phase.end, "", change, "kg·m²/s", 0.0, score, words)
