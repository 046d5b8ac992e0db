"""Feet over time: they stand, roll over ball and heel, and swing from one stand to the next.

A foot is told by the point it rolls over in front (``ball``) and its pitch φ about that point. While it
stands it is flat; before it leaves, the heel rises about the ball; where it lands on the heel, the ball comes
down about it. In between the ball goes by a quintic that takes up both speeds, over whatever lies on the way.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.manifold import so3
from poise.methods.plan.template.build import Leg
from poise.methods.plan.template.eased import hump, quintic, smooth
from poise.methods.plan.template.score import Plant, Score

QUICK = 0.8
"""Feet that follow a body into the air rise quickly: the exponent of their way up and down."""


class FootPath(NamedTuple):
    """A foot in F frames."""

    place: Array
    """Of its origin [m] (F, 3)."""
    turn: Array
    """(F, 3, 3)"""
    toes: Array
    """Rotation of its toes (F, 3, 3)."""
    stands: Array
    """Whether (F,)."""
    pressure: Array
    """Where it would push: between heel and ball [m] (F, 3)."""


def foot_path(score: Score, index: int, leg: Leg) -> FootPath:
    """Where a leg's foot is."""
    t, plants = score.times, score.plants[index]
    pitch = _pitch(t, plants)
    ball, frame = np.zeros((len(t), 3)), np.zeros((len(t), 3, 3))
    stands = np.zeros(len(t), bool)
    pressure = np.zeros((len(t), 3))
    for k, p in enumerate(plants):
        on = (t >= p.start - 1e-9) & (t <= p.end + 1e-9)
        stands |= on
        ball[on] = np.array([_standing_ball(p, leg, a, s) for a, s in zip(pitch[on], t[on])]).reshape(-1, 3)
        frame[on] = p.turn
        flat = p.start + (p.load if p.land else 0.0), p.end - (p.unload if p.leave else 0.0)
        way = np.clip((t - flat[0]) / max(flat[1] - flat[0], 1e-9), 0.0, 1.0)  # on the part that is down
        share = p.early + (p.late - p.early) * smooth(way)
        tip = np.array([leg.ball[0], leg.ball[1], 0.0])
        spot = p.place + (leg.heel + share[:, None] * (tip - leg.heel)) @ p.turn.T
        after = t >= (plants[k - 1].end + p.start) / 2 if k else np.ones(len(t), bool)
        pressure[after] = spot[after]
        if k + 1 < len(plants):
            _swing(score, leg, (p, plants[k + 1]), score.swung(index, k), ball, frame)
    rolled = frame @ _about_y(pitch)
    place = ball + np.einsum("fij,j->fi", rolled, leg.origin - leg.ball)
    toes = frame @ _about_y(_toe_pitch(t, plants, pitch))
    return FootPath(place, rolled @ leg.flat, toes @ leg.toes_flat, stands, pressure)


def _pitch(t: Array, plants: list[Plant]) -> Array:
    """One smooth curve: flat, up at lift-off, through the swing, down at touch-down."""
    out = np.zeros(len(t))
    for k, p in enumerate(plants):
        if p.land and p.start > 0:
            rolls = (t >= p.start) & (t <= p.start + p.load)
            out[rolls] = p.land * (1 - smooth((t[rolls] - p.start) / p.load))
        if p.leave:
            rolls = (t >= p.end - p.unload) & (t <= p.end)
            s = (t[rolls] - p.end + p.unload) / p.unload
            out[rolls] = p.leave * quintic(s, 1.0, (0, 0, 0), (1, p.flick, 0))
        if k + 1 < len(plants):
            n = plants[k + 1]
            swings = (t > p.end) & (t < n.start)
            s = (t[swings] - p.end) / (n.start - p.end)
            span = n.start - p.end
            speed = p.flick * p.leave / p.unload
            out[swings] = quintic(s, span, (p.leave, speed, 0.0), (n.land, 0.0, 0.0))
    return out


def _toe_pitch(t: Array, plants: list[Plant], pitch: Array) -> Array:
    """Toes lie flat while the heel is up; in the air they come into line with the foot."""
    out = np.where(pitch > 0, 0.0, pitch)
    for p, n in pairwise(plants):
        swings = (t > p.end) & (t < n.start)
        s = (t[swings] - p.end) / (n.start - p.end)
        follows = smooth(s / 0.5) * (1 - smooth((s - 0.5) / 0.5) if n.land > 0 else 1.0)
        out[swings] = pitch[swings] * np.where(pitch[swings] > 0, follows, 1.0)
    return out


def _standing_ball(p: Plant, leg: Leg, pitch: float, time: float) -> Array:
    """Where the ball is while the foot stands: still, but where it comes down about the heel."""
    if pitch < 0 or (p.land < 0 and time < p.start + p.load):
        about = leg.heel + _about_y(np.array([pitch]))[0] @ (leg.ball - leg.heel)
        return np.asarray(p.place + p.turn @ about)
    return np.asarray(p.place + p.turn @ leg.ball)


def _swing(
    score: Score,
    leg: Leg,
    between: tuple[Plant, Plant],
    clear: float,
    ball: Array,
    frame: Array,
) -> None:
    """Fill in the frames between two stands."""
    p, n = between
    t = score.times
    swings = (t > p.end) & (t < n.start)
    if not swings.any():
        return
    span = n.start - p.end
    s = (t[swings] - p.end) / span
    a, b = _standing_ball(p, leg, p.leave, p.end), _standing_ball(n, leg, n.land, n.start)
    s_level = smooth(s)
    way = a + s_level[:, None] * (b - a)
    high = np.zeros(len(s))
    if len(score.world.surfaces) > 1:
        lies, _ = score.world.under(way + [0.0, 0.0, 2 * leg.length])
        high = np.maximum(lies[:, 2] - way[:, 2], 0.0)
    lift = clear + (1.3 * float(high.max()) if len(high) else 0.0)
    early = 0.75 if b[2] > a[2] + 0.02 * leg.length else 1.0 if b[2] > a[2] - 0.02 * leg.length else 1.3
    flown = any(a <= p.end and n.start <= b + 1e-6 + 3 * score.dt for a, b in score.flights)
    way[:, 2] += lift * (hump(s) ** QUICK if flown else hump(s**early))
    if b[2] > a[2] + 0.02 * leg.length:  # up first, then over
        way[:, 2] = np.maximum(way[:, 2], a[2] + (b[2] - a[2]) * smooth(s / 0.6) + lift * hump(s**early))
    ball[swings] = way
    turn = so3.slerp(so3.from_matrix(p.turn), so3.from_matrix(n.turn), s_level)
    frame[swings] = so3.to_matrix(turn)


def _about_y(angle: Array) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    out = np.zeros((len(angle), 3, 3))
    out[:, 0, 0], out[:, 0, 2], out[:, 1, 1], out[:, 2, 0], out[:, 2, 2] = c, s, 1.0, -s, c
    return out
