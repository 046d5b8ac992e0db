"""Skate: a standing foot that slides is held back by exactly the way it slides.

The slide is the one that was judged: s(t) = ∫ u dt, u the horizontal velocity of the slowest of the foot's
points that touch (a rolling or turning foot has one at rest). The foot is moved by s̄ − s(t) as a whole, so it
rolls as before, and the leg follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from poise.arrays import Array
from poise.contacts.support import Contact
from poise.plausibility.finding import Finding
from poise.plausibility.judge import IN_PLACE
from poise.plausibility.physics import Physics
from poise.plausibility.report import PlausibilityReport
from poise.plausibility.skate import sliding_velocity
from poise.repair.blend import SHORT, fade, fading
from poise.repair.limbs import as_whole, limbs_moved
from poise.repair.proposal import Change, Unmendable, in_place

KINDS = ("skate",)
MEANT = 0.15
"""A foot of a body of 1.75 m that would have to be held back further slides on purpose [m]."""
LONG = 2
"""From so many blends on, a foot that stands still beside its slide is left where it is."""


def stand(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Change]:
    """Feet that slide while they stand are held where they stand."""
    physics = report.physics
    clip, reach = physics.clip, round(SHORT / physics.take.dt)
    shifts: dict[str, Array] = {}
    pairs = [(f, c) for f in findings for c in report.contacts if _about(f, c)]
    if not pairs:
        raise Unmendable("no contact of a foot was found there")
    backs = [(c.part, _back(physics, c, f, reach)) for f, c in pairs]
    furthest = MEANT * physics.scale
    way = float(np.ptp(physics.take.raw.positions[:, 0, :2], axis=0).max())
    longest = max(f.amount for f in report.of("skate"))
    backs = [(part, back) for part, back in backs if np.linalg.norm(back, axis=1).max() <= furthest]
    if not backs or (longest > furthest and way < IN_PLACE * physics.take.stature):
        raise Unmendable(
            f"a foot slides {100 * longest:.0f} cm: it is meant to slide, or the figure walks on the spot"
        )
    for part, back in backs:
        shifts[part] = shifts.get(part, 0.0) + back
    moved = {part: as_whole(physics, part, way) for part, way in shifts.items()}
    q = limbs_moved(physics, clip.q, moved)
    most = max(float(np.linalg.norm(back, axis=1).max()) for back in shifts.values())
    yield in_place(clip, q, f"{' and '.join(shifts)} held in place, moved by up to {100 * most:.1f} cm")


def _about(finding: Finding, contact: Contact) -> bool:
    return finding.where == contact.part and finding.start <= contact.end and finding.end >= contact.start


def _back(physics: Physics, contact: Contact, finding: Finding, reach: int) -> Array:
    """What takes the slide of one contact back, faded where the foot swings (F, 3) [m].

    A foot that stands for long before or after it slides stays there as it is; else it is held in the middle.
    """
    frames = np.arange(contact.start, contact.end + 1)
    judged = (frames >= finding.start) & (frames <= finding.end)
    velocity = (
        sliding_velocity(physics, contact, contact.start, contact.end) * fade(judged, reach // 2)[:, None]
    )
    steps = 0.5 * (velocity[1:] + velocity[:-1]) * physics.take.dt
    way = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    before, after = finding.start - contact.start, contact.end - finding.end
    place = way.mean(axis=0) if max(before, after) < LONG * reach else way[0] if before >= after else way[-1]
    back = np.zeros((len(way), 3))
    back[:, :2] = place - way
    return fading(back, contact.start, physics.clip.frames, reach)
