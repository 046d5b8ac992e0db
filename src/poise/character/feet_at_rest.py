"""A rest in which one foot is lifted, with that foot as the other.

Some files rest in a frame of their motion: one foot is flat on the ground, the other on its toes. How feet
lie at rest tells what is flat, so a foot that slopes otherwise than the other is taken as that one, mirrored:
the flatter of the two.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.arrays import Array, frozen
from poise.character.character import Character
from poise.character.labels import roles
from poise.character.placement import BodyPlaces
from poise.manifold import so3

ASKEW = np.radians(15.0)
"""Feet that slope alike within this are as they were drawn: captured people's differ by four degrees."""


@lru_cache(maxsize=16)
def feet_at_rest(character: Character) -> BodyPlaces:
    """Places (n, 3) and turns (n, 3, 3) at rest, feet as the flatter; the rest itself where they agree."""
    rest, known = character.rest_placement(), roles(character)
    at = rest.positions
    sides = ("left", "right")
    if any(f"{side} {part}" not in known for side in sides for part in ("thigh", "foot", "toes")):
        return rest
    ways = [at[known[f"{side} toes"]] - at[known[f"{side} foot"]] for side in sides]
    across = at[known["left thigh"]] - at[known["right thigh"]]
    slopes = [_slope(way) for way in ways]
    if abs(slopes[0] - slopes[1]) <= ASKEW or float(np.linalg.norm(across)) < 1e-6:
        return rest
    across = across / np.linalg.norm(across)
    flat = int(np.argmin(np.abs(slopes)))
    lifted = 1 - flat
    like = ways[flat] - 2.0 * (ways[flat] @ across) * across
    foot = known[f"{sides[lifted]} foot"]
    turn = so3.to_matrix(so3.between(_unit(ways[lifted]), _unit(like)))
    positions, rotations = np.array(at), np.array(rest.rotations)
    own = list(character.subtree(foot))
    positions[own] = at[foot] + (at[own] - at[foot]) @ turn.T
    rotations[own] = turn @ rest.rotations[own]
    return BodyPlaces(frozen(positions), frozen(rotations))


def _slope(way: Array) -> float:
    """Of a direction, above the level [rad]."""
    return float(np.arctan2(way[2], np.hypot(way[0], way[1])))


def _unit(v: Array) -> Array:
    return np.asarray(v / max(float(np.linalg.norm(v)), 1e-12))
