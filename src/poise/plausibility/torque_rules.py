"""Effort: joint torques beyond what people can do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.contacts.ballistics import GRAVITY
from poise.contacts.differentiated_clip import runs
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.ground_rules import UNSURE
from poise.plausibility.human_strength import joint_limits
from poise.plausibility.physics import Physics

BEYOND = 1.3, 4.0
"""Torque over the table's: fine, absurd."""
LASTING = 0.04
"""Shorter peaks are noise [s]."""


def effort(physics: Physics) -> Iterator[Finding]:
    """Findings about torques."""
    take, total = physics.take, physics.forces
    if physics.torques is None or total is None:
        return
    own = np.zeros(take.frames, dtype=bool)
    own[take.own] = True
    if not take.lead:
        ends = max(2, round(UNSURE / take.dt))
        own[:ends] = own[len(own) - ends :] = False
    least = max(2, round(LASTING / take.dt))
    pace = total.gravity / GRAVITY  # of a clip that plays too fast, all torques are r² times too large
    for i, (kind, limit) in joint_limits(take.clip.character).items():
        torque = physics.torques.magnitude[:, i] / pace
        for a, b in runs(own & (np.nan_to_num(torque) > BEYOND[0] * limit)):
            if b - a + 1 < least:
                continue
            worst = float(np.sort(torque[a : b + 1])[-least])
            name = take.clip.character.names[i]
            strong = f"{worst / limit:.1f} times what a strong person's {kind} can give"
            words = f"{name} needs {worst:.0f} N·m, {strong}"
            score = score_between(worst / limit, *BEYOND)
            yield Finding("torque", a - take.lead, b - take.lead, name, worst, "N·m", limit, score, words)
