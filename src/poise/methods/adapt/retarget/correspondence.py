"""Which joint of one skeleton is which of another: by roles, fingers, equal names, or as a map says.

A pair joins limb joints: the body that has the counterpart is the one that the whole joint moves. Trunks and
necks of more or fewer joints follow each other by their way from end to end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.character import Character
from poise.character.labels import parts, path_from_root, roles, sides
from poise.character.limbs import limb_joints
from poise.character.naming import Part, read_name
from poise.errors import InputError, UnknownNameError

FEW = 4
"""Fewer common joints than this do not make a correspondence."""
FINGERS = (
    ("thumb",),
    ("index", "point"),
    ("middle", "mid"),
    ("ring",),
    ("pinky", "pinkie", "little", "small"),
)
"""Words by which fingers are known."""
THUMB = 0
"""The first of them, whose own metacarpal every hand has among three joints."""
COLUMNS = (("hips", "chest"), ("chest", "head"))
"""Ways along which joints of a trunk follow those of another."""


@dataclass(frozen=True)
class Between:
    """A body of the target that follows two of the source."""

    first: int
    second: int
    share: float
    """How far towards the second."""


@dataclass(frozen=True, eq=False)
class Correspondence:
    """Pairs of bodies of two characters."""

    source: Character
    target: Character
    pairs: Mapping[int, int]
    """Body of the target → body of the source, each the one that its limb joint moves."""

    @cached_property
    def between(self) -> dict[int, Between]:
        """Joints of the target's trunk and neck without a counterpart, by their way from end to end."""
        found: dict[int, Between] = {}
        for mine, yours in _columns(self.source, self.target):
            at, to = _along(self.source, mine), _along(self.target, yours)
            for body, where in zip(yours[1:-1], to[1:-1]):
                if body in self.pairs:
                    continue
                k = int(np.clip(np.searchsorted(at, where), 1, len(at) - 1))
                span = max(float(at[k] - at[k - 1]), 1e-9)
                found[body] = Between(mine[k - 1], mine[k], float(np.clip((where - at[k - 1]) / span, 0, 1)))
        return found

    def above(self, body: int) -> int:
        """The nearest ancestor of a target's body that has a counterpart; −1 for none."""
        up = int(self.target.parents[body])
        while up >= 0 and up not in self.pairs:
            up = int(self.target.parents[up])
        return up

    def below(self, body: int) -> list[int]:
        """The nearest descendants of a target's body that have counterparts."""
        return [k for k in self.pairs if self.above(k) == body]

    def roles(self) -> dict[str, tuple[int, int]]:
        """Roles that both characters have: body of the source, body of the target."""
        ours, theirs = roles(self.source), roles(self.target)
        return {r: (ours[r], theirs[r]) for r in ours if r in theirs}


def correspond(source: Character, target: Character, given: Mapping[str, str]) -> Correspondence:
    """Pair the joints of two skeletons; ``given`` pairs (source: target) come before what is recognised."""
    pairs: dict[int, int] = {}
    if source.names == target.names:
        pairs = {i: i for i in range(len(target.names))}
    else:
        ours, theirs = roles(source), roles(target)
        pairs = {theirs[r]: ours[r] for r in ours if r in theirs}
        for found in (_fingers(source, target), _same_names(source, target)):
            taken = set(pairs.values())
            pairs |= {t: s for t, s in found.items() if t not in pairs and s not in taken}
        own, other = limb_joints(source), limb_joints(target)
        pairs = {other[t].body: own[s].body for t, s in pairs.items()}
        for way, counterpart in _columns(source, target):
            pairs = {to: by for to, by in pairs.items() if to not in counterpart[1:-1]}
            if len(way) == len(counterpart):
                pairs |= dict(zip(counterpart[1:-1], way[1:-1]))
    for name, called in given.items():
        for owner, joint in ((source, name), (target, called)):
            if joint not in owner.names:
                raise UnknownNameError("joint", joint, owner.names, where=f"the map to {owner.name!r}")
        mine, yours = source.index(name), target.index(called)
        pairs = {t: s for t, s in pairs.items() if s != mine and t != yours} | {yours: mine}
    if len(pairs) < FEW:
        raise InputError(
            f"{source.name!r} and {target.name!r} have {len(pairs)} joints in common that are known by name: "
            "say which is which with a map {source joint: target joint}"
        )
    return Correspondence(source, target, dict(sorted(pairs.items())))


