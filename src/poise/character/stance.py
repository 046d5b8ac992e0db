"""A bare skeleton read as a body: a pose in which it stands, its sizes, its front and its main chain.

A rest pose is often a folded heap of bones (files that keep their pose in rotations), so the pose is
the rest pose only where that one stands; else the frame of the motion that stands best. Front is
``left × up``, left from the line through the hips (or shoulders), turned about where the toes
point the other way. Stature follows from leg and trunk, whatever the arms do.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.capsule_masses import bone_ends, skeleton_size
from poise.character.labels import common_ancestor, path_from_root, sides
from poise.character.labels import parts as read_parts
from poise.character.labels import roles as read_roles
from poise.character.naming import Part as Kind

UP = np.array([0.0, 0.0, 1.0])
Pose = tuple[Array, Array]
"""Positions (n, 3) and rotations (n, 3, 3) of all bodies."""

_PASSED = (Kind.UNKNOWN, Kind.HELPER)
"""What may lie between two bones of a limb."""
_SKULL = 0.128
"""Height of a skull above its joint, over stature."""
_LEG_AND_TRUNK = 0.87
"""Hip to ankle plus hips to the head's joint, over stature, of an adult."""


def stance(character: Character, positions: Array | None = None, rotations: Array | None = None) -> Pose:
    """The rest pose if it stands, else the best of the poses (F, n, 3), (F, n, 3, 3)."""
    rest = character.rest_placement()
    roles = read_roles(character)
    if positions is None or rotations is None or len(positions) == 0 or uprightness(roles, rest[0]) > 0.6:
        return rest
    some = np.unique(np.linspace(0, len(positions) - 1, min(60, len(positions))).round().astype(int))
    best = max(some, key=lambda f: uprightness(roles, positions[f]))
    if uprightness(roles, positions[best]) <= uprightness(roles, rest[0]):
        return rest
    return positions[best], rotations[best]


def uprightness(roles: dict[str, int], at: Array) -> float:
    """1 for a figure that stands straight, less for others; 1 where there are no legs to tell by."""
    legs = [[roles.get(f"{s} {p}") for p in ("thigh", "shin", "foot")] for s in ("left", "right")]
    bones = [[at[k] for k in leg if k is not None] for leg in legs]
    if any(len(leg) < 2 for leg in bones):
        return 1.0
    down = min(_upward(leg[0] - below) for leg in bones for below in leg[1:])
    length = float(np.mean([np.linalg.norm(leg[-1] - leg[0]) for leg in bones])) or 1.0
    uneven = abs(float(bones[0][-1][2] - bones[1][-1][2])) / length
    across = abs(_upward(bones[0][0] - bones[1][0]))
    head, hips = roles.get("head", roles.get("neck")), roles.get("hips")
    hanging = 0.0 if head is None or hips is None else max(0.0, -_upward(at[head] - at[hips]))
    return down - 0.5 * uneven - across - hanging


def _upward(way: Array) -> float:
    length = float(np.linalg.norm(way))
    return float(way[2]) / length if length > 1e-9 else 1.0


class Skull(NamedTuple):
    """An ellipsoid where a head must be, in the world of the stance."""

    centre: Array
    """[m], (3,)"""
    radii: Array
    """Half its depth, width and height [m], (3,)."""
    up: Array
    """Its long axis, (3,)."""
    size: float
    """The stature it would fit: that of the body, more where a head is said to be large [m]."""


