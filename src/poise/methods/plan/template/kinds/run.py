"""Run: steps with a flight between them, from a stand and back to it."""

from __future__ import annotations

import numpy as np

from poise.gravity import EARTH
from poise.methods.plan.template.eased import Key, eased
from poise.methods.plan.template.feet import foot_path
from poise.methods.plan.template.gait import Manner, Step, stepped
from poise.methods.plan.template.kinds.walk import along, step_at, way_of
from poise.methods.plan.template.score import ArmAngles, Score
from poise.methods.plan.template.standing import HANG_OUT, Standing
from poise.methods.plan.template.wish import Wish

LEGS = (2,)
"""How many legs it takes."""
STEP = 0.62
"""Length of a step at full speed, over leg lengths."""
STAND, AIR = 1.0, 0.28
"""Times on a foot and in the air, in clocks."""
PUSH, HEELS = 1.3, 0.75
"""How far heels rise before lift-off, over a long walking step's, and within how much of a stand: ankles do
not bend far enough for a foot that stays flat under a body that has gone by."""
DEEP = 0.06
"""How far the body sinks between, over leg lengths."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score: shorter steps first and last, no flight before the last one."""
    build = stand.build
    unit = build.clock
    on, air = STAND * unit / wish.tempo, AIR * unit
    dt = 1.0 / wish.fps
    size = STEP * build.leg
    if wish.speed:
        size = step_at(wish.speed, on + air, 0.3 * build.leg, 1.1 * build.leg)
    usual = (wish.steps or 6) * size * 0.8
    way, length = way_of(stand, wish, usual)
    fit = length / (0.8 * size)
    count = wish.steps or max(3, min(wish.counted(fit), round(fit)))
    count = max(count, 3)
    share = np.minimum(np.minimum(0.55 + 0.3 * np.arange(count), 1.0), 0.55 + 0.25 * np.arange(count)[::-1])
    at, yaw = along(way, np.cumsum(share) / share.sum() * length)
    first = 0 if wish.side == "left" else 1
    half = 0.6 * np.abs(stand.soles[:, 1]).mean()
    lift = 1.6 * unit
    lands: list[float] = []
    leaves = round((lift + 1.25 * on) / dt) * dt
    flights: list[tuple[float, float]] = []
    steps: list[Step] = []
    lifts = {first: lift, 1 - first: leaves}
    for k in range(count):
        leg = (first + k) % 2
        end = k == count - 1
        land = leaves + (0.0 if end else round(air / dt) * dt)
        if end:
            land = leaves - 0.35 * on
        else:
            flights.append((leaves, land))
        lands.append(land)
        side = build.legs[leg].side
        wide = np.abs(stand.soles[:, 1]).mean() if k >= count - 2 else half
        x, y = at[k]
        place = (float(x - side * wide * np.sin(yaw[k])), float(y + side * wide * np.cos(yaw[k])))
        steps.append(
            Step(leg, lifts[leg] + 1.5 * dt * (k > 0), land - 1.5 * dt * (not end), place, float(yaw[k]))
        )
        leaves = round((land + on) / dt) * dt
        lifts[leg] = leaves
    leg = (first + count) % 2
    side, wide = build.legs[leg].side, np.abs(stand.soles[:, 1]).mean()
    x, y = at[-1]
    turn = float(yaw[-1])
    place = (float(x - side * wide * np.sin(turn)), float(y + side * wide * np.cos(turn)))
    begin = lands[-1] + 0.5 * on
    steps.append(Step(leg, begin, begin + 1.3 * unit, place, turn))
    duration = begin + 1.3 * unit + 3.0 * unit
    manner = Manner(
        0.3 * on,
        0.12 * build.leg,
        roll=0.35,
        first=1.2 * unit,
        early=0.35,
        late=1.0,
        push=PUSH,
        heels=HEELS * on,
    )
    made = stepped("run", stand, wish, steps, duration, manner)
    made.flights = flights
    _heights(made, stand, flights, lift, begin)
    _limbs(made, stand, lift, begin)
    return made


def _heights(
    made: Score, stand: Standing, flights: list[tuple[float, float]], lift: float, begin: float
) -> None:
    """Down on every foot, up into every flight."""
    build, z = stand.build, stand.centre[2]
    deep, off = z - DEEP * build.leg, z - 0.45 * DEEP * build.leg
    keys: list[Key] = [(0.0, z), (0.3 * lift, z)]
    before = lift
    for start, end in flights:
        fast = 0.5 * EARTH * (end - start)
        keys += [
            (0.5 * (before + start), deep, 0.0, 2.5),
            (start, off, fast, -EARTH),
            (end, off, -fast, -EARTH),
        ]
        before = end
    t = made.times
    keys += [
        (before + 0.45 * (flights[0][1] - flights[0][0] + 0.3), deep, 0.0, 1.0),
        (begin + 2.5 * build.clock, z),
    ]
    made.height = eased(keys, t)
    for start, end in flights:
        own = (t > start) & (t < end)
        s = t[own] - start
        made.height[own] = off + 0.5 * EARTH * (end - start) * s - 0.5 * EARTH * s**2


def _limbs(made: Score, stand: Standing, lift: float, begin: float) -> None:
    """Bent elbows, a trunk that leans, arms against the legs."""
    build, t = stand.build, made.times
    feet = [foot_path(made, k, leg) for k, leg in enumerate(build.legs)]
    ahead = np.column_stack([np.cos(made.yaw), np.sin(made.yaw)])
    apart = np.einsum("fi,fi->f", feet[0].place[:, :2] - feet[1].place[:, :2], ahead) / build.leg
    runs = eased(
        [
            (0.0, 0.0),
            (0.3 * lift, 0.0),
            (lift + 0.3, 1.0),
            (begin - 0.2, 1.0),
            (begin + 1.2 * build.clock, 0.0),
        ],
        t,
    )
    made.pitch = 0.12 * runs
    made.twist = -0.1 * apart
    made.arms = {
        s: ArmAngles(-s * 0.6 * apart - 0.15 * runs, HANG_OUT + 0 * t, 0.3 + 1.1 * runs) for s in (1.0, -1.0)
    }
