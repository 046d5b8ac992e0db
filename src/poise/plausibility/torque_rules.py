"""Effort: joint torques beyond what people can do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.character.human_strength import joint_limits
from poise.contacts.differentiated_clip import Mask, runs
from poise.gravity import EARTH
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.jumps import jumps
from poise.plausibility.physics import Physics, standing

BEYOND = 1.5, 9.0
"""Torque over the table's: fine, absurd."""
LASTING = 0.04
"""Shorter peaks are noise [s]."""
TORN = 0.15
"""Nothing is known so near to a jump of the recording [s]."""


def effort(physics: Physics) -> Iterator[Finding]:
    """Findings about torques."""
    take, total = physics.take, physics.forces
    if physics.torques is None or total is None:
        return
    own = standing(physics) & ~_near(physics, [(f.start, f.end) for f in jumps(physics) if f.kind == "pop"])
    least = max(2, round(LASTING / take.dt))
    # Of a clip that plays too fast, all torques are r² times too large.
    pace = total.gravity / EARTH
    for i, (kind, limit) in joint_limits(take.clip.character).items():
        torque = physics.torques.magnitude[:, i] / pace
        if kind == "wrist":  # what it bears depends on where within the hand it is pushed
            torque = np.where(_touches(physics, i), 0.0, torque)
        for a, b in runs(own & (np.nan_to_num(torque) > BEYOND[0] * limit)):
            if b - a + 1 < least:
                continue
            worst = float(np.sort(torque[a : b + 1])[-least])
            name = take.clip.character.names[i]
            strong = f"{worst / limit:.1f} times what a strong person's {kind} can give"
            words = f"{name} needs {worst:.0f} N·m, {strong}"
            score = score_between(worst / limit, *BEYOND)
            yield Finding("torque", a - take.lead, b - take.lead, name, worst, "N·m", limit, score, words)


def _near(physics: Physics, spans: list[tuple[int, int]]) -> Mask:
    """Frames of the take near to stretches of the clip (N,)."""
    take, found = physics.take, np.zeros(physics.take.frames, dtype=bool)
    reach = round(TORN / take.dt)
    for a, b in spans:
        found[max(a + take.lead - reach, 0) : b + take.lead + reach + 1] = True
    return found


def _touches(physics: Physics, body: int) -> Mask:
    """Frames in which a body, or what hangs on it, carries (N,)."""
    footing = physics.footing
    ks = np.isin(footing.patches.body, physics.clip.character.subtree(body))
    return np.asarray((footing.load[:, ks] > 0).any(axis=1))
