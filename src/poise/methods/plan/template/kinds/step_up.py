"""Step up: onto a step in front, one foot after the other."""

from __future__ import annotations

import numpy as np

from poise.errors import InputError
from poise.methods.plan.template.gait import Manner, Step, stepped
from poise.methods.plan.template.kinds.walk import DOUBLE, PACE
from poise.methods.plan.template.score import Score
from poise.methods.plan.template.standing import Standing
from poise.methods.plan.template.wish import Wish
from poise.world import World
from poise.world.shapes import Box
from poise.world.surface import Surface

LEGS = (2,)
"""How many legs it takes."""
HIGH, HIGHEST = 0.2, 0.4
"""Height of a step, and the highest that is asked for, over leg lengths."""
AWAY = 0.16
"""Edge of the step in front of the toes, over leg lengths."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score: half a step on, then up."""
    build = stand.build
    if wish.high is not None and wish.world is not None:
        raise InputError("field 'high': the world says how high its step is; leave out one of the two")
    high = wish.high if wish.high is not None else HIGH * build.leg
    if high > HIGHEST * build.leg:
        raise InputError(
            f"a step of {high:.2f} m is too high for legs of {build.leg:.2f} m: ask for "
            f"{HIGHEST * build.leg:.2f} m at most (high), or let it jump"
        )
    toes = max(float(leg.tip[0]) for leg in build.legs)
    heels = min(float(leg.heel[0]) for leg in build.legs)
    edge = toes + AWAY * build.leg
    world = wish.world
    if world is None:
        deep = 1.2 * build.leg
        box = Surface(
            "step",
            Box((0.5 * deep, 0.9 * build.leg, 0.5 * high), overhang=0.0),
            place=(edge + 0.5 * deep, 0.0, 0.5 * high),
        )
        world = World.flat(0.0).with_surfaces([box])
    pace = 1.25 * PACE * build.clock / wish.tempo
    double = 1.3 * DOUBLE * pace
    first = 0 if wish.side == "left" else 1
    place = edge - heels + 0.06 * build.leg
    begin = 0.9 * pace
    steps = []
    for k in range(2):
        leg = (first + k) % 2
        lift = begin + k * pace
        y = float(stand.soles[leg, 1])
        steps.append(Step(leg, lift, lift + pace - double, (place, y), 0.0))
    manner = Manner(double, 0.06 * build.leg, roll=0.5, first=0.9 * pace, early=0.5, late=0.6)
    made = stepped("step up", stand, _over(wish, world), steps, begin + 2 * pace + 1.6 * pace, manner)
    assert made.pitch is not None
    t = made.times
    made.pitch = made.pitch + 0.22 * np.exp(-(((t - begin - 0.9 * pace) / (0.6 * pace)) ** 2))
    return made


def _over(wish: Wish, world: World) -> Wish:
    from dataclasses import replace

    return replace(wish, world=world)
