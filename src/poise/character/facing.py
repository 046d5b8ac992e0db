"""Which way a figure faces at rest: ahead = (left − right) × up.

Left and right are hips and shoulders (of a quadruped: hips and forelegs). Up is z for a figure that
stands at rest, though its trunk may lean a little, and along the trunk for any other.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character.character import Character
from poise.character.labels import parts, roles, sides
from poise.character.naming import Part

UPRIGHT = 0.8
"""The least cosine between what should be upright or level and the vertical or horizontal."""
SQUARE = np.cos(np.radians(20.0))
"""The least cosine between where a figure faces and an axis of the world, for it to face along that axis."""


def left_of(character: Character) -> list[Array]:
    """From right to left at the hips and at the shoulders (or forelegs), where there are such, (3,) each."""
    what = parts(character)
    side = sides(character, what)
    at = character.rest_placement().positions
    found = []
    for part in (Part.THIGH, Part.UPPER_ARM, Part.FORELEG):
        first = {side[i]: i for i in reversed(range(len(what))) if what[i] is part}
        if "left" in first and "right" in first:
            found.append(at[first["left"]] - at[first["right"]])
    return found


def ahead(character: Character, up: Array) -> Array:
    """The unit direction that the figure faces at rest, square to ``up``, (3,).

    A figure without breadth faces the way its feet point; one without feet, its root's x axis (or another
    that is not along ``up``).
    """
    at, turns = character.rest_placement()
    tries = [np.cross(sum(left_of(character), np.zeros(3)), up), _toes(character), *turns[0].T]
    size = float(np.ptp(at, axis=0).max()) or 1.0
    for way, least in zip(tries, (1e-6 * size, 1e-6 * size, 0.5, 0.5, 0.5)):
        flat = way - (way @ up) * up / (up @ up)
        if (length := float(np.linalg.norm(flat))) > least:
            return np.asarray(flat / length)
    raise AssertionError("three axes cannot all be along one direction")


def quarter_heading(character: Character) -> int | None:
    """How many quarter turns to the left of x a standing figure faces, 0 to 3.

    None where it does not stand upright at rest, has no two sides, faces none of the four ways, or where its
    hips, shoulders and feet disagree.
    """
    lefts = left_of(character)
    if not lefts or not stands(character):
        return None
    found = set()
    for left in lefts:
        x, y = left[1], -left[0]  # (left × z)
        level = float(np.hypot(x, y))
        turn = int(np.round(np.arctan2(y, x) / (np.pi / 2))) % 4
        along = (x, y, -x, -y)[turn]
        if level < UPRIGHT * np.linalg.norm(left) or level == 0.0 or along < SQUARE * level:
            return None
        found.add(turn)
    if len(found) > 1:
        return None
    turn = found.pop()
    toes = _toes(character)
    backward = -(toes[0], toes[1], -toes[0], -toes[1])[turn]
    return None if backward > 0.5 * np.hypot(toes[0], toes[1]) else turn


def stands(character: Character) -> bool:
    """Whether legs go down from the hips or, without legs, a head is above the shoulders."""
    at, found = character.rest_placement().positions, roles(character)
    ways = []
    for side in ("left", "right"):
        hip, end = (
            f"{side} thigh",
            next((f"{side} {p}" for p in ("foot", "shin") if f"{side} {p}" in found), ""),
        )
        if hip in found and end:
            ways.append(at[found[hip]] - at[found[end]])
    arms = [at[found[f"{s} upper_arm"]] for s in ("left", "right") if f"{s} upper_arm" in found]
    if not ways and arms and "head" in found:
        ways = [at[found["head"]] - np.mean(arms, axis=0)]
    return bool(ways) and all(way[2] > UPRIGHT * np.linalg.norm(way) for way in ways)


def _toes(character: Character) -> Array:
    """From both ankles to the tips of the feet, (3,); nothing where feet have no length."""
    (at, turns), found = character.rest_placement(), roles(character)
    total = np.zeros(3)
    for side in ("left", "right"):
        if f"{side} foot" not in found:
            continue
        ankle = found[f"{side} foot"]
        tips = [at[i] for i in character.subtree(ankle)[1:]]
        for i in character.subtree(ankle):
            tips += [at[i] + turns[i] @ np.asarray(p) for p in character.bodies[i].points.values()]
        total += max(
            (t - at[ankle] for t in tips), key=lambda way: float(np.linalg.norm(way)), default=np.zeros(3)
        )
    return total
