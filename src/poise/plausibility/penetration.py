"""Depth: what sinks into the floor, and what stands above it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import FEW, runs
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.floor import clearances
from poise.plausibility.phase import counts
from poise.plausibility.physics import Physics

SINKS = 0.02, 0.10
"""Below the floor, of a body of 1.75 m [m]: fine, absurd."""
HOVERS = 0.025, 0.10
"""Above it while standing [m]: fine, absurd."""
JOINED = 0.1
"""Findings of one part less than this apart are one [s]."""


def penetration(physics: Physics) -> Iterator[Finding]:
    """Findings about parts below the floor."""
    take, touch = physics.take, physics.touching
    # What a floor estimated from scattered footfalls is uncertain by, nobody can be blamed for.
    height, unsure = heights(physics), 2 * physics.floor.scatter
    for k, part in enumerate(touch.parts):
        depth = -height[:, touch.of_part(k)].min(axis=1)
        deep = depth > SINKS[0] * take.scale + unsure
        for a, b in runs(~deep):  # join what is hardly apart
            if a > 0 and b < len(deep) - 1 and (b - a + 1) * take.dt < JOINED:
                deep[a : b + 1] = True
        for a, b in runs(deep):
            if not counts(take, a, b):
                continue
            worst = float(depth[a : b + 1].max())
            score = score_between((worst - unsure) / take.scale, *SINKS)
            words = f"{part} sinks {100 * worst:.1f} cm into the floor"
            start, end = max(a - take.lead, 0), min(b - take.lead, a - take.lead + take.clip.frames - 1)
            yield Finding("penetration", start, end, part, worst, "m", 0.0, score, words)


def hover(physics: Physics) -> Iterator[Finding]:
    """Findings about feet that stand above the floor."""
    take, touch = physics.take, physics.touching
    if take.clip.frames <= FEW and not physics.floor.given:
        return
    height = heights(physics)
    for contact in physics.contacts:
        own = touch.of_part(touch.parts.index(contact.part))
        span = slice(contact.start + take.lead, contact.end + take.lead + 1)
        held = physics.contact.touching[span][:, own]
        lowest = np.where(held, height[span][:, own], np.inf).min(axis=1)
        above = float(np.median(lowest[np.isfinite(lowest)]))
        if above > HOVERS[0] * take.scale + 2 * physics.floor.scatter:
            words = f"{contact.part} stands {100 * above:.1f} cm above the floor"
            score = score_between(above / take.scale, *HOVERS)
            yield Finding("hover", contact.start, contact.end, contact.part, above, "m", 0.0, score, words)


def heights(physics: Physics) -> Array:
    """Of the skin at each point above the floor [m] (N, P); of other parts than feet, of the bare point."""
    touch = physics.touching
    feet = np.array([touch.feet[k] for k in touch.part])
    # A foot's clearance is learned on the ground that the clip stands on, whatever floor is meant.
    clear = np.where(feet, clearances(physics.take, touch, physics.ground), 0.0)
    return np.asarray(touch.places[..., 2] - physics.floor.at(touch.places) - clear)
