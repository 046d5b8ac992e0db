"""Skate: a foot that carries and slides all the same.

Of a rolling or pivoting foot some point is at rest; so a part slides with the velocity of the stillest point
of its sole
(``poise.contacts.manner``). That velocity, integrated while the foot bears load, is the way it slides; its
extent is judged. A
foot that slides fast and is braked by it really slides, as on ice: that is no mistake.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import Mask
from poise.contacts.manner import BLURRED, still_velocity
from poise.contacts.support import Contact
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.physics import Physics

SLIDE = {True: (0.015, 0.185), False: (0.015, 0.285)}
"""Of a body of 1.75 m [m]: fine, absurd; where the world is given, and where it was found. Nine of ten real
contacts slide
less than 5.3 cm."""
SECONDS = 1.0
"""A way counts that is slid within this time [s]: slower, nobody sees it, and captures creep."""
LOADED = 0.3
"""A foot that carries less of the weight may be dragged."""
DRAGGED = 0.3, 0.06
"""Load tells badly who carries: what is still is taken to. A foot that touches for so long [s] and slides
with less load is told, up to this way [m], and never condemned."""
SHORTEST = 0.08
"""Less loaded time says nothing [s]."""
BRAKED = 0.5, 0.1
"""Faster than this [m/s], and pushed back by so much of the weight: a slide that friction brakes."""


def skate(physics: Physics) -> Iterator[Finding]:
    """Findings about feet that slide."""
    take, footing = physics.take, physics.footing
    fine, absurd = SLIDE[physics.given]
    for contact in physics.contacts:
        if contact.part not in footing.feet or not contact.surface:
            continue
        a, b = footing.spans(contact)[1 if take.lead else 0]
        velocity = sliding_velocity(physics, contact, a, b)
        counted = judged(physics, contact, a, b, velocity)
        found = [(0.0, 0, 0)]
        if counted.sum() * take.dt >= SHORTEST:
            found += _windows(np.where(counted[:, None], velocity, 0.0), take.dt)
        if (b - a) * take.dt > DRAGGED[0]:
            most = DRAGGED[1] * physics.scale
            dragged = _windows(_inner(velocity, take.dt), take.dt)
            found += [(min(way, most), start, end) for way, start, end in dragged]
        way, start, end = max(found)
        if way <= fine * physics.scale:
            continue
        speed = way / (max(end - start, 1) * take.dt)
        words = f"{contact.part} slides {100 * way:.1f} cm while it stands ({100 * speed:.0f} cm/s)"
        score = score_between(way / physics.scale, fine, absurd)
        first, last = a + start - take.lead, a + end - take.lead
        yield Finding("skate", first, last, contact.part, way, "m", 0.0, score, words)


def sliding_velocity(physics: Physics, contact: Contact, start: int, end: int) -> Array:
    """Horizontal velocity of the stillest point of a part in frames of the take, as the clip plays [m/s] (k,
    2)."""
    footing, support = physics.footing, physics.support
    a, b = int(footing.rows[start]), int(footing.rows[end])
    v = still_velocity(support, footing.patches.of_part(contact.part), a, b)
    return np.asarray(v[footing.rows[start : end + 1] - a, :2] * support.pace)


def judged(physics: Physics, contact: Contact, start: int, end: int, velocity: Array) -> Mask:
    """Frames in which a foot should stand still: it is loaded, neither landing nor leaving, and not
    braked."""
    take, footing, total = physics.take, physics.footing, physics.forces
    if total is None:
        return np.ones(len(velocity), dtype=bool)
    load = footing.load[start : end + 1][:, footing.patches.of_part(contact.part)].sum(axis=1)
    found = np.asarray(load > LOADED)
    cut = int(BLURRED / take.dt)
    if len(found) > 2 * cut + 4:
        found[:cut] = found[len(found) - cut :] = False
    speed = np.linalg.norm(velocity, axis=1)
    against = -(total.force[start : end + 1, :2] * velocity).sum(axis=1) / np.maximum(speed, 1e-6)
    return found & ~((speed > BRAKED[0]) & (against > BRAKED[1] * total.weight))


def _inner(velocity: Array, dt: float) -> Array:
    """Without what is slid as a foot lands or leaves."""
    cut = int(2 * BLURRED / dt)
    found = np.array(velocity)
    found[:cut] = found[len(found) - cut :] = 0.0
    return found


def _windows(velocity: Array, dt: float) -> Iterator[tuple[float, int, int]]:
    """Of every second: the way, and the first and last frame of it."""
    long = max(2, round(SECONDS / dt))
    for a in range(0, max(len(velocity) - long, 0) + 1, max(1, long // 8)):
        way, start, end = extent(velocity[a : a + long], dt)
        yield way, a + start, a + end


def extent(velocity: Array, dt: float) -> tuple[float, int, int]:
    """The widest extent of the way that a velocity (k, 2) leads [m], and the first and last frame of it."""
    way = np.cumsum(np.concatenate([np.zeros((1, 2)), 0.5 * (velocity[1:] + velocity[:-1])]), axis=0) * dt
    angles = np.linspace(0.0, np.pi, 24, endpoint=False)
    along = way @ np.stack([np.cos(angles), np.sin(angles)])  # (k, directions)
    line = along[:, int(np.argmax(np.ptp(along, axis=0)))]
    long = float(np.ptp(line))
    first, last = sorted((int(np.argmin(line)), int(np.argmax(line))))
    # Where it has not yet begun, or is as good as over, nothing slides.
    moved = np.abs(line[first : last + 1] - line[first])
    begun, over = np.flatnonzero(moved <= 0.02 * long)[-1], np.argmax(moved >= 0.98 * long)
    return long, first + int(begun), first + int(max(begun, over))
