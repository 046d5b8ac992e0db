"""Which body is what: side and limb of every body, and the canonical roles of a skeleton.

Names are read first (``naming``); the tree then settles words that mean different things in
different rigs, and where names say nothing the rest pose does (``nameless``). Hinges that meet in a point
are one part (``limbs``). Sides that no name tells
follow from the side of the mirror plane (``symmetry``) on which a body rests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from poise.character.character import Character
from poise.character.joint import JointKind
from poise.character.limbs import limb_joints
from poise.character.nameless import limbs_by_shape
from poise.character.naming import Part, Reading, read_name
from poise.character.symmetry import ASIDE, symmetry
from poise.errors import UnknownNameError

_LIMB = {
    Part.HIPS: "spine",
    Part.SPINE: "spine",
    Part.NECK: "head",
    Part.HEAD: "head",
    Part.FACE: "head",
    Part.CLAVICLE: "arm",
    Part.UPPER_ARM: "arm",
    Part.FOREARM: "arm",
    Part.HAND: "hand",
    Part.FINGER: "hand",
    Part.THIGH: "leg",
    Part.SHIN: "leg",
    Part.FOOT: "foot",
    Part.TOES: "foot",
    Part.TAIL: "tail",
    Part.WING: "wing",
    Part.FORELEG: "foreleg",
}
_ARM = (Part.CLAVICLE, Part.UPPER_ARM, Part.FOREARM, Part.HAND)
_LEG = (Part.THIGH, Part.SHIN, Part.FOOT, Part.TOES)
_ROLL = re.compile(r"(?i)(?<![a-z])roll(?![a-z])|(?<=[a-z])Roll(?![a-z])")
"""The word in the name of a motor."""
_ROLES_PER_SIDE = (*_ARM, *_LEG)
_PAIRED = (*_ROLES_PER_SIDE, Part.FINGER, Part.WING, Part.FORELEG)

ROLES: tuple[str, ...] = (
    "hips", "spine", "chest", "neck", "head",
    *(f"{side} {part.value}" for side in ("left", "right") for part in _ROLES_PER_SIDE),
)  # fmt: skip
"""All canonical roles; a skeleton has some of them."""


def labelled(character: Character) -> Character:
    """The same character with side and limb filled in wherever a body has none yet."""
    what = parts(character)
    found_sides = sides(character, what)
    lead = {int(up): i for i, up in reversed(list(enumerate(character.parents)))}  # first child of each
    limbs: list[str] = []
    bodies = []
    for i, body in enumerate(character.bodies):
        side = body.side if body.side != "centre" else found_sides[i]
        up = int(character.parents[i])
        inherited = limbs[up] if up >= 0 else ""
        if inherited == "spine":  # what hangs from the trunk is not the trunk, but may lead to a limb
            inherited = _LIMB.get(what[lead[i]], "") if i in lead else ""
        limb = _LIMB.get(what[i], inherited)
        if what[i] is Part.HIPS and side != "centre":
            limb = "leg"  # a hip joint between pelvis and thigh moves the leg
        limbs.append(body.limb or limb)
        bodies.append(body.replaced(side=side, limb=limbs[-1]))
    return character.with_bodies(bodies)


def roles(character: Character) -> dict[str, int]:
    """Canonical roles found in the skeleton: role → body index (see ``ROLES``).

    Of several bodies of one part (a spine of four, a split thigh) the one nearest the root has
    the role, except that "chest" is where the arms branch off.
    """
    return dict(_roles(character))


def point_named(character: Character, name: str) -> str:
    """The point of that name, or of that role: "right hand", "head"."""
    if name in character.points:
        return name
    known = roles(character)
    if name not in known:
        raise UnknownNameError("point or role", name, [*character.points, *known])
    centre = f"{name.title().replace(' ', '')}Centre"
    return centre if centre in character.points else character.names[known[name]]


@lru_cache(maxsize=16)
def _roles(character: Character) -> dict[str, int]:
    what = parts(character)
    side = sides(character, what)
    found: dict[str, int] = {}
    for wing in ("left", "right"):
        for part in _ROLES_PER_SIDE:
            those = [i for i in range(len(what)) if what[i] is part and side[i] == wing]
            if those:
                # "foot" and "hand" by name come before "ankle" and "palm" of the same part.
                named = [i for i in those if part.value in read_name(character.names[i]).words]
                found[f"{wing} {part.value}"] = limb_joints(character)[(named or those)[0]].at
    hips = _hips(character, what, side)
    if hips is not None:
        found["hips"] = hips
    shoulders = [found[f"{s} upper_arm"] for s in ("left", "right") if f"{s} upper_arm" in found]
    trunk = [i for i in range(len(what)) if what[i] is Part.SPINE and i != hips and side[i] == "centre"]
    chest = common_ancestor(character, shoulders) if len(shoulders) == 2 else -1
    if chest >= 0 and chest != hips:
        found["chest"] = chest
    ends = character.subtree_ends
    joints = limb_joints(character)
    below = [i for i in trunk if chest < 0 or (joints[i] is not joints[chest] and i <= chest < ends[i])]
    if below:
        found["spine"] = joints[below[0]].at
    for part in (Part.NECK, Part.HEAD):
        those = [i for i in range(len(what)) if what[i] is part]
        if those:
            found[part.value] = joints[those[0]].at
    return {role: found[role] for role in ROLES if role in found}


@lru_cache(maxsize=16)
def parts(character: Character) -> tuple[Part, ...]:
    """The part every body belongs to; ambiguous names settled, unknown ones by the rest pose."""
    what = [_reading(character, i).part for i in range(len(character.names))]
    _gather(character, what)
    known = sum(p not in (Part.UNKNOWN, Part.HELPER) for p in what)
    if 2 * known < len(what):
        for i, part in limbs_by_shape(character).items():
            if what[i] in (Part.UNKNOWN, Part.HELPER):
                what[i] = part
    _settle(character, what)
    _settle_trunk(character, what)
    side = sides(character, what)
    if not any(part is Part.HIPS and s == "centre" for part, s in zip(what, side)):
        hips = _hips(character, what, side)
        if hips is not None and what[hips] in (Part.UNKNOWN, Part.SPINE, Part.HELPER):
            what[hips] = Part.HIPS
    return tuple(what)


def _reading(character: Character, body: int) -> Reading:
    """What a body's name says; the roll of a hinge is a motion, that of a bone beside others a helper."""
    name = character.names[body]
    if character.bodies[body].joint.kind is JointKind.HINGE:
        name = _ROLL.sub("", name)
    return read_name(name)


