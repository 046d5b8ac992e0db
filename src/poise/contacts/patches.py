"""Patches: the places of a body that may touch something, with the flesh between bone and skin.

A patch is a ball about a point of a body: its lowest point is the skin. How thick flesh is over which
joint follows from the sole where the character has one, from its capsules, else from a table of shares of
the stature. Patches belong to *parts*, which touch as one: a foot (heel, ball, toe), a hand (palm,
fingers), the seat (both hips and the pelvis).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character import Character
from poise.character.feet_at_rest import feet_at_rest
from poise.character.labels import labelled, roles
from poise.character.shape import ShapeKind
from poise.kinematics import Kinematics
from poise.manifold import so3

FOOT, HAND, FLESH = range(3)
"""Kinds of patches: what stands, what grips, what only lies or leans."""
LOW = 0.1
"""Hands that rest no higher than this above the feet are paws, over stature."""
DEEPEST = 0.12
"""Paws are no higher than this, over stature."""
SOLE_BELOW = 0.005
"""Points so far below their joint at rest are a sole [m]."""

THIN, THICK = 0.4, 3.0
"""Skin that is nearer to a joint, or farther from it, than so many times what is usual is something else."""


@dataclass(frozen=True)
class _Flesh:
    """Shares of the stature, by trial on captures of people who walk, sit, kneel and lie."""

    radius: float
    """From the joint to the skin."""
    give: float
    """How far it may be off: markers, soft tissue, guessed bones."""
    disc: float
    """Half the width over which the centre of pressure moves."""


HEEL, BALL, TOE = _Flesh(0.045, 0.020, 0.025), _Flesh(0.016, 0.016, 0.025), _Flesh(0.010, 0.016, 0.020)
PALM, FINGERS = _Flesh(0.020, 0.025, 0.020), _Flesh(0.010, 0.020, 0.015)
PAIRED = {
    "forearm": ("elbow", _Flesh(0.025, 0.0425, 0.03)),
    "upper_arm": ("shoulder", _Flesh(0.040, 0.050, 0.03)),
    "shin": ("knee", _Flesh(0.030, 0.045, 0.03)),
    "thigh": ("hip", _Flesh(0.055, 0.0575, 0.03)),
}
MIDDLE = {
    "hips": ("pelvis", _Flesh(0.060, 0.060, 0.04)),
    "spine": ("loin", _Flesh(0.060, 0.060, 0.04)),
    "chest": ("back", _Flesh(0.065, 0.0625, 0.04)),
    "neck": ("neck", _Flesh(0.045, 0.0525, 0.04)),
    "head": ("head", _Flesh(0.050, 0.055, 0.04)),
}
THIGH, CROWN = _Flesh(0.045, 0.030, 0.03), _Flesh(0.030, 0.040, 0.02)
OTHER = _Flesh(0.030, 0.030, 0.02)
PAW = _Flesh(0.015, 0.020, 0.015)


@dataclass(frozen=True, eq=False)
class Patches:
    """K places that may touch."""

    names: tuple[str, ...]
    """"left heel" …"""
    part: tuple[str, ...]
    """"left foot" …, by patch."""
    body: IntArray
    """(K,)"""
    place: Array
    """In the body's frame [m] (K, 3)."""
    radius: Array
    """Flesh about it [m] (K,)."""
    give: Array
    """[m] (K,)"""
    disc: Array
    """[m] (K,)"""
    kind: IntArray
    """FOOT, HAND or FLESH (K,)."""
    stature: float
    """Size of the character at rest [m]."""
    rest: Array
    """Where they are at rest [m] (K, 3)."""

    def __len__(self) -> int:
        return len(self.names)

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts, each once."""
        return tuple(dict.fromkeys(self.part))

    def of_part(self, part: str) -> IntArray:
        """Indices of a part's patches, from its heel to its toes."""
        return np.flatnonzero([p == part for p in self.part])

    @property
    def hands(self) -> tuple[IntArray, ...]:
        """Indices of the patches of each hand."""
        rows = {part: self.of_part(part) for part in self.parts}
        return tuple(ks for ks in rows.values() if self.kind[ks[0]] == HAND)

    @property
    def scale(self) -> float:
        """Stature over that of a grown-up, 1.75 m."""
        return self.stature / 1.75

    def places(self, kin: Kinematics) -> Array:
        """In the world [m] (F, K, 3)."""
        turned = np.einsum("fkij,kj->fki", kin.rotations[:, self.body], self.place)
        return np.asarray(kin.positions[:, self.body] + turned)


