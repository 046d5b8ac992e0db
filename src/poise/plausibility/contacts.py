"""Contact: which points touch the floor, when; flights and unexplained supports in between.

A point touches when it is low and slow, and goes on touching until it is clearly high or clearly fast
(hysteresis). Where nothing touches, the centre of mass decides:

* it falls along a parabola: **flight**, whatever the gravity;
* it does not, and a point is low though fast: the point **slides**, and carries;
* it does not, and nothing is low: an **unexplained** support: a bar, a wall, a partner, a chair, or a
  mistake.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.contacts.ballistics import FEWEST, GRAVITY, Parabola, flight_within
from poise.contacts.differentiated_clip import Mask, Take, runs
from poise.plausibility.contact_points import Touching
from poise.plausibility.floor import Floor, clearances

LOW, HIGH = 0.025, 0.05
"""Heights at which a point comes to touch, and ceases to, of a body of 1.75 m [m]."""
SLOW, FAST = 0.4, 0.8
"""Speeds at which it does [m/s]."""
SINKING = 2.0
"""What is deep in the floor touches it up to this speed: a foot that lands and sinks [m/s]."""
BRIEF = 0.05
"""Contacts and gaps shorter than this are noise [s]."""
TIPTOE = 0.10
"""A body that does not fall stands on its toes if a foot is no higher than this [m]."""
DOUBTFUL = 0.8
"""Falling slower than with this share of gravity may be turning over something …"""
STAYS = 0.43
"""… if a part travels less than this share of the way of the centre of mass …"""
CALM = 0.05
"""… or of this, if that hardly moves [m] …"""
HOLD = 0.4
"""… in every piece of about this length [s]; another part may hold in the next."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """What touches in every frame of a take, and what happens where nothing does."""

    heights: Array
    """Of the points' flesh above the floor [m] (N, P)."""
    touching: Mask
    """(N, P)"""
    sliding: Mask
    """Frames that are carried by a point too fast to stand (N,)."""
    flights: tuple[tuple[int, int, Parabola | None], ...]
    """First and last frame without contact, and the parabola fitted within; None for a body without mass."""
    unexplained: tuple[tuple[int, int, tuple[str, ...]], ...]
    """First and last frame of supports that no contact explains, and the parts that may be held."""


def contacts(take: Take, touch: Touching, floor: Floor, com: Array | None) -> Contacts:
    """Contacts of the take; ``com`` (N, 3), or None for a character without mass: every gap is then a
    flight."""
    clear = clearances(take, touch, floor)
    heights = touch.places[..., 2] - floor.at(touch.places) - clear
    speeds, scale = touch.speeds, take.scale
    low, deep = heights < LOW * scale, (heights < -LOW * scale) & (speeds < SINKING)
    high = heights > HIGH * scale
    held = _hysteresis((low & (speeds < SLOW)) | deep, high | ((speeds > FAST) & ~deep), take.dt)
    sliding = np.zeros(take.frames, dtype=bool)
    flights: list[tuple[int, int, Parabola | None]] = []
    unexplained: list[tuple[int, int, tuple[str, ...]]] = []
    for start, end in runs(~held.any(axis=1)):
        if com is None:
            flights.append((start, end, None))
            continue
        fit = _flight(take, touch, com, start, end)
        if fit is not None:
            flights.append((start, end, fit))
            continue
        near = low[start : end + 1]
        held[start : end + 1] |= near
        sliding[start : end + 1] = near.any(axis=1)
        for a, b in runs(~near.any(axis=1)):
            a, b = a + start, b + start
            inner = _flight(take, touch, com, a, b)
            if inner is not None:
                flights.append((a, b, inner))
            elif (
                (b - a) * take.dt < 2 * BRIEF
                or b - a + 1 < FEWEST
                or _tiptoe(take, touch, heights[a : b + 1])
            ):
                _bridge(held, sliding, a, b, heights)
            else:
                unexplained.append((a, b, held_parts(take, touch, com, a, b)))
    return Contacts(heights, held, sliding, tuple(sorted(flights, key=lambda f: f[0])), tuple(unexplained))


def _flight(take: Take, touch: Touching, com: Array, start: int, end: int) -> Parabola | None:
    """The flight in frames without contact, unless something holds the body there.

    A body that turns over its hands falls along a fair parabola too, only slowly.
    """
    fit = flight_within(com, take.dt, start, end, scale=take.scale)
    if fit is None or fit.gravity > DOUBTFUL * GRAVITY:
        return fit
    return None if held_parts(take, touch, com, start, end) else fit


def held_parts(take: Take, touch: Touching, com: Array, start: int, end: int) -> tuple[str, ...]:
    """Parts that something unseen may hold: while the centre of mass travels, one of them always stays."""
    pieces = max(2, round((end - start) * take.dt / HOLD))
    cuts = np.linspace(start, end + 1, pieces + 1).astype(int)
    found = []
    for a, b in pairwise(cuts):
        ways = np.linalg.norm(np.ptp(touch.places[a:b], axis=0), axis=1)
        stillest = int(np.argmin(ways))
        if ways[stillest] > STAYS * max(float(np.linalg.norm(np.ptp(com[a:b], axis=0))), CALM * take.scale):
            return ()
        found.append(touch.parts[touch.part[stillest]])
    return tuple(dict.fromkeys(found))


def _tiptoe(take: Take, touch: Touching, heights: Array) -> bool:
    """Whether a foot is always so near the floor that its toes, which no point marks, may well reach it."""
    feet = np.array([touch.feet[k] for k in touch.part])
    return bool(feet.any() and heights[:, feet].min(axis=1).max() < TIPTOE * take.scale)


def _bridge(held: Mask, sliding: Mask, start: int, end: int, heights: Array) -> None:
    """Too short or too low a gap to mean anything: what is lowest goes on touching."""
    lowest = np.argmin(heights[start : end + 1], axis=1)
    held[np.arange(start, end + 1), lowest] = True
    sliding[start : end + 1] = True


def _hysteresis(begins: Mask, ends: Mask, dt: float) -> Mask:
    """State (N, P) that is set by ``begins``, cleared by ``ends``, and else kept; brief flickers removed."""
    held = np.array(begins)
    for f in range(1, len(held)):
        held[f] |= held[f - 1] & ~ends[f]
    for f in range(len(held) - 2, -1, -1):  # and backwards: a contact also begins where it was not yet over
        held[f] |= held[f + 1] & ~ends[f]
    brief = max(1, round(BRIEF / dt))
    for p in range(held.shape[1]):
        for a, b in runs(~held[:, p]):
            if b - a + 1 < brief and a > 0 and b < len(held) - 1 and not ends[a : b + 1, p].any():
                held[a : b + 1, p] = True
        for a, b in runs(held[:, p]):
            if b - a + 1 < brief and a > 0 and b < len(held) - 1:
                held[a : b + 1, p] = False
    return held