def _columns(source: Character, target: Character) -> list[tuple[list[int], list[int]]]:
    """Limb joints from hips to chest and from chest to head, of source and target."""
    ours, theirs = roles(source), roles(target)
    found = []
    for start, end in COLUMNS:
        if all(role in known for role in (start, end) for known in (ours, theirs)):
            mine, yours = _way(source, ours[start], ours[end]), _way(target, theirs[start], theirs[end])
            if len(mine) > 1 and len(yours) > 1:
                found.append((mine, yours))
    return found


def _way(character: Character, start: int, end: int) -> list[int]:
    """Bodies that limb joints move from one to another, up the tree and down again."""
    one, other = path_from_root(character, start), path_from_root(character, end)
    common = 0
    for a, b in zip(one, other):
        if a != b:
            break
        common += 1
    joints = limb_joints(character)
    return list(dict.fromkeys(joints[i].body for i in [*one[common - 1 :][::-1], *other[common:]]))


def _along(character: Character, way: list[int]) -> np.ndarray:
    """How far along a way its bodies are at rest, from 0 to 1."""
    places = character.rest_placement().positions[way]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    total = float(steps.sum())
    return np.concatenate([[0.0], np.cumsum(steps)]) / total if total > 0 else np.linspace(0, 1, len(way))


def _fingers(source: Character, target: Character) -> dict[int, int]:
    """Joints of fingers, from their tips: hands may have a metacarpal more."""
    ours, theirs = _finger_chains(source), _finger_chains(target)
    found: dict[int, int] = {}
    for finger in ours.keys() & theirs.keys():
        found |= dict(zip(reversed(theirs[finger]), reversed(ours[finger])))
    return found


def _finger_chains(character: Character) -> dict[tuple[str, int], list[int]]:
    """Bodies of each finger, by side and number."""
    what = parts(character)
    side = sides(character, what)
    found: dict[tuple[str, int], list[int]] = {}
    for i, part in enumerate(what):
        if part is not Part.FINGER:
            continue
        words = read_name(character.names[i]).words
        number = next((k for k, row in enumerate(FINGERS) if set(row) & set(words)), None)
        # The last joint of some exports is the tip itself and turns nothing.
        if number is not None and not {"end", "tip", "nub"} & set(words):
            found.setdefault((side[i], number), []).append(i)
    return {finger: _without_tip(character, finger[1], joints) for finger, joints in found.items()}


def _without_tip(character: Character, finger: int, joints: list[int]) -> list[int]:
    """Of four joints one is a metacarpal, near the wrist, or, as in Mixamo's exports, the last is the tip."""
    if len(joints) != 4 or joints[-1] in character.parents:
        return joints
    at, _ = character.rest_placement()
    wrist, first, second = at[character.parents[joints[0]]], at[joints[0]], at[joints[1]]
    metacarpal = float(np.linalg.norm(first - wrist)) < float(np.linalg.norm(second - first))
    return joints if metacarpal and finger != THUMB else joints[:-1]


def _same_names(source: Character, target: Character) -> dict[int, int]:
    """Bodies of one name but for its name space: tails, ears, props."""
    ours = {_bare(n): i for i, n in reversed(list(enumerate(source.names)))}
    what = parts(target)
    return {
        t: ours[_bare(n)]
        for t, n in enumerate(target.names)
        if _bare(n) in ours and what[t] is not Part.HELPER
    }


def _bare(name: str) -> str:
    return re.split(r"[:|/]", name)[-1].lower()