def stature(character: Character) -> float:
    """Size at rest, from the lowest to the highest point [m]; lengths are judged by it."""
    at, turns = character.rest_placement()
    places = np.array([at[p.body] + turns[p.body] @ p.position for p in character.points.values()])
    size = float(np.ptp(places[:, 2]))
    return size if size > 1e-6 else max(float(np.ptp(places, axis=0).max()), 1e-3)


@lru_cache(maxsize=16)
def patches(character: Character) -> Patches:
    """The patches of a character."""
    size = stature(character)
    rows = list(_Finder(character, size).all())
    at, turns = feet_at_rest(character)
    return Patches(
        tuple(r[0] for r in rows),
        tuple(r[1] for r in rows),
        frozen([r[2] for r in rows], dtype=np.int64),
        frozen(np.array([r[3] for r in rows]).reshape(-1, 3)),
        frozen([r[4] for r in rows]),
        frozen([r[5].give * size for r in rows]),
        frozen([r[5].disc * size for r in rows]),
        frozen([r[6] for r in rows], dtype=np.int64),
        size,
        frozen(np.array([at[r[2]] + turns[r[2]] @ r[3] for r in rows]).reshape(-1, 3)),
    )


def patch_at(character: Character, point: str) -> int:
    """The patch that touches where a point of the character does: the nearest of its body, else of all, at
    rest."""
    found, (body, place) = patches(character), character.point(point)
    at, turns = feet_at_rest(character)
    away = np.linalg.norm(found.rest - at[body] - turns[body] @ place, axis=1)
    own = found.body == body
    return int(np.argmin(np.where(own, away, np.inf) if own.any() else away))


_Row = tuple[str, str, int, Array, float, _Flesh, int]


