"""Head, hands and feet of a mannequin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.character.naming import Part as Kind
from poise.character.stance import UP, Anatomy
from poise.pictures.mesh import Mesh, ellipsoid, join, tapered_capsule


def oriented(radii: Array, up: Array, left: Array, centre: Array, detail: int) -> Mesh:
    """An ellipsoid with half axes (depth, width, along ``up``)."""
    z = up / np.linalg.norm(up)
    y = left - (left @ z) * z
    y = y / np.linalg.norm(y) if np.linalg.norm(y) > 1e-6 else np.cross(z, [1.0, 0.0, 0.0])
    y = y / np.linalg.norm(y)
    return ellipsoid(radii, detail=detail).placed(centre, np.stack([np.cross(y, z), y, z], axis=1))


def head(body: Anatomy, i: int, kind: Kind, detail: int) -> Iterator[tuple[Mesh, str]]:
    """A neck up to the next bone, or skull and visor; one skull, on the last head of the chain."""
    H, at = body.stature, body.at[i]
    onward = body.nexts(i, Kind.NECK, Kind.HEAD)
    if onward:
        if np.linalg.norm(body.at[onward[0]] - at) > 0.004 * H:
            yield tapered_capsule(at, body.at[onward[0]], 0.030 * H, 0.027 * H, detail=detail), "skin"
        return
    centre, radii, up, s = body.skull(i)
    forward = np.cross(body.left, up)
    yield (
        tapered_capsule(at - 0.012 * H * up, centre - 0.02 * s * up, 0.028 * H, 0.026 * H, detail=detail),
        "skin",
    )
    yield oriented(radii, up, body.left, centre, detail), "skin"
    visor = centre + 0.030 * s * forward + 0.003 * s * up
    yield oriented(np.array([0.0255, 0.0355, 0.017]) * s, up, body.left, visor, detail), "face"


def hand(body: Anatomy, i: int, detail: int) -> Iterator[tuple[Mesh, str]]:
    """A palm to the fingers where they are drawn, else a mitten."""
    H, at = body.stature, body.at[i]
    fingers = body.nexts(i, Kind.FINGER, Kind.HAND)
    roots = [k for k in fingers if np.linalg.norm(body.at[k] - at) > 0.006 * H]
    if len(roots) >= 3:
        pieces = [
            tapered_capsule(at, body.at[k], 0.0135 * H, 0.0085 * H, detail=max(8, detail // 2)) for k in roots
        ]
        yield join(pieces), "skin"
        return
    if body.kinds[body.above(i)] is Kind.HAND:
        if body.ends[i]:  # a bone within the palm
            yield tapered_capsule(at, body.ends[i][0], 0.0135 * H, 0.0085 * H, detail=detail), "skin"
        return
    tips = [e for k in body.character.subtree(i) for e in body.ends[k] if body.kinds[k] is not Kind.HELPER]
    if not tips:
        return
    way = max((t - at for t in tips), key=lambda w: float(np.linalg.norm(w)))
    if np.linalg.norm(way) < 1e-9:
        return
    long = float(np.clip(np.linalg.norm(way), 0.065 * H, 0.10 * H))
    way = way / np.linalg.norm(way)
    flat = np.cross(way, np.cross(UP, way)) if abs(way[2]) < 0.9 else body.left
    radii = np.array([0.013 * H, 0.024 * H, 0.5 * long + 0.008 * H])
    yield oriented(radii, way, np.cross(flat, way), at + 0.55 * long * way, detail), "skin"


def foot(body: Anatomy, i: int, kind: Kind, detail: int) -> Iterator[tuple[Mesh, str]]:
    """A foot from heel to toes, its sole on the ground of the stance."""
    H, at, thick = body.stature, body.at[i], 0.019 * body.stature
    toes = body.nexts(i, Kind.TOES)
    ends = [body.at[k] for k in toes] or body.ends[i]
    if not ends:
        return
    end = np.mean(ends, axis=0)
    flat = (end - at) * [1.0, 1.0, 0.0]
    ahead = body.forward if np.linalg.norm(flat) < 0.01 * H else flat / np.linalg.norm(flat)
    aside = 0.55 * thick * np.cross(UP, ahead)
    tip = np.array([*end[:2], max(end[2], body.sole + 0.7 * thick)])
    if kind is Kind.TOES:
        start = np.array([*at[:2], max(at[2], body.sole + 0.8 * thick)])
        several = len(body.nexts(body.above(i), Kind.TOES)) > 1 if body.above(i) >= 0 else False
        single = several or body.kinds[body.above(i)] is Kind.TOES
        for sole in (np.zeros(3),) if single else (aside, -aside):
            yield tapered_capsule(start + sole, tip + sole, 0.8 * thick, 0.65 * thick, detail=detail), "shoe"
        return
    heel = at - 0.018 * H * ahead
    heel[2] = max(body.sole + thick, min(at[2], body.sole + 0.03 * H))
    for sole in (aside, -aside):  # two side by side: a foot is wider than thick
        yield tapered_capsule(heel + 0.4 * sole, tip + sole, thick, 0.8 * thick, detail=detail), "shoe"
    yield tapered_capsule(at, 0.6 * heel + 0.4 * tip, 0.0235 * H, 0.9 * thick, detail=detail), "shoe"
