"""A mannequin for a bare skeleton: solids guessed from the bones, whatever their number, names and unit.

Widths come from the bone's own length and from the stature, so a child, a giant and a file in
inches look alike. What a bone is (thigh, hand, spine …) is read from names and rest pose by
``character.labels``; faces, breasts, controls and the way from a root to the hips are left out of a
known figure, and bones of an unknown one become plain tapered capsules.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.naming import Part as Kind
from poise.character.stance import Anatomy, Pose
from poise.pictures.extremities import foot, hand, head, oriented
from poise.pictures.mesh import Mesh, sphere, tapered_capsule

Guess = tuple[int, Mesh, str]

# Radius at the near and far end: over the length of the limb's part, and at most over the stature.
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
_ONWARD: dict[Kind, tuple[Kind, ...]] = {
    Kind.THIGH: (Kind.THIGH, Kind.SHIN, Kind.FOOT),
    Kind.SHIN: (Kind.SHIN, Kind.FOOT, Kind.TOES),
    Kind.UPPER_ARM: (Kind.UPPER_ARM, Kind.FOREARM, Kind.HAND),
    Kind.FOREARM: (Kind.FOREARM, Kind.HAND),
    Kind.CLAVICLE: (Kind.CLAVICLE, Kind.UPPER_ARM, Kind.FORELEG),
    Kind.FORELEG: (Kind.FORELEG, Kind.HAND, Kind.FOOT),
}
"""Where a limb goes on; kinds that are not here go on to themselves."""
_JOINT_BALLS = {Kind.SHIN: 0.0335, Kind.FOREARM: 0.0240, Kind.HAND: 0.0172}  # radius over stature
_OTHER = (0.13, 0.10, 0.026, 0.020)
"""Radii of other bones: near and far over the bone's length, and the most over stature."""
_MANY = 120
"""Skeletons of more bodies than this are drawn with fewer segments around each bone."""


def guessed_parts(character: Character, *, detail: int, pose: Pose | None = None) -> Iterator[Guess]:
    """Body, mesh in its frame and material name of every guessed solid; never none at all.

    ``pose`` is one in which the figure stands (see ``stance.stance``); by default the rest pose.
    """
    body = Anatomy(character, pose)
    detail = detail if len(body.kinds) <= _MANY else min(detail, 12)
    count = 0
    for i, kind in enumerate(body.kinds):
        for mesh, look in _solids(body, i, kind, detail):
            count += 1
            yield i, _into_body(body, i, mesh), look
    if count == 0:
        for i in range(len(body.kinds)):
            for mesh, look in _plain(body, i, detail):
                count += 1
                yield i, _into_body(body, i, mesh), look
    if count == 0:  # nothing but joints in one place
        yield 0, sphere(0.05, detail=detail), "joint"


def _into_body(body: Anatomy, i: int, mesh: Mesh) -> Mesh:
    turn = body.turns[i].T
    return mesh.placed(-turn @ body.at[i], turn)


def _solids(body: Anatomy, i: int, kind: Kind, detail: int) -> Iterator[tuple[Mesh, str]]:
    if body.known and i in body.trunk:
        yield from _trunk(body, i, detail)
    if body.known and i == body.roles["hips"]:
        yield _pelvis(body, detail), "cloth"
    if kind in (Kind.NECK, Kind.HEAD):
        yield from head(body, i, kind, detail)
    elif kind is Kind.HAND:
        yield from hand(body, i, detail)
    elif kind in (Kind.FOOT, Kind.TOES):
        yield from foot(body, i, kind, detail)
    elif kind in _LIMBS:
        yield from _limb(body, i, kind, detail)
    elif kind is Kind.FACE or (kind is Kind.HELPER and len(body.kinds) > 3):
        return
    elif kind in (Kind.HIPS, Kind.SPINE) and body.known:
        return  # drawn as the trunk; a hip joint beside it is no pelvis
    elif not body.idle(i):
        yield from _plain(body, i, detail)
    if kind in _JOINT_BALLS and body.kinds[body.above(i)] is not kind and body.ends[i]:
        limit = _JOINT_BALLS[kind] * body.stature
        wide = limit if kind is Kind.HAND else 0.16 * _run(body, i, kind)[1]
        if wide > 0:
            yield sphere(round(min(limit, wide), 5), detail=detail).placed(body.at[i]), "joint"


def _plain(body: Anatomy, i: int, detail: int) -> Iterator[tuple[Mesh, str]]:
    """Tapered capsules along all bones of a body."""
    near, far, near_most, far_most = _OTHER
    H = body.stature
    for end in body.ends[i]:
        length = float(np.linalg.norm(end - body.at[i]))
        if length > 1e-5 * H:
            a, b = min(near * length, near_most * H), min(far * length, far_most * H)
            thin, thinner = max(a, 0.003 * H), max(b, 0.0025 * H)
            yield tapered_capsule(body.at[i], end, thin, thinner, detail=detail), "skin"


