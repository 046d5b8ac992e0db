"""Hop: small jumps in a row, with both, all or the only foot."""

from __future__ import annotations

import numpy as np

from poise.gravity import EARTH
from poise.methods.plan.template.eased import Key, eased, smooth
from poise.methods.plan.template.gait import ground_frame
from poise.methods.plan.template.kinds.jump import lifted
from poise.methods.plan.template.score import ArmAngles, Plant, Score
from poise.methods.plan.template.standing import HANG_BEND, HANG_OUT, Standing
from poise.methods.plan.template.wish import Wish
from poise.world import World

LEGS = (2, 4)
"""How many legs it takes."""
RISE, OVER, CROUCH = 0.08, 0.25, 0.13
"""Rise and length of a hop, and how deep knees go between, over leg lengths."""
TIPTOE, FOREFOOT = 0.35, 0.2
"""Pitch of feet that leave and that land [rad]."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score: down, then hop after hop, then up."""
    build, world = stand.build, wish.world or World.flat(0.0)
    lone = build.one_legged
    count = wish.steps or 3
    unit = build.clock / wish.tempo
    tall = stand.centre[2] if lone else build.leg
    each = wish.over / count if wish.over is not None else OVER * build.leg
    rise = wish.high if wish.high is not None else RISE * build.leg
    z = stand.centre[2]
    tip = 0.0 if lone else lifted(build.legs[0], TIPTOE)
    off = z + (0.04 * tall if lone else max(0.3 * tip - 0.5 * rise, -0.06 * tall))
    deep = z - CROUCH * tall
    fast = float(np.sqrt(2 * EARTH * rise))
    air = 2 * fast / EARTH
    push = 2.0 * (off - deep) / fast
    dt = 1.0 / wish.fps
    t0, down = 1.0 * unit, 1.8 * unit
    keys: list[Key] = [(0.0, z), (t0, z)]
    t = t0 + down
    flights: list[tuple[float, float]] = []
    keys.append((t, deep, 0.0, 1.0))
    for _ in range(count):
        begin = round((t + push) / dt) * dt
        end = round((begin + air) / dt) * dt
        land = off + fast * (end - begin) - 0.5 * EARTH * (end - begin) ** 2
        keys.append((begin, off, fast, -EARTH))
        keys.append((end, land, fast - EARTH * (end - begin), -EARTH))
        flights.append((begin, end))
        t = end + 1.1 * push
        keys.append((t, deep, 0.0, 0.5 * fast / push))
    keys[-1] = (t, deep, 0.0, 0.5)
    duration = t + 3.5 * unit
    keys.append((duration - 0.5 * unit, z))
    times, dt = wish.times(duration)
    height = eased(keys, times)
    for begin, end in flights:
        own = (times > begin) & (times < end)
        height[own] = off + fast * (times[own] - begin) - 0.5 * EARTH * (times[own] - begin) ** 2
    plants, clear = [], []
    for sole in stand.soles:
        row = []
        for k in range(count + 1):
            place, turn = ground_frame(world, sole[:2] + [each * k, 0.0], 0.0, 3 * build.leg)
            row.append(
                Plant(
                    -1.0 if k == 0 else flights[k - 1][1] - 1.5 * dt,
                    duration + 1 if k == count else flights[k][0] + 1.5 * dt,
                    place, turn, load=0.5 * push, unload=0.6 * push,
                    land=0.0 if k == 0 or lone else FOREFOOT, leave=0.0 if k == count or lone else TIPTOE,
                    flick=0.0, early=0.5 if k == 0 else 1.05, late=0.5 if k == count else 1.05,
                )
            )  # fmt: skip
        plants.append(row)
        clear.append([1.2 * rise] * count)
    made = Score("hop", times, dt, plants, height, np.zeros(len(times)), world, clear)
    made.flights = flights
    moving = smooth((times - t0) / down) * (1 - smooth((times - t) / (2 * unit)))
    made.pitch = 0.22 * build.stoop * moving
    made.arms = {
        s: ArmAngles(0.15 * moving, HANG_OUT + 0.1 * moving, HANG_BEND + 0.7 * moving) for s in (1.0, -1.0)
    }
    return made
