"""How a part touches: it stands, rolls from heel to toe, pivots, slides, grips, hangs, lies or pushes.

What a sole does is told by its *stillest point*, sought on the segments between neighbouring patches that
are near: a foot that rolls or turns has one at rest, one that slides has none.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.detect import State
from poise.contacts.given import Manner
from poise.contacts.patches import FLESH, FOOT, HAND
from poise.contacts.support import Support

BLURRED = 0.05
"""Seconds after touch-down and before lift-off that the filter blurs."""
MOMENT = 0.6
"""Slides are sought within so long [s]."""
SLID = 0.07
"""Ways of the stillest point beyond this are a slide, of a body of 1.75 m [m]: nine of ten real contacts
of feet stay below 5 cm."""
TURNED = np.radians(25.0)
"""A foot that turns by more while its sole is flat pivots [rad]."""
HANGS = 0.5
"""Who has hands above the centre of mass that carry more than this share of the weight hangs by them."""
APART = 0.1
"""Heel and toe that come and go at least so far apart in time make a roll [s]."""


def still_velocity(state: State | Support, ks: IntArray, a: int, b: int) -> Array:
    """Velocity of the stillest point of a part in frames a … b, over its surface; zero where none is near
    (n, 3)."""
    near = state.near[a : b + 1][:, ks]
    drift = state.need.skin[a : b + 1][:, ks] - _surface_velocity(state, ks, a, b)
    normal = state.normal[a : b + 1][:, ks]
    v = drift - normal * (drift * normal).sum(axis=2, keepdims=True)
    speed = np.where(near, np.linalg.norm(v, axis=2), np.inf)
    rows = np.arange(len(v))
    best = v[rows, speed.argmin(axis=1)]
    slow = speed.min(axis=1)
    for p in range(len(ks) - 1):
        d = v[:, p + 1] - v[:, p]
        s = np.clip(-(v[:, p] * d).sum(axis=1) / np.maximum((d * d).sum(axis=1), 1e-12), 0.0, 1.0)
        between = v[:, p] + s[:, None] * d
        size = np.where(near[:, p] & near[:, p + 1], np.linalg.norm(between, axis=1), np.inf)
        best = np.where((size < slow)[:, None], between, best)
        slow = np.minimum(slow, size)
    return np.where(np.isfinite(slow)[:, None], best, 0.0)


def way_of(state: State, ks: IntArray, a: int, b: int) -> float:
    """The farthest that the stillest point of a part goes within ``MOMENT`` [m].

    Who stands for long shifts about by centimetres without ever sliding; a slide does not take longer.
    """
    cut, dt = int(BLURRED / state.need.dt), state.need.dt
    v = still_velocity(state, ks, a, b)
    if len(v) > 2 * cut + 4:
        v = v[cut : len(v) - cut]
    way = np.concatenate([np.zeros((1, 3)), np.cumsum(v, axis=0) * dt])
    most = 0.0
    for lag in range(max(1, min(round(MOMENT / dt), len(way) - 1)), 0, -max(1, round(0.05 / dt))):
        most = max(most, float(np.linalg.norm(way[lag:] - way[:-lag], axis=1).max()))
    return most


def manner_of(state: State, ks: IntArray, a: int, b: int, *, held: bool, way: float) -> Manner:
    """In a word."""
    near = state.near[a : b + 1][:, ks]
    gripped = bool((near & state.gripped[a : b + 1][:, ks]).any(axis=1).mean() > 0.5)
    if gripped or (held and not near.any()):
        over = state.need.places[a : b + 1, ks[0], 2].mean() - state.need.com[a : b + 1, 2].mean()
        if over > 0 and _by_hands(state, a, b) > HANGS:
            return "hangs"
        return "grips" if gripped or over > 0 else "pushes"
    if way > SLID * state.need.scale:
        return "slides"
    kind = state.need.patches.kind[ks[0]]
    if kind == FLESH:
        return "lies"
    if kind == FOOT and len(ks) > 1:
        if _flat_turn(state, ks, a, b) > TURNED:
            return "pivots"
        if _rolls(state, ks, a, b):
            return "rolls"
    return "stands"


def _by_hands(state: State, a: int, b: int) -> float:
    """Mean share of the weight that hands carry in frames a … b."""
    rows = state.need.rows
    inside = (rows >= a) & (rows <= b)
    hands = np.linalg.norm(state.force[inside][:, state.need.patches.kind == HAND], axis=2)
    return float(hands.sum(axis=1).mean()) if inside.any() else 0.0


def _surface_velocity(state: State | Support, ks: IntArray, a: int, b: int) -> Array:
    """Of what is below patches (n, k, 3) [m/s]."""
    need = state.need
    if state.world.moves:
        below, time = state.surface[a : b + 1][:, ks], need.times[a : b + 1, None]
        along = state.world.velocity(need.places[a : b + 1][:, ks], below, time)
        return np.asarray(along * (need.clip.dt / need.dt))
    table = np.array([s.velocity for s in state.world.surfaces] + [(0.0, 0.0, 0.0)])
    return np.asarray(table[state.surface[a : b + 1][:, ks]])


def _flat_turn(state: State, ks: IntArray, a: int, b: int) -> float:
    """By how much a foot turns about the vertical while both its ends are on the ground [rad]."""
    heel, ball = ks[0], ks[1]
    give = state.need.patches.give
    flat = (np.abs(state.gap[a : b + 1][:, [heel, ball]]) < 0.6 * give[[heel, ball]]).all(axis=1)
    if flat.sum() < 3:
        return 0.0
    way = (state.need.places[a : b + 1, ball] - state.need.places[a : b + 1, heel])[flat, :2]
    return float(np.ptp(np.unwrap(np.arctan2(way[:, 1], way[:, 0]))))


def _rolls(state: State, ks: IntArray, a: int, b: int) -> bool:
    """Whether heel and toe come or go clearly apart."""
    on = [np.flatnonzero(state.near[a : b + 1, k]) for k in (ks[0], ks[-1])]
    if not all(len(o) for o in on):
        return False
    apart = APART / state.need.dt
    return bool(abs(on[0][0] - on[1][0]) > apart or abs(on[0][-1] - on[1][-1]) > apart)
