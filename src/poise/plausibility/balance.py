"""Balance: standing still, the centre of mass is above the support polygon; moving, the centre of pressure
is within it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import Mask, rate_of, runs
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.ground_rules import PRESSING, standing
from poise.plausibility.physics import Physics
from poise.plausibility.polygon import distance_outside

STILL = 0.10, 0.5
"""A body stands still below this speed [m/s] and acceleration [m/s²] of its centre of mass …"""
A_WHILE = 0.3
"""… for so long [s]."""
LEANS = 0.04, 0.25
"""Centre of mass outside while still, of a body of 1.75 m [m]: fine, absurd."""
TIPS = 0.15, 1.00
"""Centre of pressure outside [m]: fine, absurd; an error of 1 m/s² in the acceleration alone moves it by 10
cm."""
LASTING = 0.12
"""Shorter ones are noise [s]."""
CHANGING = 0.04
"""Left out around changes of contact [s]."""


def balance(physics: Physics) -> Iterator[Finding]:
    """Findings about balance."""
    total, take = physics.forces, physics.take
    if total is None:
        return
    down = standing(physics) & ~physics.contact.sliding & _settled(physics)
    speed = np.linalg.norm(total.com_velocity, axis=1)
    hurry = np.linalg.norm(rate_of(total.com_velocity, take.dt), axis=1)
    still = down & (speed < STILL[0]) & (hurry < STILL[1])
    leaning = outside(physics, total.com[:, :2], still)
    yield from _stretches(
        physics, leaning, LEANS, A_WHILE, "stands still with its centre of mass {:.0f} cm beside its feet"
    )
    moving = down & ~still & (total.load > PRESSING)
    tipping = outside(physics, total.pressure, moving)
    text = "would tip: the floor would have to push {:.0f} cm beside what touches it"
    yield from _stretches(physics, tipping, TIPS, LASTING, text)


def outside(physics: Physics, places: Array, frames: Mask) -> Array:
    """How far places (N, 2) are outside the support polygon in the given frames [m] (N,); else not a
    number."""
    found = np.full(len(places), np.nan)
    for f in np.flatnonzero(frames):
        polygon = physics.polygon(int(f))
        if polygon is not None and np.isfinite(places[f]).all():
            found[f] = distance_outside(polygon, places[f])
    return found


def _settled(physics: Physics) -> Mask:
    """Frames in which what touches has not just changed and is not just about to (N,)."""
    touched = physics.contact.touching
    change = np.zeros(len(touched), dtype=bool)
    parts = physics.touching.part
    for k in range(len(physics.touching.parts)):
        down = np.array(touched[:, parts == k].any(axis=1))
        change[1:] |= down[1:] != down[:-1]
    reach = round(CHANGING / physics.take.dt)
    near = np.convolve(change, np.ones(2 * reach + 1))[reach : reach + len(change)] > 0
    return np.asarray(~near)


def _stretches(
    physics: Physics, amount: Array, bounds: tuple[float, float], lasting: float, text: str
) -> Iterator[Finding]:
    take = physics.take
    least = max(2, round(lasting / take.dt))
    for a, b in runs(np.nan_to_num(amount, nan=-1.0) > bounds[0] * take.scale):
        if b - a + 1 < least:
            continue
        worst = float(np.sort(amount[a : b + 1])[-least])
        score = score_between(worst / take.scale, *bounds)
        yield Finding(
            "balance", a - take.lead, b - take.lead, "", worst, "m", 0.0, score, text.format(100 * worst)
        )
