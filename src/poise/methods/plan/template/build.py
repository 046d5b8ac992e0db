"""What a body is to a template: legs that carry it, arms, a trunk, a head; how long, how wide, how heavy.

Everything is told by labels and by the rest pose; nothing by names of joints. A *leg* is whatever leads to
patches that stand (``contacts.patches``): two of a person, four of a quadruped, one of a lamp, whose foot is
its root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, JointKind
from poise.character.facing import ahead
from poise.character.labels import common_ancestor, path_from_root, roles
from poise.contacts.patches import FOOT, Patches, patches
from poise.errors import InputError
from poise.gravity import EARTH

FLAT = 0.035
"""Patches within this of the lowest of a foot are its sole, over stature."""
TILTED = np.radians(75.0)
"""Feet that rest tilted by more are not set flat: they are no feet to stand on."""
LYING = 0.12
"""Share of a person's lean that a trunk over four legs takes."""
HEAVY = 0.9
"""What carries this share of the mass carries the body."""


@dataclass(frozen=True, eq=False)
class Leg:
    """One leg, from the trunk to its sole."""

    name: str
    """"left foot", "right front foot" …"""
    side: float
    """+1 left, −1 right, 0 in the middle."""
    front: bool
    """Whether it is one of the front legs of a figure that has others behind."""
    hip: int
    """The body that turns it."""
    knee: int
    """The body after the hip; the hip itself where there is none."""
    foot: int
    """The body that stands."""
    toes: int
    """A body of its own in front of the foot; −1: none."""
    flat: Array
    """Rotation of the foot that stands flat and looks along x (3, 3)."""
    toes_flat: Array
    """Rotation of the toes that lie flat (3, 3)."""
    origin: Array
    """The foot's origin from the sole's: the point on the ground below it [m] (3,)."""
    heel: Array
    """The hindmost point of the sole, from the sole's origin, foot flat [m] (3,)."""
    ball: Array
    """What the foot rolls over in front, likewise [m] (3,)."""
    tip: Array
    """The foremost point of the sole, likewise [m] (3,)."""
    length: float
    """From hip to sole, stretched [m]."""
    bodies: tuple[int, ...]
    """All that carry patches of its sole."""


@dataclass(frozen=True, eq=False)
class Arm:
    """One arm."""

    side: float
    upper: int
    forearm: int
    hand: int


@dataclass(frozen=True, eq=False)
class Build:
    """A character as templates see it."""

    character: Character
    legs: tuple[Leg, ...]
    arms: tuple[Arm, ...]
    hips: int
    chest: int
    head: int
    """−1: none."""
    mover: int
    """The joint that carries all of it through the world."""
    turn: Array
    """From how it faces at rest to x (3, 3)."""
    patches: Patches
    moves: IntArray
    """Degrees of freedom that templates use."""

    @cached_property
    def leg(self) -> float:
        """Length of its legs, the shortest [m]."""
        return min(leg.length for leg in self.legs)

    @property
    def clock(self) -> float:
        """√(L/g): what takes a time takes so many of these [s]."""
        return float(np.sqrt(self.leg / EARTH))

    @property
    def two_legged(self) -> bool:
        return len(self.legs) == 2

    @property
    def four_legged(self) -> bool:
        return len(self.legs) == 4

    @property
    def one_legged(self) -> bool:
        return len(self.legs) == 1

    @property
    def stoop(self) -> float:
        """Share of a person's lean that the trunk takes: one that lies over four legs would dive."""
        return 1.0 if len(self.legs) < 3 else LYING

    @property
    def scale(self) -> float:
        """Of the body, over one of 1.75 m."""
        return self.patches.scale


