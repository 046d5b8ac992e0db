"""Skate: a foot that stands and slides all the same.

Of a rolling or pivoting foot some point is at rest; so the part slides with the velocity of the slowest of
its points that touch. That velocity, integrated, is the way it slides; its extent is reported. A foot may
well be dragged while another rests and bears the load: that is seen, but by itself never condemned.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import Mask
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.phase import Contact
from poise.plausibility.physics import Physics

SLIDE = 0.015, 0.20
"""Of a body of 1.75 m [m]: fine, absurd."""
DRAGGED = 0.10
"""A way without load counts no further than this: it may be meant. Of a body of 1.75 m [m]."""
SECONDS = 1.0
"""A way counts that is slid within this time [s]: slower, nobody sees it, and captures creep."""
ROLLING = 0.03
"""Left out at the ends of a contact: the foot is still landing, or already leaving [s]."""


def skate(physics: Physics) -> Iterator[Finding]:
    """Findings about feet that slide."""
    take, touch = physics.take, physics.touching
    for contact in physics.contacts:
        if not touch.feet[touch.parts.index(contact.part)] and any(touch.feet):
            continue
        a, b = contact.start + take.lead, contact.end + take.lead
        ends = round(ROLLING / take.dt)
        if b - a > 4 * ends:
            a, b = a + ends, b - ends
        velocity = sliding_velocity(physics, contact, a, b)
        loaded = _loaded(physics, contact, a, b)
        counted, way, start, end = max(_windows(velocity, loaded, take.dt, DRAGGED * take.scale))
        if counted <= SLIDE[0] * take.scale:
            continue
        speed = way / (max(end - start, 1) * take.dt)
        words = f"{contact.part} slides {100 * way:.1f} cm while it stands ({100 * speed:.0f} cm/s)"
        score = score_between(counted / take.scale, *SLIDE)
        first, last = a + start - take.lead, a + end - take.lead
        yield Finding("skate", first, last, contact.part, way, "m", 0.0, score, words)


def _windows(
    velocity: Array, loaded: Mask, dt: float, dragged: float
) -> Iterator[tuple[float, float, int, int]]:
    """Of every second: the way that counts, the whole way, and the first and last frame of it."""
    long = max(2, round(SECONDS / dt))
    for a in range(0, max(len(velocity) - long, 0) + 1, max(1, long // 8)):
        seen, pressed = velocity[a : a + long], loaded[a : a + long, None]
        way, start, end = extent(seen, dt)
        yield max(extent(seen * pressed, dt)[0], min(way, dragged)), way, a + start, a + end


def sliding_velocity(physics: Physics, contact: Contact, start: int, end: int) -> Array:
    """Horizontal velocity of the slowest touching point of a part in frames of the take [m/s] (k, 2)."""
    touch = physics.touching
    own = touch.of_part(touch.parts.index(contact.part))
    held = physics.contact.touching[start : end + 1][:, own]
    velocity = touch.velocities[start : end + 1][:, own, :2]
    speed = np.where(held, np.linalg.norm(velocity, axis=2), np.inf)
    slowest = np.argmin(speed, axis=1)
    chosen = velocity[np.arange(len(velocity)), slowest]
    return np.asarray(np.where(held.any(axis=1, keepdims=True), chosen, 0.0))


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


def _loaded(physics: Physics, contact: Contact, start: int, end: int) -> Mask:
    """Frames in which the part cannot be said to be dragged along: no other rests and bears the load."""
    touch, total, frames = physics.touching, physics.forces, range(start, end + 1)
    own = touch.part == touch.parts.index(contact.part)
    found = np.ones(len(frames), dtype=bool)
    for k, f in enumerate(frames):
        held = physics.contact.touching[f]
        mine, others = held & own, held & ~own
        if total is None or not others.any() or not mine.any() or not np.isfinite(total.pressure[f]).all():
            continue
        away = np.linalg.norm(touch.places[f, :, :2] - total.pressure[f], axis=1)
        speed = np.linalg.norm(touch.velocities[f, :, :2], axis=1)
        rests = speed[others].min() < 0.5 * speed[mine].min()
        found[k] = not rests or away[mine].min() <= 0.5 * away[others].min()
    return found
