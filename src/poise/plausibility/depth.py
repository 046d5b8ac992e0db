"""Depth: what sinks below its surface, and what carries above it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.ends import FEW
from poise.contacts.patches import FLESH, FOOT, HAND
from poise.contacts.support import Contact
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.phase import counts
from poise.plausibility.physics import Physics
from poise.world import Ground, Surface

SINKS = {True: (0.02, 0.12), False: (0.02, 0.13)}
"""Feet below their surface, of a body of 1.75 m [m]: fine, absurd; where the world is given, and where it was
found."""
LIES = 0.02, 0.28
"""The same of all else: who lies or kneels has wrists, elbows and backs that rigs put too deep; real captures
show up to 11 cm."""
HOVERS = {FOOT: {True: (0.025, 0.08), False: (0.05, 0.15)}, HAND: {True: (0.05, 0.60), False: (0.05, 0.60)}}
"""Above it while it carries [m], by kind; arms of rigs are often too short for what hands stand on, and flesh
is soft."""
GUESSED = 0.03
"""Tips of toes and fingers, which most rigs guess, may be this much deeper [m] …"""
WRIST = 0.03
"""… and hands this much: they bend."""
ASSUMED = 0.6
"""Best that can be said against what sinks into a surface that is only assumed: its height is, too."""
JOINED = 0.1
"""Findings of one part less than this apart are one [s]."""
LASTING = 0.04
"""Shorter dips are noise [s]."""
LOADED = 0.1
"""Into steps and seats only what carries this share of the weight can sink: others pass by their edges."""


def penetration(physics: Physics) -> Iterator[Finding]:
    """Findings about parts below their surface."""
    take, footing = physics.take, physics.footing
    least = max(1, round(LASTING / take.dt))
    for part in footing.patches.parts:
        depth = sunk(physics, part)
        fine, absurd = SINKS[physics.given] if part in footing.feet else LIES
        deep = depth > fine * physics.scale
        for a, b in runs(~deep):  # join what is hardly apart
            if a > 0 and b < len(deep) - 1 and (b - a + 1) * take.dt < JOINED:
                deep[a : b + 1] = True
        for a, b in runs(deep):
            if not counts(take, a, b) or (b - a + 1 < least and take.clip.frames > FEW):
                continue
            worst = float(np.sort(depth[a : b + 1])[-min(least, b - a + 1)])
            surface = _below(physics, part, a, b)
            score = score_between(worst / physics.scale, fine, absurd)
            if surface is not None and surface.source == "found" and not isinstance(surface.shape, Ground):
                score = max(score, ASSUMED)
            words = (
                f"{part} sinks {100 * worst:.1f} cm into the {'floor' if surface is None else surface.name}"
            )
            start, end = max(a - take.lead, 0), min(b - take.lead, a - take.lead + take.clip.frames - 1)
            yield Finding("penetration", start, end, part, worst, "m", 0.0, score, words)


def sunk(physics: Physics, part: str) -> Array:
    """How deep a part is below its surface, beyond what its flesh gives [m] (N,); negative: above."""
    footing, ks = physics.footing, physics.footing.patches.of_part(part)
    gap = np.where(footing.belongs[:, None], footing.gap[:, ks], np.inf) + slack(physics, ks)
    flat = np.array([isinstance(s.shape, Ground) for s in physics.world.surfaces] + [True])
    on_ground = flat[footing.surface[:, ks]]
    loaded = footing.load[:, ks].sum(axis=1) > LOADED
    lowest = np.where(on_ground, gap, np.inf).min(axis=1)
    # A heel hangs over the edge of a step: what is next to lowest tells how the foot stands.
    above = np.sort(np.where(on_ground, np.inf, gap), axis=1)[:, min(1, len(ks) - 1)]
    found = -np.minimum(lowest, np.where(loaded, above, np.inf))
    return np.asarray(np.where(np.isfinite(found), found, -np.inf))


def slack(physics: Physics, ks: IntArray) -> Array:
    """How far patches may be below the surface by themselves [m]."""
    patches, radius = physics.footing.patches, physics.support.need.radius
    found = []
    for k in ks:
        tip = patches.names[k].endswith(("toe", "fingers")) and radius[k] > 0
        own = GUESSED * patches.scale if tip else 0.0
        own += WRIST * patches.scale if patches.kind[k] == HAND else 0.0
        found.append(own + (patches.give[k] if patches.kind[k] == FLESH else 0.0))
    return np.array(found)


def _below(physics: Physics, part: str, a: int, b: int) -> Surface | None:
    """What a part sinks into in frames a … b of the take."""
    footing = physics.footing
    ks = footing.patches.of_part(part)
    middle = (a + b) // 2
    which = int(footing.surface[middle, ks[int(np.argmin(footing.gap[middle, ks]))]])
    return physics.world.surfaces[which] if which >= 0 else None


def hover(physics: Physics) -> Iterator[Finding]:
    """Findings about what carries above its surface."""
    take, footing = physics.take, physics.footing
    if take.clip.frames <= FEW and not physics.given:
        return
    for contact in physics.contacts:
        ks = footing.patches.of_part(contact.part)
        kind = int(footing.patches.kind[ks[0]])
        if not contact.surface or kind not in HOVERS:
            continue
        fine, absurd = HOVERS[kind][physics.given]
        for a, b, above in risen(physics, contact, fine * physics.scale):
            score = score_between(above / physics.scale, fine, absurd)
            words = f"{contact.part} carries {100 * above:.1f} cm above the {contact.surface}"
            yield Finding("hover", a, b, contact.part, above, "m", 0.0, score, words)


def risen(physics: Physics, contact: Contact, fine: float) -> Iterator[tuple[int, int, float]]:
    """First and last frame of the clip in which a part carries above its surface by more than ``fine`` [m],
    and by how much."""
    take, footing = physics.take, physics.footing
    ks = footing.patches.of_part(contact.part)
    a, b = footing.spans(contact)[1 if take.lead else 0]
    load = footing.load[a : b + 1][:, ks].sum(axis=1)
    lowest = np.where(footing.touching[a : b + 1][:, ks], footing.gap[a : b + 1][:, ks], np.inf).min(axis=1)
    high: Mask = np.isfinite(lowest) & (lowest > fine) & (load > LOADED)
    for first, last in runs(high):
        if (last - first + 1) * take.dt >= 3 * LASTING or take.clip.frames <= FEW:
            above = float(np.median(lowest[first : last + 1]))
            yield a + first - take.lead, a + last - take.lead, above
