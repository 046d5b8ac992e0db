"""What carries a clip, frame by frame of a grid: which patches touch, where, and what is left alone.

Contacts are those that ``poise.contacts`` finds (or is given the world for). A patch that touches may push;
it is also held where it *rests*: the ends of a contact, where it rolls off or comes down, are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.needed import widened
from poise.contacts.support import Support
from poise.kinematics import Kinematics

RESTS = 0.25
"""A patch that touches is held where its skin is slower in the clip as given, of a body of 1.75 m [m/s]."""
LEAVES = 0.55
"""Of a part that touches, the stillest patch is held up to this speed, of a body of 1.75 m [m/s]."""
LEVEL = 0.012
"""How far from a surface a patch may stay that touches it, of a body of 1.75 m [m]: flesh is guessed."""
LOOKS = 0.25
"""Patches that are higher above everything are not watched [m]."""
GRIPS = ("grips", "hangs", "pushes")
"""Manners of contacts with something unseen, or that pull: what it gives is not known."""
MOVES = ("slides", "pivots")
"""Manners of contacts that go on over the surface."""
ENDS = 3
"""Frames of the grid at either end of a contact in which no patch has to rest: the detector's filter blurs
touch-down and lift-off."""
FRICTION = 0.8
"""Of surfaces that say nothing else, while solving."""


@dataclass(frozen=True, eq=False)
class Footing:
    """K patches in G frames of a grid."""

    names: tuple[str, ...]
    part: tuple[str, ...]
    body: IntArray
    """(K,)"""
    place: Array
    """In the body [m] (K, 3)."""
    radius: Array
    """[m] (K,)"""
    normal: Array
    """Of what is below (G, K, 3)."""
    friction: Array
    """(G, K)"""
    touches: Mask
    """May push (G, K)."""
    rests: Mask
    """Stays where it is until the next frame (G, K)."""
    origin: Array
    """Where patches are in the clip as given [m] (G, K, 3)."""
    gap: Array
    """Above what is below, as given [m] (G, K)."""
    held: Mask
    """Keeps its height (G, K)."""
    level: Array
    """The gap that is to be kept where it is held; elsewhere the least that is allowed (G, K)."""
    free: Mask
    """Frames whose wrench something unseen may give (G,)."""

    def about(self, kin: Kinematics) -> Array:
        """Points that moments are about: the middle of what touches, as given; else the centre of mass
        (G, 3)."""
        on = self.touches
        count = on.sum(axis=1)
        at = np.where(on[..., None], self.origin, 0.0).sum(axis=1) / np.maximum(count, 1)[:, None]
        return np.where((count > 0)[:, None], at, kin.com)

    def places(self, kin: Kinematics) -> Array:
        """Of the patches [m] (G, K, 3)."""
        turned = np.einsum("fkij,kj->fki", kin.rotations[:, self.body], self.place)
        return np.asarray(kin.positions[:, self.body] + turned)


def footing(
    support: Support, kin: Kinematics, frames: IntArray, *, loop: bool, cycle: int, whole: bool
) -> Footing:
    """Footing in ``frames`` of a clip; ``kin`` of these. ``cycle``: frames of a loop. ``whole``: the world is
    given, so nothing unseen is there."""
    need, found = support.need, support.need.patches
    grid, count = len(frames), len(found)
    touches, held = np.zeros((grid, count), bool), np.zeros((grid, count), bool)
    free = np.zeros(grid, bool)
    for contact in support.contacts:
        holds = contact.manner in GRIPS and bool(contact.surface)  # on a bar, say, on which it may pull
        if holds or (contact.manner in GRIPS and not whole):
            free |= _within(frames, contact.start, contact.end, loop, cycle)
        for touch in contact.touches:
            k = found.names.index(touch.patch)
            span = _within(frames, touch.start, touch.end, loop, cycle)
            touches[:, k] |= span
            if holds or contact.manner not in MOVES + GRIPS:
                held[:, k] |= span
    for unseen in () if whole else support.unseen:
        free |= _within(frames, unseen.start, unseen.end, loop, cycle)
    free = widened(np.concatenate([free] * 3), 1)[grid : 2 * grid] if loop else widened(free, 1)
    turned = np.einsum("fkij,kj->fki", kin.rotations[:, found.body], found.place)
    places = kin.positions[:, found.body] + turned
    row = np.clip(frames + need.lead, 0, need.frames - 1)  # of what was measured
    normal = np.asarray(support.normal[row])
    below = support.world.below(places, need.radius)
    radius = np.asarray(need.radius)
    names = support.world.surfaces
    friction = np.array([s.friction for s in names] + [FRICTION])[below.surface]
    gap = np.where(np.isfinite(below.gap), below.gap, LOOKS + 1.0)
    speed = np.linalg.norm(need.skin[row], axis=2)
    slow = speed < RESTS * np.sqrt(need.scale)
    stands = held
    still = held & (slow | _stillest(found.part, speed, held, LEAVES * np.sqrt(need.scale)))
    level = _levels(gap, still, LEVEL * need.scale, loop)
    still &= np.abs(gap - level) < 2 * LEVEL * need.scale  # a heel that rises slowly does not rest
    level = np.where(still, level, np.minimum(gap, 0.0))
    last = still[:1] if loop else np.zeros((1, count), bool)
    rests = still & np.concatenate([still[1:], last])
    rests |= _between(found.part, speed, touches & stands, rests, loop)
    ks = np.flatnonzero(touches.any(axis=0) | (gap < LOOKS).any(axis=0))
    return Footing(
        tuple(found.names[k] for k in ks), tuple(found.part[k] for k in ks), np.asarray(found.body)[ks],
        np.asarray(found.place)[ks], radius[ks], normal[:, ks],
        np.minimum(friction, FRICTION)[:, ks], touches[:, ks], rests[:, ks],
        (places - radius[:, None] * normal)[:, ks], gap[:, ks], still[:, ks], level[:, ks], free,
    )  # fmt: skip


def _stillest(part: tuple[str, ...], speed: Array, held: Mask, most: float) -> Mask:
    """The stillest patch of each part that touches, where it is slow enough (G, K)."""
    out = np.zeros(held.shape, bool)
    for name in dict.fromkeys(part):
        ks = np.flatnonzero([p == name for p in part])
        own = np.where(held[:, ks], speed[:, ks], np.inf)
        rows = np.flatnonzero(own.min(axis=1) < most)
        out[rows, ks[own[rows].argmin(axis=1)]] = True
    return out


def _between(part: tuple[str, ...], speed: Array, on: Mask, rests: Mask, loop: bool) -> Mask:
    """Of each part that stands while none of its patches is at rest (weight passes from heel to ball, flesh
    is thicker than guessed), the stillest one that touches until the next frame, but at the ends of contacts
    (G, K)."""
    out = np.zeros(on.shape, bool)
    after, then = np.roll(on, -1, axis=0), np.roll(speed, -1, axis=0)
    if not loop:
        after[-1] = False
    for name in dict.fromkeys(part):
        ks = np.flatnonzero([p == name for p in part])
        up = np.asarray(~on[:, ks].any(axis=1))
        near = widened(np.concatenate([up] * 3), ENDS)[len(up) : 2 * len(up)] if loop else widened(up, ENDS)
        inner = ~near & ~rests[:, ks].any(axis=1)
        own = np.where((on & after)[:, ks], np.maximum(speed, then)[:, ks], np.inf)
        rows = np.flatnonzero(inner & np.isfinite(own.min(axis=1)))
        out[rows, ks[own[rows].argmin(axis=1)]] = True
    return out


def _within(frames: IntArray, start: int, end: int, loop: bool, cycle: int) -> Mask:
    """Which frames lie in start … end; those of a loop may go beyond its ends."""
    if not loop:
        return (frames >= start) & (frames <= end)
    out = np.zeros(len(frames), bool)
    for shift in (-cycle, 0, cycle):
        out |= (frames + shift >= start) & (frames + shift <= end)
    return out


def _levels(gap: Array, still: Mask, most: float, loop: bool) -> Array:
    """The median gap of every stretch of rest, no further from the surface than ``most``; elsewhere the
    surface, or the gap where that is lower."""
    out, grid = np.minimum(gap, 0.0), len(gap)
    for k in range(gap.shape[1]):
        for a, b in runs(np.concatenate([still[:, k]] * 2) if loop else still[:, k]):
            own = np.arange(a, min(b, a + grid - 1) + 1) % grid
            if loop and a == 0 and still[-1, k] and not still[:, k].all():
                continue  # the end of a stretch that began before the seam
            out[own, k] = np.clip(np.median(gap[own, k]), -most, most)
    return out
