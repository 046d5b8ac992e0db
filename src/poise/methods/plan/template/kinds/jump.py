"""Jump: down with the arms back, up and off, over a distance, round by an angle, and down into the knees."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.gravity import EARTH
from poise.methods.plan.template.eased import eased, smooth
from poise.methods.plan.template.gait import ground_frame
from poise.methods.plan.template.score import ArmAngles, Plant, Score
from poise.methods.plan.template.standing import Standing
from poise.methods.plan.template.wish import Wish
from poise.world import World

LEGS = (2, 4)
"""How many legs it takes."""
RISE = 0.2
"""How high the centre of mass goes after take-off, over leg lengths."""
OVER = 0.5
"""How far, over leg lengths."""
CROUCH = 0.18
"""How far it goes down before, over leg lengths."""
SLACK = 0.4
"""How much of the rise legs are short of being stretched at take-off: feet need time to follow."""
TIPTOE = 0.55
"""Pitch of the feet at take-off [rad]."""
FOREFOOT = 0.30
"""Pitch of the feet at landing [rad]."""
LEAN = 0.55
"""Of the trunk in the crouch [rad]."""
BACK, UP = -0.6, 1.2
"""Swing of the arms in the crouch and in the air [rad]."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score."""
    build = stand.build
    over = wish.over if wish.over is not None else (0.0 if wish.angle else OVER * build.leg)
    return leap(stand, wish, over, wish.high or RISE * build.leg, wish.angle or 0.0)


def leap(stand: Standing, wish: Wish, over: float, rise: float, spin: float) -> Score:
    """One jump with both, or all, feet at once."""
    build, world = stand.build, wish.world or World.flat(0.0)
    unit = build.clock / wish.tempo
    z = stand.centre[2]
    tall = z if build.one_legged else build.leg
    here = [ground_frame(world, s[:2], 0.0, 3 * build.leg) for s in stand.soles]
    middle = stand.soles[:, :2].mean(axis=0)
    c, s = np.cos(spin), np.sin(spin)
    turned = (stand.soles[:, :2] - middle) @ np.array([[c, s], [-s, c]]) + middle + [over, 0.0]
    there = [ground_frame(world, p, spin, 3 * build.leg) for p in turned]
    up = float(np.mean([b[0][2] - a[0][2] for a, b in zip(here, there)]))
    tip = lifted(build.legs[0], TIPTOE if not build.one_legged else 0.0)
    off = z + max(0.45 * tip - SLACK * rise, -0.06 * tall) if not build.one_legged else z + 0.04 * tall
    on = off + up - 0.03 * build.leg if not build.one_legged else off + up
    fast = float(np.sqrt(2 * EARTH * max(rise, 0.05 * build.leg, up + 0.08 * build.leg)))
    air = (fast + np.sqrt(max(fast**2 - 2 * EARTH * (on - off), 0.0))) / EARTH
    hits = EARTH * air - fast
    deep = z - CROUCH * tall
    push = 2.15 * (off - deep) / fast
    soak = 2.3 * (on - (z + up - CROUCH * tall)) / hits
    t0 = 1.0 * unit
    t1 = t0 + 2.2 * unit  # the crouch is at its lowest
    t2 = t1 + push  # take-off
    t3 = t2 + air  # landing
    t4 = t3 + soak
    duration = t4 + 4.5 * unit
    times, dt = wish.times(duration)
    t2, t3 = round(t2 / dt) * dt, round(t3 / dt) * dt
    low = z + up - CROUCH * tall
    down = min(
        0.35 * fast / push, 6 * (z - deep) / (t1 - t0) ** 2
    )  # no higher than it stands, before or after
    rest = duration - 0.5 * unit
    rises = min(0.3 * hits / soak, 6 * (z + up - low) / (rest - t4) ** 2)
    height = eased([(0.0, z), (t0, z), (t1, deep, 0.0, down), (t2, off, fast, -EARTH)], times)
    flies = (times > t2) & (times < t3)
    height[flies] = off + fast * (times[flies] - t2) - 0.5 * EARTH * (times[flies] - t2) ** 2
    after = times >= t3
    end = off + fast * (t3 - t2) - 0.5 * EARTH * (t3 - t2) ** 2
    height[after] = eased(
        [
            (t3, end, fast - EARTH * (t3 - t2), -EARTH),
            (t4, low, 0.0, rises),
            (rest, z + up),
        ],
        times[after],
    )
    quick = min(0.12, 0.3 * push)
    plants, clear = [], []
    for (a, turn), (b, new) in zip(here, there):
        leave = TIPTOE if not build.one_legged else 0.0
        land = FOREFOOT if not build.one_legged else 0.0
        plants.append(
            [
                Plant(
                    -1.0, t2 + 1.5 * dt, a, turn,
                    unload=0.75 * push, leave=leave, flick=0.0, early=0.5, late=1.05,
                ),
                Plant(
                    t3 - 1.5 * dt, duration + 1, b, new,
                    load=max(quick, 0.35 * soak), land=land, early=1.05, late=0.5,
                ),
            ]
        )  # fmt: skip
        clear.append([1.25 * float(fast**2 / (2 * EARTH)) - 0.5 * up])
    made = Score("jump", times, dt, plants, height, spin * smooth((times - t1) / (t4 - t1)), world, clear)
    lean = LEAN * build.stoop
    made.pitch = eased(
        [
            (0.0, 0.0),
            (t0, 0.0),
            (t1, lean),
            (t2, 0.08 * build.stoop),
            (t3, 0.15 * build.stoop),
            (t4, 0.8 * lean),
            (duration - 0.4 * unit, 0.0),
        ],
        times,
    )
    made.gaze = 0.3 * made.pitch
    swing = eased(
        [
            (0.0, 0.0),
            (0.5 * t0, 0.0),
            (t1 - 0.2 * unit, BACK),
            (t2, UP),
            (t3, 0.8),
            (t4, 0.2),
            (duration - 0.4 * unit, 0.0),
        ],
        times,
    )
    made.arms = {
        side: ArmAngles(swing, 0.25 + 0.0 * times, 0.3 + 0.25 * np.abs(swing)) for side in (1.0, -1.0)
    }
    made.flights = [(t2, t3)]
    made.rise = (t2, t3, fast**2 / (2 * EARTH))
    return made


def lifted(leg: object, pitch: float) -> float:
    """How much higher an ankle is on tiptoe [m]."""
    from poise.methods.plan.template.build import Leg

    assert isinstance(leg, Leg)
    way: Array = leg.origin - leg.ball
    return float(-np.sin(pitch) * way[0] + (np.cos(pitch) - 1) * way[2])
