"""Which body is what: side and limb of every body, and the canonical roles of a skeleton.

Names are read first (``naming``); the tree then settles words that mean different things in
different rigs, and where names say nothing the rest pose does: two mirrored chains that reach the
ground are legs, two mirrored chains further up are arms, what goes on upwards is the head. Sides
that no name tells follow from the rest position (left is +y).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from poise.arrays import Array
from poise.character.character import Character
from poise.character.naming import Part, read_name

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
                found[f"{wing} {part.value}"] = (named or those)[0]
    hips = _hips(character, what, side)
    if hips is not None:
        found["hips"] = hips
    shoulders = [found[f"{s} upper_arm"] for s in ("left", "right") if f"{s} upper_arm" in found]
    trunk = [i for i in range(len(what)) if what[i] is Part.SPINE and i != hips and side[i] == "centre"]
    chest = common_ancestor(character, shoulders) if len(shoulders) == 2 else -1
    if chest >= 0 and chest != hips:
        found["chest"] = chest
    below = [i for i in trunk if i != chest and (chest < 0 or chest in character.subtree(i))]
    if below:
        found["spine"] = below[0]
    for part in (Part.NECK, Part.HEAD):
        those = [i for i in range(len(what)) if what[i] is part]
        if those:
            found[part.value] = those[0]
    return {role: found[role] for role in ROLES if role in found}


@lru_cache(maxsize=16)
def parts(character: Character) -> tuple[Part, ...]:
    """The part every body belongs to; ambiguous names settled, unknown ones by the rest pose."""
    what = [read_name(n).part for n in character.names]
    known = sum(p not in (Part.UNKNOWN, Part.HELPER) for p in what)
    if 2 * known < len(what):
        _read_shape(character, what)
    _settle(character, what)
    if Part.HEAD not in what and Part.NECK in what:
        what[max(i for i, part in enumerate(what) if part is Part.NECK)] = Part.HEAD
    side = sides(character, what)
    if not any(part is Part.HIPS and s == "centre" for part, s in zip(what, side)):
        hips = _hips(character, what, side)
        if hips is not None and what[hips] in (Part.UNKNOWN, Part.SPINE, Part.HELPER):
            what[hips] = Part.HIPS
    return tuple(what)


def sides(character: Character, what: Sequence[Part]) -> list[str]:
    """Side of every body: by its name, else its parent's, else by where it stands at rest."""
    places, _ = character.rest_placement()
    middle = places[0, 1]
    size = float(np.ptp(places, axis=0).max()) or 1.0
    found: list[str] = []
    for i, name in enumerate(character.names):
        up = int(character.parents[i])
        side = read_name(name).side or (found[up] if up >= 0 and found[up] != "centre" else "")
        off = places[i, 1] - middle
        if not side and abs(off) > 0.01 * size and (what[i] in _PAIRED or _has_twin(places, i, middle, size)):
            side = "left" if off > 0 else "right"
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


def _has_twin(places: Array, i: int, middle: float, size: float) -> bool:
    mirrored = places[i] * [1, -1, 1] + [0, 2 * middle, 0]
    return bool((np.linalg.norm(places - mirrored, axis=1) < 0.02 * size).any())


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
    below = [character.subtree(i)[1:] for i in range(len(what))]
    above = [path_from_root(character, i)[:-1] for i in range(len(what))]

    def has(those: Iterable[int], *wanted: Part) -> bool:
        return any(what[k] in wanted for k in those)

    for i, part in enumerate(what):
        if part is Part.SHOULDER:
            what[i] = Part.CLAVICLE if has(below[i], Part.UPPER_ARM, Part.ARM) else Part.UPPER_ARM
        elif part is Part.WRIST:
            what[i] = Part.FOREARM if has(below[i], Part.HAND) else Part.HAND
    for i in range(len(what)):
        if what[i] in (Part.ARM, Part.LEG):
            chain = [i, *(k for k in below[i] if what[k] is what[i])]
            if what[i] is Part.ARM:
                names = _arm_names(
                    len(chain), has(below[i], Part.FOREARM), has(below[i], Part.HAND, Part.FINGER)
                )
            else:
                thigh_above = has(above[i], Part.THIGH) or (len(chain) == 1 and has(above[i], Part.HIP))
                names = _leg_names(
                    len(chain), thigh_above, has(below[i], Part.SHIN), has(below[i], Part.FOOT)
                )
            for k, name in zip(chain, names):
                what[k] = name
    for i, part in enumerate(what):
        if part is Part.HIP:
            leads_on = has(below[i], Part.THIGH) or not has(below[i], Part.SHIN, Part.FOOT)
            what[i] = Part.HIPS if leads_on else Part.THIGH


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


def _read_shape(character: Character, what: list[Part]) -> None:
    """Legs, arms, spine and head of a standing figure with meaningless names, where it looks like one."""
    places, _ = character.rest_placement()
    children: list[list[int]] = [[] for _ in what]
    for i, up in enumerate(character.parents):
        if up >= 0:
            children[int(up)].append(i)
    size = float(np.ptp(places, axis=0).max()) or 1.0

    def chain(first: int) -> list[int]:
        """The way from ``first`` to the tip farthest from it."""
        tips = [k for k in character.subtree(first) if not children[k]]
        tip = max(tips, key=lambda k: float(np.linalg.norm(places[k] - places[first])))
        way = path_from_root(character, tip)
        return way[way.index(first) :]

    pairs: list[tuple[float, int, list[int], list[int]]] = []
    for i, those in enumerate(children):
        for a in range(len(those)):
            for b in range(a + 1, len(those)):
                one, other = chain(those[a]), chain(those[b])
                mirrored = places[other[-1]] * [1, -1, 1] + [0, 2 * places[i, 1], 0]
                apart = abs(places[one[-1], 1] - places[other[-1], 1])
                same = float(np.linalg.norm(places[one[-1]] - mirrored)) < 0.1 * size
                if len(one) == len(other) > 1 and apart > 0.05 * size and same:
                    pairs.append((float(places[one[-1], 2]), i, one, other))
    if len(pairs) < 2:
        return
    pairs.sort(key=lambda p: p[0])
    _, hips, *legs = pairs[0]
    arms_at, *arms = max(pairs[1:], key=lambda p: len(p[2]))[1:]
    if arms_at not in character.subtree(hips) or places[legs[0][-1], 2] > places[hips, 2] - 0.2 * size:
        return
    put = {k: Part.LEG for leg in legs for k in leg} | {k: Part.ARM for arm in arms for k in arm}
    put[hips] = Part.HIPS
    way = path_from_root(character, arms_at)
    put |= dict.fromkeys(way[way.index(hips) + 1 :], Part.SPINE)
    upward = [k for k in children[arms_at] if k not in put and places[k, 2] > places[arms_at, 2]]
    if upward:
        neck = chain(max(upward, key=lambda k: places[chain(k)[-1], 2]))
        put |= dict.fromkeys(neck[:-1], Part.NECK) | {neck[-1]: Part.HEAD}
    for k, part in put.items():
        if what[k] in (Part.UNKNOWN, Part.HELPER):
            what[k] = part
