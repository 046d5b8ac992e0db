"""What a floor cannot do: pull, or hold sideways better than rubber on concrete."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import Mask, runs
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.forces import Forces
from poise.plausibility.physics import Physics

PULL = 0.2, 1.0
"""Downward pull over weight: fine, absurd."""
FRICTION = 1.0, 3.0
"""Horizontal over vertical force: fine, absurd."""
LASTING = 0.04
"""Shorter ones are noise [s]."""
PRESSING = 0.4
"""Friction is judged from this share of the weight on."""
UNSURE = 0.05
"""Left out at the ends of a clip, where accelerations are one-sided [s]."""


def standing(physics: Physics) -> Mask:
    """The clip's frames (of the take) in which contacts carry the body (N,)."""
    found = np.array(physics.contact.touching.any(axis=1))
    take = physics.take
    if not take.lead:
        ends = max(2, round(UNSURE / take.dt))
        found[:ends] = found[len(found) - ends :] = False
    else:
        found[: take.own.start] = found[take.own.stop :] = False
    return np.asarray(found)


def pushes(physics: Physics) -> Iterator[Finding]:
    """Findings about what the floor would have to do."""
    total = physics.forces
    if total is None:
        return
    down = standing(physics)
    yield from _stretches(physics, down & (total.load < -PULL[0]), -total.load, _pull(total))
    sticky = down & (total.load > PRESSING) & (np.nan_to_num(total.friction) > FRICTION[0])
    yield from _stretches(physics, sticky, total.friction, _friction)


def _pull(total: Forces) -> Callable[[float, int, int], Finding]:
    def finding(worst: float, start: int, end: int) -> Finding:
        words = (
            "goes down faster than it can fall: the floor would have to pull with "
            f"{worst:.1f} times the weight (played {(1 + worst) ** 0.5:.1f}× slower, it could)"
        )
        score = score_between(worst, *PULL)
        return Finding("pull", start, end, "", worst * total.weight, "N", 0.0, score, words)

    return finding


def _friction(worst: float, start: int, end: int) -> Finding:
    words = f"would slip: the floor would have to hold it with a friction of {worst:.1f}"
    return Finding("friction", start, end, "", worst, "", FRICTION[0], score_between(worst, *FRICTION), words)


def _stretches(
    physics: Physics, wrong: Mask, amount: Array, finding: Callable[[float, int, int], Finding]
) -> Iterator[Finding]:
    """One finding per stretch that lasts; its amount is what is exceeded for as long as a finding must
    last."""
    lead, least = physics.take.lead, max(2, round(LASTING / physics.take.dt))
    for a, b in runs(wrong):
        if b - a + 1 >= least:
            worst = float(np.sort(amount[a : b + 1])[-least])
            yield finding(worst, a - lead, b - lead)
