"""Joint range: elbows and knees bend one way only.

A bend is the angle between the bones on either side, about the axis upper × lower in the upper bone's frame.
The way a joint
usually bends is that of the clip itself, where it bends at all; the other way is backwards.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.character.labels import roles
from poise.contacts.differentiated_clip import runs
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.phase import counts
from poise.plausibility.physics import Physics

JOINTS = {"elbow": ("upper_arm", "forearm", "hand"), "knee": ("thigh", "shin", "foot")}
BACKWARDS = 15.0, 45.0
"""[degrees]: fine, absurd; some elbows reach ten."""
BENT = 20.0
"""A joint that bends less at its most says nothing about which way is forwards [degrees]."""
ALIKE = 0.6
"""How alike the axes of its bends must be, 0 … 1, to call one of them usual."""
LASTING = 0.04
"""Shorter ones are jumps [s]."""


def bends(physics: Physics) -> Iterator[Finding]:
    """Findings about elbows and knees that bend backwards."""
    take = physics.take
    found = roles(take.clip.character)
    for side in ("left", "right"):
        for joint, chain in JOINTS.items():
            bodies = [found.get(f"{side} {part}") for part in chain]
            if None in bodies:
                continue
            flexed = flexion(physics, *(int(b) for b in bodies if b is not None))
            for a, b in runs(-flexed > BACKWARDS[0]):
                if (b - a + 1) * take.dt < LASTING or not counts(take, a, b):
                    continue
                worst = float(-flexed[a : b + 1].min())
                words = f"{side} {joint} bends {worst:.0f}° backwards"
                score = score_between(worst, *BACKWARDS)
                yield Finding(
                    "bend", a - take.lead, b - take.lead, f"{side} {joint}", worst, "°", 0.0, score, words
                )


def flexion(physics: Physics, upper: int, lower: int, end: int) -> Array:
    """Bend of a joint in every frame of the take [degrees] (N,): negative the way it usually does not
    bend."""
    kin = physics.take.raw
    x = np.asarray(kin.positions)
    a, b = x[:, lower] - x[:, upper], x[:, end] - x[:, lower]
    cross = np.cross(a, b)
    size = np.linalg.norm(cross, axis=1)
    angle = np.degrees(np.arctan2(size, (a * b).sum(axis=1)))
    axis = np.einsum("fji,fj->fi", kin.rotations[:, upper], cross) / np.maximum(size, 1e-12)[:, None]
    own = physics.footing.belongs
    bent = own & (angle > max(BENT, float(np.quantile(angle[own], 0.5))))
    if not bent.any():
        return np.zeros(len(x))
    usual = np.median(axis[bent], axis=0)
    if np.linalg.norm(usual) < ALIKE:
        return np.zeros(len(x))
    usual /= np.linalg.norm(usual)
    return np.asarray(np.where(own, angle * (axis @ usual), 0.0))
