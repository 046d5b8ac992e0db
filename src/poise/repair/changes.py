"""What a repair changed, in centimetres: which part, when, how far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character.labels import roles
from poise.contacts.differentiated_clip import runs
from poise.motion import Clip

PARTS = {
    "body": ("hips", "spine", "chest", "neck"),
    "head": ("head",),
    "left arm": ("left upper_arm", "left forearm", "left hand"),
    "right arm": ("right upper_arm", "right forearm", "right hand"),
    "left knee": ("left shin",),
    "right knee": ("right shin",),
    "left foot": ("left foot", "left toes"),
    "right foot": ("right foot", "right toes"),
}
"""Joints that are told together."""
LEAST = 1e-3
"""Ways that are told [m]."""
APART = 0.1
"""Stretches of a part that are less apart are one [s]."""


@dataclass(frozen=True)
class PartChange:
    """How far a part moved in a stretch of frames of the clip that is handed out."""

    part: str
    start: int
    end: int
    furthest: float
    """[m]"""
    mean: float
    """Root mean square [m]."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "part": self.part,
            "start": self.start,
            "end": self.end,
            "furthest_m": self.furthest,
            "rms_m": self.mean,
        }


def changes(before: Clip, after: Clip, sources: Array) -> tuple[PartChange, ...]:
    """What moved, part by part and stretch by stretch; frames between two of the clip are not compared."""
    at = np.clip(np.rint(sources).astype(int), 0, before.frames - 1)
    was = before.character.placement(before.q).positions[at]
    way = np.linalg.norm(after.character.placement(after.q).positions - was, axis=2)
    way[np.abs(sources - at) > 1e-6] = 0.0
    own = roles(before.character)
    known = {part: [own[r] for r in names if r in own] for part, names in PARTS.items()}
    if not any(known.values()):
        known = {before.character.names[i]: [i] for i in range(len(before.character.names))}
    found = []
    for part, bodies in known.items():
        if not bodies:
            continue
        far = way[:, bodies].max(axis=1)
        moved = far > LEAST
        for a, b in runs(~moved):
            if a > 0 and b < len(moved) - 1 and (b - a + 1) * after.dt < APART:
                moved[a : b + 1] = True
        for a, b in runs(moved):
            inside = far[a : b + 1]
            found.append(PartChange(part, a, b, float(inside.max()), float(np.sqrt((inside**2).mean()))))
    return tuple(sorted(found, key=lambda c: (c.start, -c.furthest)))


def difference(before: Clip, after: Clip) -> tuple[int, float]:
    """Frames that differ, and the furthest that a body moved [m]."""
    changed = (before.q != after.q).any(axis=1)
    if not changed.any():
        return 0, 0.0
    was, now = (np.asarray(c.character.placement(c.q[changed]).positions) for c in (before, after))
    return int(changed.sum()), float(np.linalg.norm(now - was, axis=2).max())
