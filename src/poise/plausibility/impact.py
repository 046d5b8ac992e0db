"""Impact: momentum that jumps as a flight begins or ends, though nothing that carries could change it so.

Contacts give a body its spin and its speed before it leaves the ground, and take them after it lands. What
they leave
unexplained of the wrench within a moment of a flight's ends [weights · s, moments over the arm] came from
nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.gravity import EARTH
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.physics import Physics, lasts

AROUND = 0.1
"""How far from the end of a flight its take-off or landing reaches [s]."""
LEFT = 0.03, 0.70
"""What is left there [weights · s]: fine, absurd; of motions that were drawn exactly, a third of it
(``Needed.doubt``)."""
TOLD = 0.5
"""Best that can be said against hops that are too short to be judged as flights: they are told."""
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
            doubt = need.doubt
            left = float(np.maximum(support.unexplained[near] - doubt * DOUBT, 0.0).sum() * tick)
            if left <= doubt * LEFT[0]:
                continue
            size = left * physics.take.clip.character.total_mass * EARTH
            words = f"its momentum jumps at {word}: {size:.0f} N·s more than what carries it can give"
            start, end = int(at - reach), int(at + reach)
            score = max(score_between(left, doubt * LEFT[0], doubt * LEFT[1]), least)
            yield Finding("impact", start, end, "", size, "N·s", 0.0, score, words)
