"""Feet that are known by their ankle alone, as robots' are, with a heel and a ball told from their shapes.

A foot that is held by its ankle rolls about it, and its sole dips into the ground. ``soled`` makes the same
character with points under the ends of its soles (``contacts.patches``), by which such feet can stand, and
with feet under the shins where they hang beside the legs (``hung_feet``).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.feet_at_rest import feet_at_rest
from poise.character.labels import roles
from poise.contacts.patches import FOOT, patches
from poise.motion.hung_feet import Hanging, hanging

LEAST = 0.25
"""A sole is at least so long, over its ankle's height: shorter ones are balls, which have no ends."""


@lru_cache(maxsize=8)
def soled(character: Character) -> Hanging | None:
    """The character with heels and balls, on legs that carry its feet.

    None where it has all that, or no shape tells it.
    """
    hung = hanging(character)
    own = character if hung is None else hung.hung
    found = {side: _ends(own, side) for side in ("left", "right")}
    if not any(found.values()):
        return hung
    bodies = list(own.bodies)
    for side, ends in found.items():
        if ends is None:
            continue
        foot, *places = ends
        points = dict(bodies[foot].points)
        for part, (x, y, z) in zip(("Heel", "Ball"), places):
            points[f"{side.title()}{part}"] = (float(x), float(y), float(z))
        bodies[foot] = bodies[foot].replaced(points=points)
    return Hanging(character, own.with_bodies(bodies), () if hung is None else hung.feet)


def _ends(character: Character, side: str) -> tuple[int, Array, Array] | None:
    """A foot's body and the lower ends of its sole in that frame; None where they are known, or not told."""
    known, skin = roles(character), patches(character)
    foot = known.get(f"{side} foot")
    named = any(f"{side.title()}{part}" in character.points for part in ("Heel", "Ball"))
    if foot is None or f"{side} toes" in known or named:
        return None
    own = np.flatnonzero((skin.kind == FOOT) & (skin.body == foot))
    if len(own) < 2:
        return None
    at, turns = feet_at_rest(character)
    under = skin.rest[own] - skin.radius[own, None] * [0.0, 0.0, 1.0]
    half = len(own) // 2  # patches lie from back to front
    heel, ball = under[:half].mean(axis=0), under[-half:].mean(axis=0)
    high = float(at[foot][2] - min(heel[2], ball[2]))
    if float(np.linalg.norm((ball - heel)[:2])) < LEAST * max(high, 0.0):
        return None
    return foot, turns[foot].T @ (heel - at[foot]), turns[foot].T @ (ball - at[foot])