class Anatomy:
    """The skeleton in its stance: places, sizes and directions for whoever gives it flesh."""

    def __init__(self, character: Character, pose: Pose | None = None) -> None:
        self.character = character
        self.kinds = read_parts(character)
        self.sides = sides(character, self.kinds)
        self.roles = read_roles(character)
        self.at, self.turns = stance(character) if pose is None else pose
        self.children: list[list[int]] = [[] for _ in self.kinds]
        for i, up in enumerate(character.parents):
            if up >= 0:
                self.children[int(up)].append(i)
        self.ends = [
            [self.at[i] + self.turns[i] @ end for end in bone_ends(character, i)]
            for i in range(len(self.kinds))
        ]
        self.known = {"hips", "left thigh", "right thigh"} <= self.roles.keys() and (
            "chest" in self.roles or "head" in self.roles
        )
        self.stature = self._stature()
        self.sole = self._sole()
        self.hip_span = self._span("thigh") or 0.10 * self.stature
        self.shoulder_span = self._span("upper_arm") or 0.2 * self.stature
        self.left = self._left()
        self.forward = np.cross(self.left, UP)
        self.trunk = self._trunk()
        self.hips = self._middle("thigh", self.at[self.trunk[0]])
        neck = self.roles.get("neck", self.roles.get("head"))
        top = self.at[self.trunk[-1]] if neck is None else self.at[neck]
        self.shoulders = self._middle("upper_arm", top)

    def up_the_trunk(self, point: Array) -> float:
        """How far up the trunk a point lies: 0 between the hips, 1 between the shoulders."""
        way = self.shoulders - self.hips
        return float((point - self.hips) @ way / max(float(way @ way), 1e-12))

    def nexts(self, body: int, *wanted: Kind) -> list[int]:
        """The nearest bodies of these kinds below a body, past helpers and nameless ones."""
        found, stack = [], self.children[body][::-1]
        while stack:
            k = stack.pop()
            if self.kinds[k] in wanted:
                found.append(k)
            elif self.kinds[k] in _PASSED:
                stack.extend(reversed(self.children[k]))
        return found

    def above(self, body: int) -> int:
        """The nearest body above that is neither a helper nor nameless; −1 for none."""
        up = int(self.character.parents[body])
        while up >= 0 and self.kinds[up] in _PASSED:
            up = int(self.character.parents[up])
        return up

    def skull(self, body: int) -> Skull:
        """The head on a body, sized by its tip, where the file gives one, and by the stature."""
        at, own = self.at[body], self.character.bodies[body].points
        tip = self.ends[body][0] - at if self.ends[body] and not self.children[body] else np.zeros(3)
        long = float(np.linalg.norm(tip))
        told = bool(own) and long > 1e-9 and tip[2] > 0.5 * long  # by the file, not guessed from the neck
        up = tip / long if told else UP
        # A head that is said to be large is large; a short tip (to the eyes, to nowhere) says little.
        large = float(np.clip(long / (_SKULL * self.stature), 1.0, 2.6)) if told else 1.0
        size = self.stature * (1.0 if large < 1.3 else large)
        centre = at + 0.062 * size * up + 0.008 * size * np.cross(self.left, up)
        return Skull(centre, np.array([0.054, 0.043, 0.066]) * size, up, size)

    def idle(self, body: int) -> bool:
        """Whether a nameless body is no flesh: a root, a joint on the way, a face, a breast, a control."""
        if not self.known:
            return False
        below = self.character.subtree(body)
        if any(self.kinds[k] not in (*_PASSED, Kind.FACE) for k in below):
            return True  # leads on to something that is drawn itself
        root = below[0]
        while (up := int(self.character.parents[root])) >= 0 and self.kinds[up] in _PASSED:
            root = up
        reach = max(
            (float(np.linalg.norm(p - self.at[root])) for k in below for p in (self.at[k], *self.ends[k])),
            default=0.0,
        )
        return reach < 0.25 * self.stature

    def _stature(self) -> float:
        at, size = self.at, skeleton_size(self.character)
        tips = np.concatenate([at, *[np.array(e) for e in self.ends if e]])
        head = self.roles.get("head", self.roles.get("chest"))
        if not self.known or head is None or "left shin" not in self.roles:
            tall = float(np.ptp(tips[:, 2])) if Kind.THIGH in self.kinds else 0.0
            return max(tall, 0.45 * size)
        r = self.roles
        leg = float(np.linalg.norm(at[r["left shin"]] - at[r["left thigh"]]))
        foot = at[r["left foot"]] if self._leads("left shin", "left foot") else self.ends[r["left shin"]][0]
        leg += float(np.linalg.norm(foot - at[r["left shin"]]))
        middle = 0.5 * (at[r["left thigh"]] + at[r["right thigh"]])
        way = path_from_root(self.character, head)
        trunk = common_ancestor(self.character, [head, r["hips"]])
        line = [middle, *(at[k] for k in way[way.index(trunk) + 1 :])]
        back = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(line))
        return max((leg + back) / _LEG_AND_TRUNK, 1e-6 * size)

    def _leads(self, upper: str, lower: str) -> bool:
        r = self.roles
        return lower in r and r[lower] in self.character.subtree(r[upper])

    def _sole(self) -> float:
        feet = [i for i, k in enumerate(self.kinds) if k in (Kind.FOOT, Kind.TOES)]
        points = [self.at[i] for i in feet] + [e for i in feet for e in self.ends[i]]
        return min((float(p[2]) for p in points), default=float(self.at[:, 2].min()))

    def _pair(self, part: str) -> tuple[int, int] | None:
        pair = self.roles.get(f"left {part}"), self.roles.get(f"right {part}")
        return None if pair[0] is None or pair[1] is None else (pair[0], pair[1])

    def _span(self, part: str) -> float:
        pair = self._pair(part)
        return float(np.linalg.norm(self.at[pair[0]] - self.at[pair[1]])) if pair else 0.0

    def _middle(self, part: str, otherwise: Array) -> Array:
        pair = self._pair(part)
        return 0.5 * (self.at[pair[0]] + self.at[pair[1]]) if pair else otherwise

    def _left(self) -> Array:
        pair = self._pair("thigh") or self._pair("upper_arm")
        left = self.at[pair[0]] - self.at[pair[1]] if pair else np.array([0.0, 1.0, 0.0])
        left = left * [1.0, 1.0, 0.0]
        size = float(np.linalg.norm(left))
        left = left / size if size > 1e-9 else np.array([0.0, 1.0, 0.0])
        toes = np.zeros(3)
        for i, kind in enumerate(self.kinds):
            if kind is Kind.FOOT and (self.ends[i]):
                toes += np.mean(self.ends[i], axis=0) - self.at[i]
        backwards = float(toes @ np.cross(left, UP)) < -0.03 * self.stature
        return -left if backwards else left  # sides mixed up: feet know better where the front is

    def _trunk(self) -> list[int]:
        """Bodies from the hips up to where the arms (or the neck) branch off."""
        hips = self.roles.get("hips", 0)
        top = self.roles.get("chest")
        if top is None:
            neck = self.roles.get("neck", self.roles.get("head"))
            top = int(self.character.parents[neck]) if neck is not None and neck > 0 else hips
        way = path_from_root(self.character, top)
        return way[way.index(common_ancestor(self.character, [hips, top])) :]
