"""Which places of a character may touch the floor, grouped into parts that touch as one.

A *part* is what stands, leans or lies: a foot (heel, ball, toes), a hand, a knee. Feet and hands are found
by their labels; every other body is a part of its own. Points are joints and the named points; flesh
reaches below them by ``thickness``, which is only a rough share of the stature here: how high the points of
a foot stand is learned from the clip (``floor``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character import Character
from poise.character.labels import labelled
from poise.contacts.differentiated_clip import FEW, Take, rate_of

THICKNESS = {"foot": 0.0, "hand": 0.015, "arm": 0.025, "leg": 0.03, "spine": 0.06, "head": 0.05}
"""How far flesh reaches beyond joints, over stature, by limb."""
OTHER = 0.03
SOLE = 0.022
"""Half the width of a sole, over stature: what a contact point stands for is a disc of this radius."""


@dataclass(frozen=True, eq=False)
class Touching:
    """Points (P of them) that may touch, with their motion."""

    names: tuple[str, ...]
    body: IntArray
    """(P,)"""
    part: IntArray
    """Index into ``parts`` (P,)."""
    parts: tuple[str, ...]
    feet: tuple[bool, ...]
    """Which parts are labelled as feet."""
    thickness: Array
    """Flesh below the point [m] (P,)."""
    places: Array
    """As they are in the clip [m] (N, P, 3)."""
    velocities: Array
    """Of the filtered motion [m/s] (N, P, 3)."""

    @property
    def speeds(self) -> Array:
        """[m/s] (N, P)."""
        return np.asarray(np.linalg.norm(self.velocities, axis=2))

    def of_part(self, part: int) -> IntArray:
        """Indices of a part's points."""
        return np.flatnonzero(self.part == part)


def touching(take: Take) -> Touching:
    """Points of the take's character that may touch."""
    character = take.clip.character
    names, body = _points(character)
    parts, part, feet = _parts(character, body)
    limbs = [labelled_limb(character, int(i)) for i in body]
    raw, kin = take.raw, take.kin
    places = np.stack([raw.point(n) for n in names], axis=1)
    moving = np.stack([kin.point(n) for n in names], axis=1)
    return Touching(
        names,
        frozen(body, dtype=np.int64),
        frozen(part, dtype=np.int64),
        parts,
        feet,
        frozen([take.stature * THICKNESS.get(limb, OTHER) for limb in limbs]),
        places,
        rate_of(moving, take.dt) if take.clip.frames > FEW else np.zeros_like(moving),
    )


def labelled_limb(character: Character, body: int) -> str:
    """The limb that a body belongs to, by its own label or else as guessed."""
    return character.bodies[body].limb or _labelled(character).bodies[body].limb


def _labelled(character: Character) -> Character:
    return character if all(b.limb for b in character.bodies) else labelled(character)


def _points(character: Character) -> tuple[tuple[str, ...], list[int]]:
    """Named points and joints, without the joints of feet that have a sole."""
    own = _labelled(character)
    names, body = [], []
    for name, point in character.points.items():
        ghost = character.total_mass > 0 and not character.bodies[point.body].mass.mass
        if ghost and own.bodies[point.body].limb not in ("foot", "hand"):
            continue  # a helper of the rig, not a piece of anybody
        origin = name == character.names[point.body]
        below = character.subtree(point.body)
        if origin and own.bodies[point.body].limb == "foot" and any(has_sole(character, i) for i in below):
            continue
        names.append(name)
        body.append(point.body)
    return tuple(names), body


def has_sole(character: Character, body: int) -> bool:
    """Whether the foot has points below its joint, at rest: these are its sole."""
    _, turns = character.rest_placement()
    points = [turns[body] @ np.asarray(p) for p in character.bodies[body].points.values()]
    return any(p[2] < -0.005 for p in points)


def _parts(character: Character, body: list[int]) -> tuple[tuple[str, ...], list[int], tuple[bool, ...]]:
    own = _labelled(character)
    names: list[str] = []
    for i in body:
        b = own.bodies[i]
        whole = b.limb in ("foot", "hand") and b.side != "centre"
        names.append(f"{b.side} {b.limb}" if whole and _alone(own, i) else b.name)
    parts = tuple(dict.fromkeys(names))
    feet = tuple(
        any(own.bodies[i].limb == "foot" for n, i in zip(names, body) if n == part) for part in parts
    )
    return parts, [parts.index(n) for n in names], feet


def _alone(character: Character, body: int) -> bool:
    """Whether the foot or hand is the only one of its side (those of a many-legged figure have names)."""
    b = character.bodies[body]
    tops = [
        i
        for i, other in enumerate(character.bodies)
        if (other.limb, other.side) == (b.limb, b.side)
        and (character.parents[i] < 0 or character.bodies[int(character.parents[i])].limb != b.limb)
    ]
    return len(tops) == 1
