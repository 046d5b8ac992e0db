"""A mannequin for a bare skeleton: solids guessed from the bones, whatever their number, names and unit.

Widths come from the bone's own length and from the stature, so a child, a giant and a file in
inches look alike. What a bone is (thigh, hand, spine …) is read from names and rest pose by
``character.labels``; bones that are nothing known become plain tapered capsules.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.capsule_masses import bone_ends, skeleton_size
from poise.character.labels import parts as read_parts
from poise.character.naming import Part as Kind
from poise.pictures.mesh import Mesh, ellipsoid, join, sphere, tapered_capsule

Guess = tuple[int, Mesh, str]

# Radius at the near and far end: over the bone's length, and at most over the stature.
_LIMBS: dict[Kind, tuple[float, float, float, float]] = {
    Kind.THIGH: (0.185, 0.125, 0.046, 0.033),
    Kind.SHIN: (0.135, 0.090, 0.032, 0.023),
    Kind.UPPER_ARM: (0.165, 0.130, 0.029, 0.023),
    Kind.FOREARM: (0.155, 0.105, 0.024, 0.0175),
    Kind.CLAVICLE: (0.30, 0.34, 0.026, 0.030),
    Kind.FORELEG: (0.16, 0.10, 0.035, 0.022),
    Kind.FINGER: (0.25, 0.21, 0.0062, 0.0052),
    Kind.TAIL: (0.22, 0.17, 0.020, 0.015),
    Kind.WING: (0.12, 0.09, 0.020, 0.014),
}
_JOINT_BALLS = {Kind.SHIN: 0.0335, Kind.FOREARM: 0.0240, Kind.HAND: 0.0172}  # radius over stature
_OTHER = (0.13, 0.10, 0.026, 0.020)


def guessed_parts(character: Character, *, detail: int) -> Iterator[Guess]:
    """Body, mesh in its frame and material name of every guessed solid."""
    rest = _Rest(character)
    for i, kind in enumerate(rest.kinds):
        if kind is Kind.HELPER and len(rest.kinds) > 3:
            continue
        for mesh, look in _solids(rest, i, kind, detail):
            yield i, rest.into_body(i, mesh), look


class _Rest:
    """The skeleton at rest in the world, where left, up and the stature can be read off."""

    def __init__(self, character: Character) -> None:
        self.character = character
        self.kinds = read_parts(character)
        self.at, self.turns = character.rest_placement()
        self.ends = [
            [self.at[i] + self.turns[i] @ end for end in bone_ends(character, i)]
            for i in range(len(self.kinds))
        ]
        tips = np.concatenate([self.at, *[np.array(e) for e in self.ends if e]])
        self.stature = float(np.ptp(tips[:, 2])) if self._has(Kind.THIGH) else 0.0
        self.stature = max(self.stature, 0.45 * skeleton_size(character))
        feet = [i for i, k in enumerate(self.kinds) if k in (Kind.FOOT, Kind.TOES)]
        points = [self.at[i] for i in feet] + [e for i in feet for e in self.ends[i]]
        self.sole = min((p[2] for p in points), default=float(tips[:, 2].min()))
        self.hip_span = self._span(Kind.THIGH) or 0.10 * self.stature
        self.shoulder_span = self._span(Kind.UPPER_ARM) or 0.2 * self.stature
        thighs = self._pair(Kind.THIGH) or self._pair(Kind.UPPER_ARM)
        left = self.at[thighs[0]] - self.at[thighs[1]] if thighs else np.array([0.0, 1.0, 0.0])
        self.left = left / np.linalg.norm(left) if np.linalg.norm(left) > 1e-9 else np.array([0.0, 1.0, 0.0])
        trunk = [i for i, k in enumerate(self.kinds) if k in (Kind.HIPS, Kind.SPINE)] or [0]
        neck = [i for i, k in enumerate(self.kinds) if k in (Kind.NECK, Kind.HEAD)] or trunk[-1:]
        self.waist, self.nape = self.at[trunk[0]], self.at[neck[0]]

    def up_the_trunk(self, point: Array) -> float:
        """How far up the trunk a point lies: 0 at the hips, 1 where the neck begins."""
        way = self.nape - self.waist
        return float((point - self.waist) @ way / max(float(way @ way), 1e-12))

    def _has(self, kind: Kind) -> bool:
        return kind in self.kinds

    def _pair(self, kind: Kind) -> tuple[int, int] | None:
        """The first two bodies of a kind on different sides."""
        those = [i for i, k in enumerate(self.kinds) if k is kind]
        firsts = [i for i in those if self.kinds[int(self.character.parents[i])] is not kind]
        return (firsts[0], firsts[1]) if len(firsts) >= 2 else None

    def _span(self, kind: Kind) -> float:
        pair = self._pair(kind)
        return float(np.linalg.norm(self.at[pair[0]] - self.at[pair[1]])) if pair else 0.0

    def children(self, body: int) -> list[int]:
        return [i for i, up in enumerate(self.character.parents) if up == body]

    def into_body(self, body: int, mesh: Mesh) -> Mesh:
        turn = self.turns[body].T
        return mesh.placed(-turn @ self.at[body], turn)


def _solids(rest: _Rest, i: int, kind: Kind, detail: int) -> Iterator[tuple[Mesh, str]]:
    at, H = rest.at[i], rest.stature
    if kind in _JOINT_BALLS and rest.ends[i]:
        bone = float(np.linalg.norm(rest.ends[i][0] - at))
        limit = _JOINT_BALLS[kind] * H
        yield (
            sphere(
                round(min(limit, 0.16 * bone if kind is not Kind.HAND else limit), 5), detail=detail
            ).placed(at),
            "joint",
        )
    if kind is Kind.HIPS:
        yield from _pelvis(rest, i, detail)
    elif kind is Kind.SPINE:
        yield from _trunk(rest, i, detail)
    elif kind in (Kind.NECK, Kind.HEAD):
        yield from _head(rest, i, kind, detail)
    elif kind is Kind.HAND:
        yield from _hand(rest, i, detail)
    elif kind in (Kind.FOOT, Kind.TOES):
        yield from _foot(rest, i, kind, detail)
    elif kind is Kind.FACE:
        return
    else:
        near, far, near_most, far_most = _LIMBS.get(kind, _OTHER)
        for end in rest.ends[i]:
            length = float(np.linalg.norm(end - at))
            if length < 0.004 * H:
                continue
            a, b = min(near * length, near_most * H), min(far * length, far_most * H)
            yield tapered_capsule(at, end, max(a, 0.003 * H), max(b, 0.0025 * H), detail=detail), "skin"
            if kind is Kind.CLAVICLE:
                yield sphere(round(0.034 * H, 5), detail=detail).placed(end), "skin"
        if kind is Kind.UPPER_ARM and rest.kinds[int(rest.character.parents[i])] is not Kind.UPPER_ARM:
            yield sphere(round(0.0335 * H, 5), detail=detail).placed(at), "skin"


def _oriented(radii: Array, up: Array, left: Array, centre: Array, detail: int) -> Mesh:
    """An ellipsoid with half axes (depth, width, along ``up``)."""
    z = up / np.linalg.norm(up)
    y = left - (left @ z) * z
    y = y / np.linalg.norm(y) if np.linalg.norm(y) > 1e-6 else np.cross(z, [1.0, 0.0, 0.0])
    y = y / np.linalg.norm(y)
    return ellipsoid(radii, detail=detail).placed(centre, np.stack([np.cross(y, z), y, z], axis=1))


def _pelvis(rest: _Rest, i: int, detail: int) -> Iterator[tuple[Mesh, str]]:
    H, at = rest.stature, rest.at[i]
    thighs = [c for c in rest.character.subtree(i) if rest.kinds[c] is Kind.THIGH][:8]
    hips = np.mean([rest.at[c] for c in thighs], axis=0) if thighs else at
    centre = 0.45 * at + 0.55 * hips
    width = float(np.clip(0.5 * rest.hip_span + 0.034 * H, 0.06 * H, 0.092 * H))
    tall = max(0.056 * H, 0.5 * float(np.linalg.norm(at - hips)) + 0.042 * H)
    up = np.array([0.0, 0.0, 1.0])
    yield _oriented(np.array([0.060 * H, width, tall]), up, rest.left, centre, detail), "cloth"
    for c in rest.children(i):  # a spine that starts well above the hips needs a belly between
        if rest.kinds[c] is Kind.SPINE and rest.at[c][2] > centre[2] + 0.8 * tall:
            yield from _rib(rest, centre, rest.at[c], detail)


def _trunk(rest: _Rest, i: int, detail: int) -> Iterator[tuple[Mesh, str]]:
    """One segment of the spine."""
    onward = [c for c in rest.children(i) if rest.kinds[c] in (Kind.SPINE, Kind.NECK, Kind.HEAD)]
    if onward:
        yield from _rib(rest, rest.at[i], rest.at[onward[0]], detail)
    elif rest.ends[i]:
        yield from _rib(rest, rest.at[i], rest.ends[i][0], detail)


def _rib(rest: _Rest, low: Array, high: Array, detail: int) -> Iterator[tuple[Mesh, str]]:
    """A piece of trunk: a spine of any number of bones swells smoothly from waist to chest."""
    H, way = rest.stature, high - low
    length = float(np.linalg.norm(way))
    if length < 0.004 * H:
        return
    share = float(np.clip((rest.up_the_trunk(low + 0.5 * way) - 0.25) / 0.35, 0, 1))
    width = 0.5 * rest.shoulder_span * (0.72 + 0.22 * share)
    width = float(np.clip(width, 0.055 * H, 0.103 * H))
    depth = min(0.70 * width, 0.063 * H)
    chest = rest.up_the_trunk(low + 0.6 * way) > 0.5
    tall = 0.5 * length + 0.035 * H
    radii = np.array([depth, width, tall])
    centre = low + (0.44 if chest else 0.5) * way
    yield _oriented(radii, way, rest.left, centre, detail), "cloth" if chest else "skin"


def _head(rest: _Rest, i: int, kind: Kind, detail: int) -> Iterator[tuple[Mesh, str]]:
    H, at = rest.stature, rest.at[i]
    onward = [c for c in rest.children(i) if rest.kinds[c] in (Kind.NECK, Kind.HEAD)]
    if kind is Kind.NECK and onward:
        yield tapered_capsule(at, rest.at[onward[0]], 0.030 * H, 0.027 * H, detail=detail), "skin"
        return
    if kind is Kind.HEAD and onward:
        return  # one skull is enough: the last head in the chain carries it
    tips = [e for e in rest.ends[i] if not rest.children(i)]
    up = tips[0] - at if tips else np.array([0.0, 0.0, 1.0])
    if np.linalg.norm(up) < 1e-9 or up[2] < 0.3 * np.linalg.norm(up):
        up = np.array([0.0, 0.0, 1.0])
    up = up / np.linalg.norm(up)
    forward = np.cross(rest.left, up)
    skull = np.array([0.054, 0.043, 0.066]) * H
    centre = at + 0.062 * H * up + 0.008 * H * forward
    yield (
        tapered_capsule(at - 0.012 * H * up, centre - 0.02 * H * up, 0.028 * H, 0.026 * H, detail=detail),
        "skin",
    )
    yield _oriented(skull, up, rest.left, centre, detail), "skin"
    visor = centre + 0.030 * H * forward + 0.003 * H * up
    yield _oriented(np.array([0.0255, 0.0355, 0.017]) * H, up, rest.left, visor, detail), "face"


def _hand(rest: _Rest, i: int, detail: int) -> Iterator[tuple[Mesh, str]]:
    H, at = rest.stature, rest.at[i]
    fingers = [c for c in rest.character.subtree(i)[1:] if rest.kinds[c] is Kind.FINGER]
    rooted = [c for c in rest.children(i) if c in fingers or rest.kinds[c] is Kind.HAND]
    if len(fingers) >= 3 and rooted:
        pieces = [
            tapered_capsule(at, rest.at[c], 0.0135 * H, 0.0085 * H, detail=max(8, detail // 2))
            for c in rooted
        ]
        yield join(pieces), "skin"
        return
    if rest.children(i) and not rest.ends[i]:
        return
    end = rest.ends[i][0] if rest.ends[i] else at
    way = end - at
    if np.linalg.norm(way) < 1e-9:
        return
    long = float(np.clip(np.linalg.norm(way), 0.045 * H, 0.10 * H))
    way = way / np.linalg.norm(way)
    flat = np.cross(way, np.cross([0.0, 0.0, 1.0], way)) if abs(way[2]) < 0.9 else rest.left
    side = np.cross(flat, way)
    radii = np.array([0.013 * H, 0.024 * H, 0.5 * long + 0.008 * H])
    yield _oriented(radii, way, side, at + 0.55 * long * way, detail), "skin"


def _foot(rest: _Rest, i: int, kind: Kind, detail: int) -> Iterator[tuple[Mesh, str]]:
    H, at = rest.stature, rest.at[i]
    ends = rest.ends[i]
    if not ends:
        return
    flat = np.mean(ends, axis=0) - at
    flat[2] = 0.0
    ahead = (
        np.cross(rest.left, [0.0, 0.0, 1.0])
        if np.linalg.norm(flat) < 0.01 * H
        else flat / np.linalg.norm(flat)
    )
    thick = 0.019 * H
    for end in ends:
        tip = np.array([*end[:2], max(end[2], rest.sole + 0.7 * thick)])
        if kind is Kind.TOES:
            start = np.array([*at[:2], max(at[2], rest.sole + 0.8 * thick)])
            aside = 0.55 * thick * np.cross([0.0, 0.0, 1.0], ahead)
            for sole in (aside, -aside):
                yield (
                    tapered_capsule(start + sole, tip + sole, 0.8 * thick, 0.65 * thick, detail=detail),
                    "shoe",
                )
        else:
            heel = at - 0.018 * H * ahead
            heel[2] = max(rest.sole + thick, min(at[2], rest.sole + 0.03 * H))
            aside = 0.55 * thick * np.cross([0.0, 0.0, 1.0], ahead)
            for sole in (aside, -aside):  # two side by side: a foot is wider than thick
                yield (
                    tapered_capsule(heel + 0.4 * sole, tip + sole, thick, 0.8 * thick, detail=detail),
                    "shoe",
                )
            yield tapered_capsule(at, 0.6 * heel + 0.4 * tip, 0.0235 * H, 0.9 * thick, detail=detail), "shoe"
