"""Feet that are as low as where they stand: they scuff the ground, or walk on the spot."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.contacts.patches import FOOT, Patches, patches
from poise.kinematics import Kinematics
from poise.motion import Clip

LOW = 0.006
"""No higher above its lowest a foot counts as down, over stature: a centimetre, which loose feet would use to
strike the floor."""


def low_feet(clip: Clip) -> dict[str, list[tuple[float, float]]]:
    """By part, first and last times of stretches in which a foot is as low as it ever is [s]."""
    own: Patches = patches(clip.character)
    skin = own.places(Kinematics(clip.character, clip.q))[..., 2] - own.radius  # (F, K)
    found: dict[str, list[tuple[float, float]]] = {}
    for part in dict.fromkeys(own.part):
        rows = own.of_part(part)
        if (own.kind[rows] == FOOT).any():
            low = skin[:, rows].min(axis=1)
            found[part] = _runs(low < low.min() + LOW * own.stature, clip.dt)
    return found


def _runs(down: Array, dt: float) -> list[tuple[float, float]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(down).astype(np.int64), [0]])))
    return [(a * dt, (b - 1) * dt) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist())]