@lru_cache(maxsize=8)
def build_of(character: Character) -> Build:
    """The build of a character; what cannot stand is refused, with what is missing."""
    character.require_mass("the weight")
    part, found = roles(character), patches(character)
    front = ahead(character, np.array([0.0, 0.0, 1.0]))
    turn = np.array([[front[0], front[1], 0.0], [-front[1], front[0], 0.0], [0.0, 0.0, 1.0]])
    places = found.rest @ turn.T
    groups = _groups(character, found, places)
    if not groups:
        known = ", ".join(part) or "none"
        raise InputError(
            f"{character.name!r} has nothing to stand on that can be recognised (roles found: {known}): name "
            "its feet as feet are named (LeftFoot, foot_l, L_Ankle …), or give it points on its sole"
        )
    middle = float(np.mean([places[g, 0].mean() for g in groups]))
    each = (_leg(character, found, g, groups, turn, middle) for g in groups)
    legs = tuple(sorted(each, key=lambda leg: (leg.front, -leg.side)))
    mover = _mover(character, legs, part.get("hips", 0))
    hips = part.get("hips", mover)
    if len(legs) == 1:
        hips = next((i for i in range(len(character.bodies)) if character.parents[i] == legs[0].foot), mover)
    head = part.get("head", _labelled_head(character))
    arms = []
    for sign, side in ((1.0, "left"), (-1.0, "right")):
        chain = [part.get(f"{side} {role}") for role in ("upper_arm", "forearm", "hand")]
        if None not in chain and not any(chain[2] in leg.bodies or chain[0] == leg.hip for leg in legs):
            arms.append(Arm(sign, *[int(i) for i in chain if i is not None]))
    chest = part.get("chest", part.get("spine", hips))
    moves = _moves(character, legs, arms, head, chest, mover)
    return Build(character, legs, tuple(arms), hips, chest, head, mover, turn, found, moves)


def _groups(character: Character, found: Patches, places: Array) -> list[list[int]]:
    """Patches that stand, by foot: of one side and near each other, the lowest of each."""
    stand = [k for k in range(len(found)) if found.kind[k] == FOOT]
    if not stand:
        return []
    size, joined = found.stature, {"left foot": 1.0, "right foot": -1.0}
    wide = 0.02 * size
    groups: list[list[int]] = []
    for k in sorted(stand, key=lambda k: float(places[k, 0])):
        side = joined.get(found.part[k], float(np.sign(np.round(places[k, 1] / wide))))
        for group in groups:
            own = joined.get(found.part[group[0]], float(np.sign(np.round(places[group[0], 1] / wide))))
            same = found.part[group[0]] == found.part[k] or _related(
                character, int(found.body[group[0]]), int(found.body[k])
            )
            if same and (own == side or found.body[k] == found.body[group[0]]):
                group.append(k)
                break
        else:
            groups.append([k])
    low = []
    for group in groups:
        bottom = places[group, 2] - found.radius[group]
        sole = [k for k, z in zip(group, bottom) if z < bottom.min() + FLAT * size]
        low.append(sole)
    return low


def _related(character: Character, a: int, b: int) -> bool:
    """Whether two bodies belong to one leg: one ends in the other, or both hang from what is no trunk."""
    if a in character.subtree(b) or b in character.subtree(a):
        return True
    joint = common_ancestor(character, [a, b])
    deep = len(path_from_root(character, joint)) if joint >= 0 else 0
    below = min(len(path_from_root(character, i)) for i in (a, b))
    return joint > 0 and below - deep <= 2


def _leg(
    character: Character, found: Patches, sole: list[int], groups: list[list[int]], turn: Array, middle: float
) -> Leg:
    """A leg by the patches of its sole."""
    part = roles(character)
    at, turns = character.rest_placement()
    at, turns = at @ turn.T, turn @ turns
    bodies = tuple(dict.fromkeys(int(found.body[k]) for k in sole))
    name = found.part[sole[0]]
    y = float(np.mean((found.rest @ turn.T)[sole, 1]))
    side = float(np.sign(np.round(y / (0.02 * found.stature))))
    word = {1.0: "left", -1.0: "right"}.get(side, "")
    person = name in ("left foot", "right foot") and f"{word} thigh" in part
    if person:
        foot = part[f"{word} foot"]
        hip, knee = part[f"{word} thigh"], part.get(f"{word} shin", part[f"{word} thigh"])
        toes = part.get(f"{word} toes", -1)
        if toes == foot or toes not in bodies:
            toes = -1
        if len(groups) == 4 and foot not in bodies:  # stands on its toes: the last joint is the foot
            foot, toes = bodies[0], -1
    else:
        foot = bodies[0] if len(bodies) == 1 else common_ancestor(character, bodies)
        others = [int(found.body[k]) for g in groups if g is not sole for k in g]
        hip = foot
        while (up := int(character.parents[hip])) >= 0 and not any(
            o in character.subtree(up) for o in others
        ):
            hip = up
        hip = foot if not others else hip
        toes, knee = -1, hip
        way = path_from_root(character, foot)
        knee = way[min(way.index(hip) + 1, len(way) - 1)]
    flat, toes_flat = _level(found, sole, at, turns, foot, toes)
    bottoms = []
    back = flat @ turns[foot].T
    for k in sole:
        body = int(found.body[k])
        place = back @ (at[body] - at[foot] + turns[body] @ found.place[k])
        bottoms.append(place - [0.0, 0.0, found.radius[k]])
    low = np.array(bottoms)
    height = -float(low[:, 2].min())
    origin = np.array([0.0, 0.0, height])
    heel, tip = low[int(np.argmin(low[:, 0]))] + origin, low[int(np.argmax(low[:, 0]))] + origin
    aside = float(low[:, 1].mean())
    heel, tip = np.array([heel[0], aside, 0.0]), np.array([tip[0], aside, 0.0])
    ball = tip
    if toes >= 0:
        ball = origin + back @ (at[toes] - at[foot])
    length = _stretched(character, at, hip, foot, knee) + height
    front = len(groups) > 2 and float(at[foot, 0]) > middle
    return Leg(
        name, side, front, hip, knee, foot, toes, flat, toes_flat, origin, heel, ball, tip, length, bodies
    )


