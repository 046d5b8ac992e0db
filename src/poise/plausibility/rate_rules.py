"""Rate: a clip that plays too fast or too slow, where no flight says so by itself.

Flights are judged one by one (``flight_rules``). A run or a dance has none that lasts; played twice too fast,
what carries has
to push and pull in turn, and at half the speed contacts explain it. How much more they explain then is the
evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from poise.contacts.find import find
from poise.contacts.pace import unexplained_share
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.flight_rules import in_flight
from poise.plausibility.physics import Physics
from poise.plausibility.playback_speed import spoken

GAINED = 0.1, 0.7
"""Share of the time that is explained only at the other pace: no evidence, proof. Less than the middle is a
question."""


def rates(physics: Physics) -> Iterator[Finding]:
    """The finding that a clip plays at another rate than it was recorded at, if no flight says it."""
    support, clip = physics.support, physics.clip
    if support.pace == 1.0 or any(f.kind == "gravity" and f.serious for f in in_flight(physics)):
        return
    before = unexplained_share(find(clip, support.world, pace=1.0))[0]
    gained = before - unexplained_share(support)[0]
    words = (
        f"{spoken(support.pace)}: so played, {100 * before:.0f} % of it "
        "cannot be carried by what it stands on; "
        f"at {clip.fps / support.pace:g} frames per second {100 * max(before - gained, 0.0):.0f} %"
    )
    off = abs(math.log(support.pace))
    score = score_between(gained if off > 0.1 else 0.0, *GAINED)
    yield Finding("rate", 0, clip.frames - 1, "", support.pace, "×", 1.0, min(score, 0.9), words, "recording")
