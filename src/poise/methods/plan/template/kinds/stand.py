"""Stand: at ease, weight going slowly from side to side, breath by breath."""

from __future__ import annotations

import numpy as np

from poise.methods.plan.template.eased import smooth
from poise.methods.plan.template.gait import ground_frame
from poise.methods.plan.template.score import ArmAngles, Plant, Score
from poise.methods.plan.template.standing import Standing
from poise.methods.plan.template.wish import Wish
from poise.world import World

SWAY, BREATH = 0.012, 0.004
"""How far weight goes aside, and the chest's rise, over leg lengths."""
SWAYS = 12.0
"""A sway and back takes so many clocks."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score."""
    build = stand.build
    duration = wish.seconds or 4.0 * max(1.0, build.clock / 0.31) / wish.tempo
    world = wish.world or World.flat(0.0)
    times, dt = wish.times(duration)
    plants = []
    for sole in stand.soles:
        place, turn = ground_frame(world, sole[:2], 0.0, 3 * build.leg)
        plants.append([Plant(-1.0, duration + 1.0, place, turn, early=0.5, late=0.5)])
    fade = smooth(times / (0.25 * duration)) * smooth((duration - times) / (0.25 * duration))
    beat = 2 * np.pi * times * wish.tempo / (SWAYS * build.clock)
    ground = float(np.mean([p[0].place[2] for p in plants]))
    height = stand.centre[2] + ground - 0.01 * build.leg * fade + BREATH * build.leg * np.sin(2 * beat) * fade
    middle = np.mean([p[0].place for p in plants], axis=0)
    level = np.tile(stand.centre[:2] + middle[:2] - stand.soles[:, :2].mean(axis=0), (len(times), 1))
    wide = 0.0 if build.one_legged else SWAY * build.leg
    level[:, 1] += wide * np.sin(beat) * fade
    made = Score("stand", times, dt, plants, height, np.zeros(len(times)), world)
    made.pressure, made.ground = level, np.full(len(times), ground)
    made.pitch = 0.015 * np.sin(2 * beat) * fade
    made.arms = {
        side: ArmAngles(0.02 * np.sin(beat + side) * fade, 0.22 + 0 * times, 0.3 + 0.02 * fade)
        for side in (1.0, -1.0)
    }
    return made
