"""Two hands on two toms, alternating, accents three-three-two: a loop of eight beats.

A stroke is not a straight line: after the hit the hand rebounds, circles outward and up, hangs for a
moment, and whips inward and down. Every hit is at the bottom of its stroke, exactly on a beat.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.clips.author.acting import FPS, Posture, Trunk, balanced, cycle, leaning, spine_pair
from poise.clips.author.puppet import SIDES, Footing, Puppet, about_x, about_y, about_z
from poise.motion import Clip

BEAT = 0.30
"""Time from beat to beat [s]: 200 beats per minute."""
BEATS = 8
"""In one cycle."""
PERIOD = BEAT * BEATS
PATTERN = {"Right": {0: 1.0, 2: 0.50, 4: 0.56, 6: 0.92}, "Left": {1: 0.52, 3: 1.0, 5: 0.56, 7: 0.48}}
"""Beats each hand plays, and how hard."""
TOM = {"Left": (0.43, 0.22), "Right": (0.43, -0.22)}
"""Where the hands are when they hit [m]."""
HEAD = 1.00
"""Height of the hands' middle at the hit [m]."""
LIFT, OUTWARD, BACK = 0.40, 0.19, 0.13
"""Of a full stroke: how high, how far out and how far back the hand is carried [m]."""
STANCE = {"Left": (-0.08, 0.15, 14.0), "Right": (-0.08, -0.15, -14.0)}
"""Heels over the ground [m], and toes out [°]."""
STROKE = [(0.0, 0.0), (0.07, 0.16), (0.22, 0.34), (0.44, 0.72), (0.66, 1.0), (0.80, 0.84), (0.93, 0.20)]
"""Height of a stroke over its time, from hit to hit."""
CIRCLE = [(0.0, 0.0), (0.08, 0.12), (0.40, 0.95), (0.55, 1.0), (0.75, 0.62), (0.93, 0.08)]
"""Sideways: it leads on the way up and comes in late."""
LOOK = [(0.05, -11), (0.55, 4), (0.95, 12), (1.4, -2), (1.85, -11)]
"""Where the eyes are, to the left [°]: ahead of the accents."""


def drum(puppet: Puppet) -> Clip:
    """Eight beats, a seamless loop."""
    times = np.arange(round(PERIOD * FPS)) / FPS
    strokes = {side: _strokes(side, times) for side in SIDES}
    left, right = strokes["Left"][:, 2], strokes["Right"][:, 2]
    body = _Body(times, left, right)
    com = np.column_stack([np.full(len(times), 0.02), body.sway])
    posture = Posture(
        body.turn, body.loins, body.chest, body.gaze, _feet(puppet, len(times)), _Arms(puppet, strokes)
    )
    return Clip(puppet.character, balanced(puppet, posture, com, body.knee), FPS, loop=True, name="drum")


def _played(side: str) -> list[tuple[float, float]]:
    """Times and strengths of a hand's hits in one period."""
    return [(beat * BEAT, strength) for beat, strength in PATTERN[side].items()]


def _strokes(side: str, times: Array) -> Array:
    """The hand's way from where it hits: forward, left, up [m], (T, 3)."""
    hits = _played(side)
    height: list[tuple[float, float]] = []
    aside: list[tuple[float, float]] = []
    for (start, _), (end, strength) in zip(hits, [*hits[1:], (hits[0][0] + PERIOD, hits[0][1])]):
        gap = end - start
        height += [(start + u * gap, strength * h) for u, h in STROKE]
        aside += [(start + u * gap, strength * h) for u, h in CIRCLE]
    up, out = cycle(height, times, PERIOD, rounding=0.007), cycle(aside, times, PERIOD, rounding=0.02)
    # Rounding lifts the bottoms a little: put every hit back on the drum.
    at = np.array([time for time, _ in hits])
    for curve, keys, rounding in ((up, height, 0.007), (out, aside, 0.02)):
        curve -= np.interp(times, at, cycle(keys, at, PERIOD, rounding=rounding), period=PERIOD)
    return np.column_stack([-BACK * up, SIDES[side] * OUTWARD * out, LIFT * up])


def _pulse(times: Array, rest: float, dip: float, late: float, *, rounding: float = 0.03) -> Array:
    """A track that dips by up to ``dip`` just after each beat, deeper for accents, (T,)."""
    strength = {beat: hard for side in SIDES for beat, hard in PATTERN[side].items()}
    keys = []
    for beat in range(BEATS):
        keys += [(beat * BEAT + late, rest + dip * strength[beat]), (beat * BEAT + late + 0.15, rest)]
    return cycle(keys, times, PERIOD, rounding=rounding)


class _Body:
    """What the body does while the hands play."""

    def __init__(self, times: Array, left: Array, right: Array) -> None:
        lifted = gaussian_filter1d(right - left, 0.05 * FPS, mode="wrap") / LIFT  # −1 … 1, right hand up
        late = np.roll(lifted, 2)
        flex, flex_late = (np.radians(_pulse(times, 12, 9, lag)) for lag in (0.03, 0.07))
        self.knee = np.radians(_pulse(times, 20, 14, 0.05))
        self.sway = 0.012 * np.sin(2 * np.pi * times / PERIOD - 0.6) - 0.010 * lifted
        self.turn = leaning(
            np.radians(-6 * lifted), np.radians(_pulse(times, 7, 2, 0.04)), np.radians(-1.5 * lifted)
        )
        now = [flex, np.radians(6 * lifted), np.radians(-12 * lifted)]
        after = [flex_late, np.radians(6 * late), np.radians(-12 * late)]
        self.loins, self.chest = spine_pair(now, after)
        eyes = np.radians(cycle(LOOK, times, PERIOD, rounding=0.05))
        nod = np.radians(_pulse(times, 20, 9, 0.08))
        self.gaze = about_z(eyes) @ about_y(nod) @ about_x(np.radians(3 * late))


def _feet(puppet: Puppet, count: int) -> dict[str, Footing]:
    flat = np.zeros(count)
    return {
        side: puppet.rolling_foot(np.tile([x, y, 0.0], (count, 1)), flat + np.radians(yaw), flat)
        for side, (x, y, yaw) in STANCE.items()
    }


class _Arms:
    """Both hands over their toms; elbows swing out with the lift, fists turn over on the way down."""

    def __init__(self, puppet: Puppet, strokes: dict[str, Array]) -> None:
        self.puppet, self.strokes = puppet, strokes

    def __call__(self, trunk: Trunk) -> dict[str, Array]:
        limbs: dict[str, Array] = {}
        for side, way in self.strokes.items():
            s, lift = SIDES[side], way[:, 2] / LIFT
            place = np.array([*TOM[side], HEAD]) + way
            pole = np.column_stack(
                [np.full_like(lift, -0.6), s * (0.5 + 0.5 * lift), np.full_like(lift, -1.0)]
            )
            palm = np.radians(20 - 30 * np.roll(lift, 1))
            limbs |= self.puppet.arm_reach(side, trunk.chest, trunk.chest_turn, place, pole, palm)
        return limbs
