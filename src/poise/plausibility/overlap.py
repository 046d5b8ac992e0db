"""Overlap: an arm inside the trunk. The trunk is round about the line from hips to chest; a forearm's far
half and the hand
may touch it, not lie within."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.character.labels import roles
from poise.contacts.differentiated_clip import runs
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.phase import counts
from poise.plausibility.physics import Physics

TRUNK = 0.055
"""Thinnest radius of a trunk about its line, over stature."""
DEEP = 0.15, 0.65
"""How much of that radius an arm goes in: fine, absurd; flesh gives, and guessed lines are off."""
LASTING = 0.04
"""[s]"""
ALONG = (0.5, 0.75, 1.0)
"""Places of the forearm that are looked at, from the elbow to the hand."""


def overlaps(physics: Physics) -> Iterator[Finding]:
    """Findings about arms inside the trunk."""
    take = physics.take
    found = roles(take.clip.character)
    line = [found[r] for r in ("hips", "spine", "chest") if r in found]
    x, radius = np.asarray(take.raw.positions), TRUNK * take.stature
    if len(set(line)) < 2:
        return
    for side in ("left", "right"):
        elbow, hand = found.get(f"{side} forearm"), found.get(f"{side} hand")
        if elbow is None or hand is None:
            continue
        places = [(1 - s) * x[:, elbow] + s * x[:, hand] for s in ALONG]
        away = np.min([_distance(p, x[:, i], x[:, j]) for p in places for i, j in pairwise(line)], axis=0)
        depth = np.where(physics.footing.belongs, radius - away, -1.0)
        for a, b in runs(depth > DEEP[0] * radius):
            if (b - a + 1) * take.dt < LASTING or not counts(take, a, b):
                continue
            worst = float(depth[a : b + 1].max())
            words = f"{side} arm is {100 * worst:.1f} cm inside the trunk"
            score = score_between(worst / radius, *DEEP)
            yield Finding(
                "overlap", a - take.lead, b - take.lead, f"{side} arm", worst, "m", 0.0, score, words
            )


def _distance(place: Array, a: Array, b: Array) -> Array:
    """Of places (N, 3) from segments a–b [m] (N,)."""
    way = b - a
    along = np.clip(((place - a) * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(place - a - along[:, None] * way, axis=1))