def _level(
    found: Patches, sole: list[int], at: Array, turns: Array, foot: int, toes: int
) -> tuple[Array, Array]:
    """Rotations of foot and toes that bring the sole's patches to one height, from how they rest."""
    flat = turns[foot]
    places = np.array([at[int(found.body[k])] + turns[int(found.body[k])] @ found.place[k] for k in sole])
    low = places[:, 2] - found.radius[sole]
    near, far = int(np.argmin(places[:, 0])), int(np.argmax(places[:, 0]))
    reach = places[far, :2] - places[near, :2]
    along = float(np.linalg.norm(reach))
    if along > 1e-3 * found.stature:
        tilt = np.arctan2(low[near] - low[far], along)
        if abs(tilt) < TILTED:
            flat = _about_y(-tilt) @ flat  # the lower end is raised
    toes_flat = np.eye(3) if toes < 0 else flat @ turns[foot].T @ turns[toes]
    return np.asarray(flat), np.asarray(toes_flat)


def _about_y(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _stretched(character: Character, at: Array, hip: int, foot: int, knee: int) -> float:
    """Length of the bones from the hip to the foot [m]; where a foot hangs elsewhere, by way of the knee."""
    way = path_from_root(character, foot)
    if hip in way:
        chain = way[way.index(hip) :]
    else:
        chain = [hip, knee, foot]
    total = sum(float(np.linalg.norm(at[b] - at[a])) for a, b in pairwise(chain))
    if total > 0:
        return total
    return float(at[:, 2].max() - at[foot, 2])  # a lamp: all that is above its base


def _mover(character: Character, legs: tuple[Leg, ...], hips: int) -> int:
    """The last joint on the way to the hips that carries all legs and the weight."""
    free = (JointKind.FREE, JointKind.PLANAR)
    mass = np.array([b.mass.mass for b in character.bodies])
    found = -1
    for i in path_from_root(character, hips):
        below = character.subtree(i)
        whole = all(leg.foot in below for leg in legs) and mass[below].sum() > HEAVY * mass.sum()
        if whole and character.bodies[i].joint.kind in free:
            found = i
    if found < 0:
        root = character.names[0]
        raise InputError(
            f"{character.name!r} cannot travel: its root {root!r} is fixed to the world. Give it a free "
            "joint (MJCF: <freejoint/>; BVH: six channels)"
        )
    return found


def _labelled_head(character: Character) -> int:
    return next((i for i, b in enumerate(character.bodies) if b.limb == "head"), -1)


def _moves(
    character: Character, legs: tuple[Leg, ...], arms: list[Arm], head: int, chest: int, mover: int
) -> IntArray:
    """Degrees of freedom on the way to feet, hands and head; places of joints stay, but the mover's."""
    bodies: set[int] = {mover}
    ends = [b for leg in legs for b in (leg.foot, leg.knee, *([leg.toes] if leg.toes >= 0 else []))]
    ends += [arm.hand for arm in arms] + ([head] if head >= 0 else []) + [chest]
    for end in ends:
        way = path_from_root(character, end)
        bodies |= set(way[way.index(mover) + 1 :] if mover in way else [])
    dofs: list[int] = []
    apart = {leg.foot for leg in legs if leg.hip not in path_from_root(character, leg.foot)}
    for i in sorted(bodies):
        joint, span = character.bodies[i].joint, character.dofs(i)
        own = list(range(span.start, span.stop))
        if joint.kind is JointKind.FREE and i != mover and i not in apart:
            own = own[3:]
        if joint.kind is JointKind.SLIDE:
            own = []
        dofs += own
    return np.array(sorted(dofs), dtype=np.int64)