def _gather(character: Character, what: list[Part]) -> None:
    """One part for each limb joint: what its first body of flesh is called, else its last that is known."""
    for joint in dict.fromkeys(j.bodies for j in limb_joints(character) if len(j.bodies) > 1):
        flesh = [i for i in joint if character.bodies[i].mass.mass > 0]
        known = [i for i in joint if what[i] not in (Part.UNKNOWN, Part.HELPER)]
        first = [i for i in flesh if i in known]
        if known:
            part = what[first[0] if first else known[-1]]
            for i in joint:
                what[i] = part


def sides(character: Character, what: Sequence[Part]) -> list[str]:
    """Side of every body: by its name, else its parent's, else by where it stands at rest."""
    plane = symmetry(character)
    found: list[str] = []
    for i, name in enumerate(character.names):
        up = int(character.parents[i])
        aside = abs(plane.aside[i]) > ASIDE * plane.size
        said = read_name(name).side if aside or what[i] is not Part.SPINE else ""  # L5 is a vertebra
        side = said or (found[up] if up >= 0 and found[up] != "centre" else "")
        if not side and aside and (what[i] in _PAIRED or plane.twins[i]):
            side = "left" if plane.aside[i] > 0 else "right"
        found.append(side or "centre")
    return found


def common_ancestor(character: Character, bodies: Iterable[int]) -> int:
    """The last body on the way from the root to all of ``bodies``; −1 for none."""
    ways = [path_from_root(character, i) for i in bodies]
    last = -1
    for step in zip(*ways):
        if len(set(step)) > 1:
            break
        last = step[0]
    return last


def path_from_root(character: Character, body: int) -> list[int]:
    """Bodies from the root down to ``body``."""
    way = [body]
    while (up := int(character.parents[way[-1]])) >= 0:
        way.append(up)
    return way[::-1]


def _hips(character: Character, what: Sequence[Part], side: Sequence[str]) -> int | None:
    """The body that carries both legs, by name where a named one does."""
    named = [i for i in range(len(what)) if what[i] is Part.HIPS and side[i] == "centre"]
    first = [
        next((i for i in range(len(what)) if what[i] is Part.THIGH and side[i] == s), None)
        for s in ("left", "right")
    ]
    thighs = [i for i in first if i is not None]
    if len(thighs) == 2:
        joint = common_ancestor(character, thighs)
        if joint in thighs:
            return None
        way = path_from_root(character, joint)
        return next((i for i in named if i in way), joint)
    return named[0] if named else None


