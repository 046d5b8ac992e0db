"""Impact: momentum that jumps as a flight begins or ends, though nothing that carries could change it so.

Contacts give a body its spin and its speed before it leaves the ground, and take them after it lands. What
they leave
unexplained of the wrench within a moment of a flight's ends [weights · s, moments over the arm] came from
nowhere.

A spin about the vertical is too quick a change for the slow filter on which contacts are found. Soles give it
by friction alone, at most μ F_z r with r half the extent of what touches; of the moment N_z beyond that,

    Δω = |∫ sign(N_z) max(|N_z| − μ F_z r, 0) dt| / (m (0.25 stature)²)

is the spin that came from nowhere [rad/s]. What trembles to and fro leaves none.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.gravity import EARTH
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.flight_rules import GYRATION
from poise.plausibility.physics import Physics, lasts
from poise.world.surface import FRICTION

AROUND = 0.1
"""How far from the end of a flight its take-off or landing reaches [s]."""
LEFT = 0.03, 0.70
"""What is left there [weights · s]: fine, absurd; of motions that were drawn exactly, a third of it
(``Needed.doubt``)."""
TOLD = 0.5
"""Best that can be said against hops that are too short to be judged as flights: they are told."""
TWIST = 0.15, 0.95
"""Spin from nowhere about the vertical [rad/s]: fine, absurd. Take-offs of real jumps leave up to 0.15, the
landing of a backflip 0.42."""
DOUBT = 0.15
"""What is left below this is within the doubt of masses and filters [weights]."""


def impacts(physics: Physics) -> Iterator[Finding]:
    """Findings about take-offs and landings."""
    support, need = physics.support, physics.support.need
    rows = need.rows - need.lead
    tick = need.dt * float(rows[1] - rows[0]) if len(rows) > 1 else need.dt
    for phase in physics.phases:
        if phase.kind != "flight" or phase.parabola is None:
            continue
        least = 0.0 if lasts(physics, phase) else TOLD
        reach = AROUND / need.dt
        for at, word in ((phase.start, "take-off"), (phase.end, "landing")):
            near = np.abs(rows - at) <= reach
            inside = physics.clip.loop or (at - reach >= 0 and at + reach <= physics.clip.frames - 1)
            if not near.any() or not inside:
                continue
            yield from _twisted(physics, round(at), round(reach), word, least)
            doubt = need.doubt
            left = float(np.maximum(support.unexplained[near] - doubt * DOUBT, 0.0).sum() * tick)
            if left <= doubt * LEFT[0]:
                continue
            size = left * physics.take.clip.character.total_mass * EARTH
            words = f"its momentum jumps at {word}: {size:.0f} N·s more than what carries it can give"
            start, end = int(at - reach), int(at + reach)
            score = max(score_between(left, doubt * LEFT[0], doubt * LEFT[1]), least)
            yield Finding("impact", start, end, "", size, "N·s", 0.0, score, words)


def _twisted(physics: Physics, at: int, reach: int, word: str, least: float) -> Iterator[Finding]:
    """The finding that a spin about the vertical jumps, if friction cannot give it."""
    take, total = physics.take, physics.forces
    if total is None:
        return
    frames = np.arange(max(at - reach + take.lead, 0), min(at + reach + take.lead, take.frames - 1) + 1)
    held = [physics.polygon(int(f)) for f in frames]
    radius = np.array([0.0 if p is None else 0.5 * float(np.linalg.norm(np.ptp(p, axis=0))) for p in held])
    most = FRICTION * np.maximum(total.force[frames, 2], 0.0) * radius
    turned = total.moment[frames, 2]
    beyond = abs(float((np.sign(turned) * np.maximum(np.abs(turned) - most, 0.0)).sum())) * take.dt
    pace = physics.support.pace  # of a clip that plays too fast, all turns are as much too fast
    spin = beyond / (total.mass * (GYRATION * take.stature) ** 2) / pace
    if spin > TWIST[0]:
        words = (
            f"its spin jumps at {word}: {beyond:.1f} kg·m²/s about the vertical more than friction can give"
        )
        score = max(score_between(spin, *TWIST), least)
        yield Finding("impact", at - reach, at + reach, "", beyond, "kg·m²/s", 0.0, score, words)