class _Finder:
    """Looks for patches by roles, and by labels where a figure is not built like a person."""

    def __init__(self, character: Character, size: float) -> None:
        self.character, self.size = character, size
        self.roles = roles(character)
        self.own = labelled(character)
        self.at, self.turns = feet_at_rest(character)
        self.taken: set[int] = set()

    def all(self) -> Iterator[_Row]:
        for side in ("left", "right"):
            yield from self._foot(side)
            yield from self._hand(side)
            for role, (name, flesh) in PAIRED.items():
                body = self.roles.get(f"{side} {role}")
                if body is not None:
                    part = "seat" if name == "hip" else f"{side} {name}"
                    yield self._row(f"{side} {name}", part, body, np.zeros(3), flesh, FLESH)
            thigh, shin = self.roles.get(f"{side} thigh"), self.roles.get(f"{side} shin")
            if thigh is not None and shin is not None:
                middle = 0.5 * np.asarray(self.character.bodies[shin].offset)
                yield self._row(f"{side} thigh", f"{side} thigh", thigh, middle, THIGH, FLESH)
        for role, (name, flesh) in MIDDLE.items():
            body = self.roles.get(role)
            if body is not None:
                part = "seat" if name == "pelvis" else name
                yield self._row(name, part, body, np.zeros(3), flesh, FLESH)
        head = self.roles.get("head")
        ends = [] if head is None else [p for n, p in self._points(head) if self._above(p)]
        if head is not None and ends:
            yield self._row("crown", "head", head, max(ends, key=np.linalg.norm), CROWN, FLESH)
        yield from self._others()

    def _row(
        self,
        name: str,
        part: str,
        body: int,
        place: Array,
        flesh: _Flesh,
        kind: int,
        radius: float | None = None,
    ) -> _Row:
        self.taken.add(body)
        thick = flesh.radius * self.size if radius is None else radius
        if radius is None and kind == FLESH:
            thick = self._capsule(body, place) or self._under_skin(body, place, thick)
        return name, part, body, np.asarray(place, dtype=np.float64), thick, flesh, kind

    def _capsule(self, body: int, place: Array) -> float:
        """Thickness of the round solid about a place; 0 without one."""
        for shape in self.character.bodies[body].shapes:
            size, centre = np.asarray(shape.size), np.asarray(shape.position)
            round_ = shape.kind in (ShapeKind.CAPSULE, ShapeKind.SPHERE)
            if round_ and np.linalg.norm(place - centre) < size[0] + size[1]:
                return float(size[0])
        return 0.0

    def _under_skin(self, body: int, place: Array, usual: float) -> float:
        """How deep a place lies under the skin, the shortest way; as usual without one, or where that is no
        thickness of flesh."""
        if self.character.skin is None or not len(self.character.skin.vertices):
            return usual
        at = self.at[body] + self.turns[body] @ np.asarray(place)
        deep = float(np.linalg.norm(self.character.skin.vertices - at, axis=1).min())
        return deep if THIN * usual < deep < THICK * usual else usual

    def _points(self, body: int) -> list[tuple[str, Array]]:
        """Named points of a body other than its joint."""
        found = [(n, np.asarray(p.position)) for n, p in self.character.points.items() if p.body == body]
        return [(n, p) for n, p in found if np.linalg.norm(p) > 1e-3]

    def _above(self, place: Array) -> bool:
        head = self.roles["head"]
        return bool((self.turns[head] @ place)[2] > 0.5 * np.linalg.norm(place))

    def _foot(self, side: str) -> Iterator[_Row]:
        foot, toes = self.roles.get(f"{side} foot"), self.roles.get(f"{side} toes")
        if foot is None:
            return
        part = f"{side} foot"
        sole = self._sole([foot] if toes is None else [foot, toes])
        if not sole and (rounded := self._capsules(foot)):
            for k, (place, radius) in enumerate(rounded):
                flesh = HEEL if k < len(rounded) // 2 else TOE
                yield self._row(f"{side} sole {k + 1}", part, foot, place, flesh, FOOT, radius)
            self.taken |= set(self.character.subtree(foot))
            return
        if len(sole) == 1:
            high = self._height(foot, HEEL, known=True)
            yield self._row(f"{side} heel", part, foot, np.zeros(3), HEEL, FOOT, high)
            yield self._row(f"{side} toe", part, *sole[0], TOE, FOOT, radius=0.0)
            return
        if sole:
            names = ["heel", "ball", "toe"] if len(sole) == 3 else [f"sole {k + 1}" for k in range(len(sole))]
            if len(sole) == 2:
                names = ["heel", "toe"]
            for name, (body, place) in zip(names, sole):
                flesh = {"heel": HEEL, "ball": BALL}.get(name, TOE)
                yield self._row(f"{side} {name}", part, body, place, flesh, FOOT, radius=0.0)
            self.taken |= set(self.character.subtree(foot))  # toes beside the one that is known too
            return
        yield self._row(f"{side} heel", part, foot, np.zeros(3), HEEL, FOOT, self._height(foot, HEEL))
        if toes is not None:
            yield self._row(f"{side} ball", part, toes, np.zeros(3), BALL, FOOT)
        last = foot if toes is None else toes
        ends = self._points(last)
        if ends:
            yield self._row(f"{side} toe", part, last, ends[0][1], TOE, FOOT)
        elif len(below := self.character.subtree(last)) > 1:  # toes of their own: the lowest stands for all
            tip = min(below, key=lambda i: float(self.at[i][2]))
            tips = self._points(tip)
            yield self._row(f"{side} toe", part, tip, tips[0][1] if tips else np.zeros(3), TOE, FOOT)
        self.taken |= set(self.character.subtree(foot))

    def _height(self, foot: int, flesh: _Flesh, *, known: bool = False) -> float:
        """Of the ankle above the sole: as at rest, where that is believable; however little where a point of
        the sole is ``known``."""
        below = [self.at[i][2] for i in self.character.subtree(foot)]
        below += [
            (self.at[i] + self.turns[i] @ p)[2]
            for i in self.character.subtree(foot)
            for _, p in self._points(i)
        ]
        usual = flesh.radius * self.size
        high = float(self.at[foot][2] - min(below)) + TOE.radius * self.size
        if (0.0 if known else 0.5) * usual < high < 1.8 * usual:
            return high
        skin = self.character.skin
        if skin is not None and len(skin.vertices):
            main = skin.bodies[np.arange(len(skin.bodies)), np.argmax(skin.weights, axis=1)]
            own = np.isin(main, self.character.subtree(foot))
            deep = float(self.at[foot][2] - skin.vertices[own, 2].min()) if own.any() else -1.0
            if 0 < deep < 1.8 * usual:
                return deep
        return usual

    def _sole(self, bodies: list[int]) -> list[tuple[int, Array]]:
        """Points below the joints of a foot, from back to front; none where it has no sole."""
        found = []
        for body in bodies:
            for _, place in self._points(body):
                if (self.turns[body] @ place)[2] < -SOLE_BELOW:
                    found.append((body, place))
        ahead = self._ahead(bodies)
        return sorted(found, key=lambda s: float((self.at[s[0]] + self.turns[s[0]] @ s[1]) @ ahead))

    def _capsules(self, foot: int) -> list[tuple[Array, float]]:
        """Ends of the lying capsules that a foot is made of, and their radii, from back to front."""
        found = []
        for shape in self.character.bodies[foot].shapes:
            if shape.kind is not ShapeKind.CAPSULE:
                continue
            size, centre = np.asarray(shape.size), np.asarray(shape.position)
            along = so3.to_matrix(np.asarray(shape.rotation))[:, 2] * size[1]
            if abs((self.turns[foot] @ along)[2]) < 0.3 * size[1]:
                found += [(centre - along, float(size[0])), (centre + along, float(size[0]))]
        return sorted(found, key=lambda end: float((self.turns[foot] @ end[0]) @ self._ahead([foot])))

    def _ahead(self, bodies: list[int]) -> Array:
        """The way a foot points at rest; ahead is +x where it cannot be told."""
        tips = [self.at[i] + self.turns[i] @ p for i in bodies for _, p in self._points(i)]
        way = max(
            (t - self.at[bodies[0]] for t in tips), key=lambda w: float(np.hypot(w[0], w[1])), default=None
        )
        if way is None or np.hypot(way[0], way[1]) < 1e-6:
            return np.array([1.0, 0.0, 0.0])
        return np.array([way[0], way[1], 0.0])

    def _hand(self, side: str) -> Iterator[_Row]:
        hand = self.roles.get(f"{side} hand")
        if hand is None:
            return
        if self._stands_on(hand):
            yield from self._paw(f"{side} front foot", hand)
            return
        part = f"{side} hand"
        yield self._row(f"{side} palm", part, hand, np.zeros(3), PALM, HAND)
        below = [i for i in self.character.subtree(hand) if "humb" not in self.character.names[i]]
        tips = [(i, p) for i in below for n, p in self._points(i) if "humb" not in n]
        if tips:
            body, place = max(
                tips,
                key=lambda t: float(np.linalg.norm(self.at[t[0]] + self.turns[t[0]] @ t[1] - self.at[hand])),
            )
            yield self._row(f"{side} fingers", part, body, place, FINGERS, HAND)
        self.taken |= set(self.character.subtree(hand))

    def _stands_on(self, hand: int) -> bool:
        """Whether hands are paws: at rest both are as low as the feet."""
        hands = [self.roles[f"{s} hand"] for s in ("left", "right") if f"{s} hand" in self.roles]
        low = max(min(float(self.at[i][2]) for i in self.character.subtree(h)) for h in hands)
        feet = [self.roles[f"{s} foot"] for s in ("left", "right") if f"{s} foot" in self.roles]
        ground = min((float(self.at[k][2]) for i in feet for k in self.character.subtree(i)), default=np.inf)
        return low < ground + LOW * self.size

    def _paw(self, part: str, body: int) -> Iterator[_Row]:
        """The last body of a leg, and its tip."""
        below = self.character.subtree(body)
        last = min(below, key=lambda i: float(self.at[i][2]))
        ends = self._points(last)
        place = ends[0][1] if ends else np.zeros(3)
        # At rest all feet stand: what is between a paw's last joint and the ground is the paw.
        high = float((self.at[last] + self.turns[last] @ place)[2] - self.at[:, 2].min())
        thick = PAW.radius * self.size
        yield self._row(
            part, part, last, place, PAW, FOOT, radius=high if thick < high < DEEPEST * self.size else thick
        )
        self.taken |= set(below)

    def _others(self) -> Iterator[_Row]:
        """Feet of many-legged figures, and whatever else a figure that is no person may rest on."""
        person = "left foot" in self.roles and "right foot" in self.roles
        paws = [i for i, b in enumerate(self.own.bodies) if b.limb in ("foot", "foreleg")]
        last = [
            i
            for i in paws
            if i not in self.taken and not any(k in paws for k in self.character.subtree(i)[1:])
        ]
        for i in last:
            yield from self._paw(self.character.names[i], i)
        if person or paws:
            return
        for name, point in self.character.points.items():
            massless = self.character.total_mass > 0 and not self.character.bodies[point.body].mass.mass
            if point.body not in self.taken and not massless:
                kind = FOOT if self.own.bodies[point.body].limb in ("foot", "leg", "") else FLESH
                yield (
                    name,
                    name,
                    point.body,
                    np.asarray(point.position),
                    self._capsule(point.body, np.asarray(point.position)),
                    OTHER,
                    kind,
                )