def _settle(character: Character, what: list[Part]) -> None:
    """Ambiguous parts made definite by what hangs above and below them."""
    below = _parts_below(character, what)
    for i, part in enumerate(what):
        if part is Part.SHOULDER:
            what[i] = Part.CLAVICLE if below[i] & _any(Part.UPPER_ARM, Part.ARM) else Part.UPPER_ARM
        elif part is Part.WRIST:
            what[i] = Part.FOREARM if below[i] & _any(Part.HAND) else Part.HAND
    below, above = _parts_below(character, what), [0] * len(what)
    for i in range(len(what)):
        up = int(character.parents[i])
        above[i] = above[up] | _BIT[what[up]] if up >= 0 else 0
        if what[i] in (Part.ARM, Part.LEG):
            chain = [k for k in character.subtree(i) if what[k] is what[i]]
            if what[i] is Part.ARM:
                hand = bool(below[i] & _any(Part.HAND, Part.FINGER))
                names = _arm_names(len(chain), bool(below[i] & _any(Part.FOREARM)), hand)
            else:
                thigh = _any(Part.THIGH, Part.HIP) if len(chain) == 1 else _any(Part.THIGH)
                shin, foot = below[i] & _any(Part.SHIN), below[i] & _any(Part.FOOT)
                names = _leg_names(len(chain), bool(above[i] & thigh), bool(shin), bool(foot))
            for k, name in zip(chain, names):
                what[k] = name
    below, joints = _parts_below(character, what), limb_joints(character)
    for i, part in enumerate(what):
        up = int(character.parents[i])
        # Joints named one by one (knee, ankle, foot): what hangs from the ankle is the fore foot,
        # unless the ankle is a motor that turns the foot itself.
        if (
            part is Part.FOOT
            and up >= 0
            and what[up] is Part.FOOT
            and joints[up] is not joints[i]
            and "ankle" in read_name(character.names[up]).words
            and "ankle" not in read_name(character.names[i]).words
            and not below[i] & _any(Part.TOES)
        ):
            what[i] = Part.TOES
        if part is Part.HIP:
            leads_on = below[i] & _any(Part.THIGH) or not below[i] & _any(Part.SHIN, Part.FOOT)
            what[i] = Part.HIPS if leads_on else Part.THIGH


def _settle_trunk(character: Character, what: list[Part]) -> None:
    """What lies between hips, chest and head: numbered vertebrae, twisting necks, columns up to a head.

    Rigs call a whole column one thing (Rigify: spine … spine.006) or number it as anatomists do (L5, T8).
    """
    thighs, arms = (
        [i for i, part in enumerate(what) if part is wanted] for wanted in (Part.THIGH, Part.UPPER_ARM)
    )
    chest = common_ancestor(character, arms) if len(arms) > 1 else -1
    hips = common_ancestor(character, thighs) if len(thighs) > 1 else -1
    if chest >= 0 and hips >= 0 and chest != hips and hips in path_from_root(character, chest):
        for i in path_from_root(character, chest):
            if i > hips and what[i] is Part.UNKNOWN:
                what[i] = Part.SPINE
    above = [i for i in character.subtree(chest)[1:] if what[i] is Part.SPINE] if chest >= 0 else []
    if above and Part.HEAD not in what and Part.NECK not in what:
        column = path_from_root(character, above[-1])
        for i in above:
            if i in column:
                what[i] = Part.HEAD if i == above[-1] else Part.NECK
    head = next((i for i, part in enumerate(what) if part is Part.HEAD), -1)
    if chest >= 0 and head >= 0 and Part.NECK not in what:
        for i in path_from_root(character, head)[:-1]:
            twists = what[i] is Part.HELPER and "neck" in read_name(character.names[i]).words
            if i > chest and (twists or what[i] is Part.UNKNOWN):
                what[i] = Part.NECK
    if Part.HEAD not in what and Part.NECK in what:
        what[max(i for i, part in enumerate(what) if part is Part.NECK)] = Part.HEAD


_BIT = {part: 1 << n for n, part in enumerate(Part)}


def _any(*wanted: Part) -> int:
    """A set of parts as bits."""
    return sum(_BIT[part] for part in wanted)


def _parts_below(character: Character, what: Sequence[Part]) -> list[int]:
    """The parts of all that hangs from each body, as bits."""
    found = [0] * len(what)
    for i in range(len(what) - 1, 0, -1):
        found[int(character.parents[i])] |= found[i] | _BIT[what[i]]
    return found


def _arm_names(count: int, forearm_below: bool, hand_below: bool) -> list[Part]:
    """Parts of a chain of bodies that are all just called "arm"."""
    if forearm_below or count == 1:
        return [Part.UPPER_ARM] * count
    if hand_below:
        whole = (
            [Part.UPPER_ARM, Part.FOREARM] if count == 2 else [Part.CLAVICLE, Part.UPPER_ARM, Part.FOREARM]
        )
    else:
        whole = [Part.UPPER_ARM, Part.FOREARM, Part.HAND]
        whole = [Part.CLAVICLE, *whole] if count > 3 else whole
    return [*whole[:count], *[whole[-1]] * (count - len(whole))]


def _leg_names(count: int, thigh_above: bool, shin_below: bool, foot_below: bool) -> list[Part]:
    """Parts of a chain of bodies that are all just called "leg"."""
    if thigh_above:
        return [Part.SHIN] * count
    if shin_below or count == 1:
        return [Part.THIGH] * count
    whole = list(_LEG[:2] if foot_below else _LEG)
    return [*whole[:count], *[whole[-1]] * (count - len(whole))]
