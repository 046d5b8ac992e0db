"""Masses of a humanoid skeleton from the anthropometric table.

Segments of the table are laid between the joints of the rest pose and cut where the skeleton has
its own joints; every body gets the slabs between its joint and the next. Fewer bones than segments:
a body gets several segments. More bones: a segment is cut, and the pieces add up to it exactly.
The top of the trunk and the crown are not joints: they follow from the shoulders and the stature.
Which way is ahead follows from hips and shoulders, so masses turn with the figure.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.character.anthropometry import BODY_MASS_INDEX, ONCE, TABLES, Segment, placed
from poise.character.body import Mass
from poise.character.character import Character
from poise.character.facing import ahead, stands
from poise.character.labels import common_ancestor, parts, path_from_root, roles
from poise.character.naming import Part
from poise.character.shape import Shape
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3

_NEEDED = ("thigh", "shin", "upper_arm", "forearm")
# Mid-hip to mid-shoulder over stature, and how much farther the seventh cervical vertebra is.
_HIP_TO_SHOULDER = {"male": (515.5 / 1741, 603.3 / 515.5), "female": (497.9 / 1735, 614.8 / 497.9)}
_CLAVICLE_SHARE = 0.05
"""Of the upper trunk, for each collar bone that the skeleton has as a body of its own."""


def why_not_human(character: Character) -> str | None:
    """What keeps the table from fitting this skeleton, or None."""
    found = roles(character)
    lacking = [f"{s} {p}" for s in ("left", "right") for p in _NEEDED if f"{s} {p}" not in found]
    if "head" not in found:
        lacking.append("head")
    if lacking:
        return f"no {', '.join(lacking)}"
    if Part.TAIL in parts(character):
        return "it has a tail"
    at, _ = character.rest_placement()
    trunk = _middle(at, found, "upper_arm") - _middle(at, found, "thigh")
    leg = _middle(at, found, "shin") - _middle(at, found, "thigh")
    lean = float(trunk @ leg) / (np.linalg.norm(trunk) * np.linalg.norm(leg) + 1e-12)
    return "its trunk lies across its legs, as in a quadruped" if abs(lean) < 0.5 else None


def table_masses(character: Character, *, total: float | None, sex: str) -> tuple[list[Mass], list[str]]:
    """Mass of every body from the table for ``sex``, and notes on what was assumed."""
    if sex not in TABLES:
        raise UnknownNameError("anthropometric table", sex, TABLES)
    found = roles(character)
    lacking = [f"{s} {p}" for s in ("left", "right") for p in _NEEDED if f"{s} {p}" not in found]
    if lacking or "head" not in found:
        raise InputError(
            f"{character.name!r} cannot take masses from the anthropometric table: {why_not_human(character)}"
        )
    body = _Body(character, found, sex)
    stature = body.stature
    notes = []
    if total is None:
        total = BODY_MASS_INDEX * stature**2
        index = f"body mass index {BODY_MASS_INDEX}"
        notes.append(f"mass {total:.1f} kg guessed from the lengths of trunk and legs ({index})")
    body.fill()
    notes.append(f"masses by de Leva's table ({sex})")
    masses = body.masses()
    raw = sum(m.mass for m in masses)
    return [m.scaled(total / raw) if m.mass else m for m in masses], notes


def _middle(at: Array, found: dict[str, int], part: str) -> Array:
    return np.asarray(0.5 * (at[found[f"left {part}"]] + at[found[f"right {part}"]]))


class _Body:
    """Pieces of segments gathered per body, in world axes of the rest pose, for a body mass of 1."""

    def __init__(self, character: Character, found: dict[str, int], sex: str) -> None:
        self.character, self.found, self.table = character, found, TABLES[sex]
        self.what = parts(character)
        self.at, self.turn = character.rest_placement()
        self.pieces: list[list[Mass]] = [[] for _ in character.bodies]
        self.hips, self.shoulders = _middle(self.at, found, "thigh"), _middle(self.at, found, "upper_arm")
        reach, beyond = _HIP_TO_SHOULDER[sex]
        legs = [self._gap(f"{s} thigh", f"{s} shin") for s in ("left", "right")]
        trunk = float(np.linalg.norm(self.shoulders - self.hips))
        whole, share = float(np.mean(legs)) + trunk, self.table["thigh"].length + reach
        ankles = [self._gap(f"{s} shin", f"{s} foot") for s in ("left", "right") if f"{s} foot" in found]
        if ankles:
            whole, share = whole + float(np.mean(ankles)), share + self.table["shank"].length
        self.stature = whole / share
        if self.stature < 1e-6:
            raise InputError(f"{character.name!r} has no size: its hips, knees and shoulders coincide")
        self.up = (self.shoulders - self.hips) / trunk if trunk > 1e-9 else np.array([0.0, 0.0, 1.0])
        # Most trunks lean: who stands faces level all the same, others face square to the trunk.
        self.ahead = ahead(character, np.array([0.0, 0.0, 1.0]) if stands(character) else self.up)
        self.neck = self.hips + beyond * (self.shoulders - self.hips)

    def masses(self) -> list[Mass]:
        """Per body, in its own frame."""
        out = []
        for pieces, at, turn in zip(self.pieces, self.at, self.turn):
            whole = Mass.combined(pieces) if pieces else Mass()
            out.append(whole.moved(-turn.T @ at, so3.from_matrix(turn.T)) if whole.mass else whole)
        return out

    def fill(self) -> None:
        """Lay all segments into the skeleton."""
        self._trunk()
        self._head()
        for side in ("left", "right"):
            for first, second, name, tip_name in (
                ("upper_arm", "forearm", "upper arm", ""),
                ("forearm", "hand", "forearm", "hand"),
                ("thigh", "shin", "thigh", ""),
                ("shin", "foot", "shank", "foot"),
            ):
                self._limb(side, first, second, name)
                if tip_name:
                    self._extremity(side, first, tip_name)

    def _ahead(self, span: Array) -> Array:
        """The forward direction beside a segment; for one that itself points forward, up."""
        return self.ahead if abs(span @ self.ahead) < 0.9 * np.linalg.norm(span) else self.up

    def _gap(self, one: str, other: str) -> float:
        return float(np.linalg.norm(self.at[self.found[other]] - self.at[self.found[one]]))

    def _lay(
        self, segment: Segment, start: Array, end: Array, chain: list[int], *, latest: float = np.inf
    ) -> None:
        """One segment from ``start`` to ``end``, cut at the joints between the bodies of ``chain``.

        No cut is later than ``latest``, so that the last body is never left without.
        """
        span = end - start
        length = float(np.linalg.norm(span))
        if length < 1e-9:
            span, length = self.up * 1e-3, 1e-3
        cuts = [-np.inf]
        for one, other in pairwise(chain):
            joint = other if int(self.character.parents[other]) == one else one
            cuts.append(min(max(cuts[-1], float((self.at[joint] - start) @ span) / length**2), latest))
        for body, low, high in zip(chain, cuts, [*cuts[1:], np.inf]):
            share, centre, spread = segment.slab(low, high)
            if share > 0:
                place = start + centre * span
                piece = placed(share, spread, length, segment.fraction, place, span, self._ahead(span))
                self.pieces[body].append(piece)

    def _trunk(self) -> None:
        thighs = [self.found[f"{s} thigh"] for s in ("left", "right")]
        arms = [self.found[f"{s} upper_arm"] for s in ("left", "right")]
        low, high = common_ancestor(self.character, thighs), common_ancestor(self.character, arms)
        shared = common_ancestor(self.character, [low, high])
        down, up = path_from_root(self.character, low), path_from_root(self.character, high)
        chain = [*down[down.index(shared) :][::-1], *up[up.index(shared) + 1 :]]
        names = ONCE[:3]
        ends = np.cumsum([0.0] + [self.table[n].length for n in names])
        for name, a, b in zip(names, ends / ends[-1], ends[1:] / ends[-1]):
            span = self.neck - self.hips
            self._lay(self.table[name], self.hips + a * span, self.hips + b * span, chain)
        for arm in arms:
            way = path_from_root(self.character, arm)
            collar = [i for i in way[way.index(high) + 1 : -1] if self._reach(i, arm) > 1e-6]
            if collar:
                self._collar(high, collar[-1], arm)

    def _reach(self, one: int, other: int) -> float:
        return float(np.linalg.norm(self.at[other] - self.at[one]))

    def _collar(self, chest: int, collar: int, arm: int) -> None:
        own = _CLAVICLE_SHARE * self.table["upper trunk"].fraction
        there = Mass.combined(self.pieces[chest])
        if there.mass < 4 * own:
            return
        rod = Shape.capsule(self.at[collar], self.at[arm], 0.25 * self._reach(collar, arm))
        self.pieces[collar].append(Mass.of_shapes([rod], mass=own))
        self.pieces[chest] = [there.scaled(1 - own / there.mass)]

    def _head(self) -> None:
        segment = self.table["head"]
        head, neck = self.found["head"], self.found.get("neck", self.found["head"])
        way = path_from_root(self.character, head)
        chain = way[way.index(neck) :] if neck in way else [head]
        crown = self.neck + segment.length * self.stature * self.up
        self._lay(segment, self.neck, crown, chain, latest=0.5)

    def _limb(self, side: str, first: str, second: str, name: str) -> None:
        start = self.found[f"{side} {first}"]
        end = self.found.get(f"{side} {second}")
        chain = [start]
        if end is not None:
            way = path_from_root(self.character, end)
            if start in way:
                chain = way[way.index(start) : -1]
            tip = self.at[end]
        else:
            tip = self.at[start] + self._onward(start, self.table[name].length * self.stature)
        self._lay(self.table[name], self.at[start], tip, chain)

    def _onward(self, body: int, length: float) -> Array:
        """Where a bone without a successor points: to its own end point, else as its parent does."""
        ends = [self.turn[body] @ np.asarray(p) for p in self.character.bodies[body].points.values()]
        way = max(ends, key=lambda p: float(np.linalg.norm(p)), default=np.zeros(3))
        if np.linalg.norm(way) < 1e-9:
            way = self.at[body] - self.at[max(int(self.character.parents[body]), 0)]
        if np.linalg.norm(way) < 1e-9:
            way = -self.up
        return np.asarray(way * length / np.linalg.norm(way))

    def _extremity(self, side: str, last: str, name: str) -> None:
        """A hand or foot with its digits, or its mass on the last bone where there is none."""
        segment = self.table[name]
        length = segment.length * self.stature
        role = self.found.get(f"{side} {name}")
        limb = self.found[f"{side} {last}"]
        if role is None:
            wrist = self.at[limb] + self._onward(
                limb, self.table["forearm" if name == "hand" else "shank"].length * self.stature
            )
            self._lay(segment, wrist, wrist + self._onward(limb, length), [limb])
            return
        group = self._flesh(role, limb, name)
        joint = self.at[role]
        arm = joint - self.at[limb]
        arm = arm / max(float(np.linalg.norm(arm)), 1e-12)
        tips = [joint + r for r in self._tips(group)]
        if name == "hand":
            way = max((t - joint for t in tips), key=lambda d: float(d @ arm), default=np.zeros(3))
            usable = 0.5 * length < np.linalg.norm(way) < 1.6 * length and way @ arm > 0
            start, span = joint, way if usable else arm * length
        else:
            start, span = self._sole(joint, arm, tips, length)
        digits = group[1:]
        along = [float((self.at[i] - start) @ span) / float(span @ span) for i in digits]
        if len(digits) == 1 and 0.2 < along[0] < 0.95:
            self._lay(segment, start, start + span, [role, *digits])
        elif not (rods := self._rods(digits, length)):
            self._lay(segment, start, start + span, [role])
        else:
            cut = min(max(float(np.median(along)), 0.3), 0.8)
            share, centre, spread = segment.slab(0.0, cut)
            size, place = float(np.linalg.norm(span)), start + centre * span
            self.pieces[role].append(
                placed(share, spread, size, segment.fraction, place, span, self._ahead(span))
            )
            volume = sum(rod.volume for _, rod in rods)
            for i, rod in rods:
                part = (1 - share) * segment.fraction * rod.volume / volume
                self.pieces[i].append(Mass.of_shapes([rod], mass=part))

    def _flesh(self, role: int, limb: int, name: str) -> list[int]:
        """The bodies of a hand or foot, its own first, also those that hang beside it."""
        kinds = (Part.HAND, Part.FINGER) if name == "hand" else (Part.FOOT, Part.TOES)
        own = self.character.subtree(role)
        above = path_from_root(self.character, role)
        beside = [i for i in self.character.subtree(limb) if self.what[i] in kinds and i not in above]
        return [role, *sorted(set(own[1:]) | set(beside) - {role})]

    def _rods(self, digits: list[int], length: float) -> list[tuple[int, Shape]]:
        """Fingers or toes as rods along their bones, for a hand or foot of the given length."""
        rods = []
        for i in digits:
            ends = [self.at[k] for k in digits if int(self.character.parents[k]) == i] or [
                self.at[i] + self.turn[i] @ np.asarray(p) for p in self.character.bodies[i].points.values()
            ]
            end = ends[0] if ends else self.at[i] + self._onward(i, 0.1 * length)
            if np.linalg.norm(end - self.at[i]) > 1e-6:
                rods.append((i, Shape.capsule(self.at[i], end, 0.045 * length)))
        return rods

    def _tips(self, group: list[int]) -> list[Array]:
        """Ends of a group of bodies relative to the first one's joint, world axes."""
        out = []
        for i in group:
            base = self.at[i] - self.at[group[0]]
            out += [base] if i != group[0] else []
            out += [base + self.turn[i] @ np.asarray(p) for p in self.character.bodies[i].points.values()]
        return out

    def _sole(self, ankle: Array, leg: Array, tips: list[Array], length: float) -> tuple[Array, Array]:
        """Heel and heel-to-toe vector of a foot below an ankle, with the leg pointing along ``leg``."""
        flat = [t - ankle - ((t - ankle) @ leg) * leg for t in tips]
        way = max(flat, key=lambda d: float(np.linalg.norm(d)), default=np.zeros(3))
        toe = float(np.linalg.norm(way))
        if toe < 0.2 * length:
            way, toe = self._ahead(leg), 0.75 * length
            way = way - (way @ leg) * leg
        way = way / np.linalg.norm(way)
        toe = min(max(toe, 0.6 * length), 0.85 * length)
        drop = 0.5 * 0.039 * self.stature  # halfway from the ankle to the sole
        return ankle + drop * leg + (toe - length) * way, way * length