def _limb(body: Anatomy, i: int, kind: Kind, detail: int) -> Iterator[tuple[Mesh, str]]:
    """A bone of a limb's part; a part of several bones tapers once over all of them."""
    H, at = body.stature, body.at[i]
    start, whole = _run(body, i, kind)
    near, far, near_most, far_most = _LIMBS[kind]
    end = _end(body, i, kind)
    length = 0.0 if end is None else float(np.linalg.norm(end - at))
    if end is not None and length > 0.004 * H:
        share = np.array([start, start + length]) / whole
        wide = np.minimum(
            (near + (far - near) * share) * whole, (near_most + (far_most - near_most) * share) * H
        )
        a, b = (float(max(w, 0.0025 * H)) for w in wide)
        yield tapered_capsule(at, end, a, b, detail=detail), "skin"
        if kind is Kind.CLAVICLE and body.kinds[i] is kind and not body.nexts(i, Kind.CLAVICLE):
            yield sphere(round(0.034 * H, 5), detail=detail).placed(end), "skin"
    if kind is Kind.UPPER_ARM and start == 0:
        yield sphere(round(0.0335 * H, 5), detail=detail).placed(at), "skin"


def _end(body: Anatomy, i: int, kind: Kind) -> Array | None:
    """Where the limb's bone ends: at the next one, else at the body's own end."""
    onward = body.nexts(i, *_ONWARD.get(kind, (kind,)))
    if onward:
        return body.at[onward[0]]
    return body.ends[i][0] if body.ends[i] else None


def _run(body: Anatomy, i: int, kind: Kind) -> tuple[float, float]:
    """Length of a limb's part before a bone, and of the whole part (a thigh of two bones is one thigh)."""
    first = i
    while (up := body.above(first)) >= 0 and body.kinds[up] is kind:
        first = up
    before, whole, k = 0.0, 0.0, first
    while True:
        if k == i:
            before = whole
        end = _end(body, k, kind)
        whole += 0.0 if end is None else float(np.linalg.norm(end - body.at[k]))
        onward = body.nexts(k, kind)
        # Below a fork, follow the branch that the bone is on.
        onward = [n for n in onward if i in body.character.subtree(n)] or onward
        if not onward:
            return before, max(whole, 1e-12)
        k = onward[0]


def _pelvis(body: Anatomy, detail: int) -> Mesh:
    H = body.stature
    at = body.at[body.roles["hips"]]
    rise = float(np.clip((at - body.hips)[2], 0.0, 0.08 * H))
    centre = body.hips + np.array([0.0, 0.0, 0.45 * rise + 0.012 * H])
    width = float(np.clip(0.5 * body.hip_span + 0.034 * H, 0.06 * H, 0.092 * H))
    tall = 0.5 * rise + 0.050 * H
    return oriented(np.array([0.060 * H, width, tall]), np.array([0.0, 0.0, 1.0]), body.left, centre, detail)


def _trunk(body: Anatomy, i: int, detail: int) -> Iterator[tuple[Mesh, str]]:
    """The part of the trunk that a body carries: up to the next one, or the chest."""
    where = body.trunk.index(i)
    if where + 1 < len(body.trunk):
        # What moves with the hips begins between the hips, wherever the root's joint lies.
        low = body.hips if where == 0 else body.at[i]
        high = body.at[body.trunk[where + 1]]
        if body.up_the_trunk(high) > body.up_the_trunk(low):
            yield from _rib(body, low, high, detail)
        return
    share = body.up_the_trunk(body.at[i])
    low = body.at[i] if 0.0 <= share < 0.62 else body.hips + 0.62 * (body.shoulders - body.hips)
    yield from _rib(body, low, body.shoulders, detail, chest=True)
    neck = body.roles.get("neck", body.roles.get("head"))
    if neck is not None:
        H, base = body.stature, body.shoulders
        if np.linalg.norm(body.at[neck] - base) > 0.02 * H and body.up_the_trunk(body.at[neck]) > 1:
            yield tapered_capsule(base, body.at[neck], 0.034 * H, 0.030 * H, detail=detail), "skin"


def _rib(
    body: Anatomy, low: Array, high: Array, detail: int, *, chest: bool = False
) -> Iterator[tuple[Mesh, str]]:
    """A piece of trunk: a spine of any number of bones swells smoothly from waist to chest."""
    H, way = body.stature, high - low
    length = float(np.linalg.norm(way))
    if length < 0.004 * H:
        return
    share = float(np.clip((body.up_the_trunk(low + 0.5 * way) - 0.25) / 0.35, 0, 1))
    width = 0.5 * body.shoulder_span * (0.72 + 0.22 * share)
    width = float(np.clip(width, 0.055 * H, 0.103 * H))
    depth = min(0.70 * width, 0.063 * H)
    upper = chest or body.up_the_trunk(low + 0.6 * way) > 0.55
    radii = np.array([depth, width, 0.5 * length + 0.035 * H])
    centre = low + (0.44 if upper else 0.5) * way
    yield oriented(radii, way, body.left, centre, detail), "cloth" if upper else "skin"
