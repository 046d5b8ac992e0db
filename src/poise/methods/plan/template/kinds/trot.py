"""Trot: four legs, the diagonal ones together."""

from __future__ import annotations

from poise.methods.plan.template.gait import Manner, stepped
from poise.methods.plan.template.kinds.walk import step_at, strides
from poise.methods.plan.template.score import Score
from poise.methods.plan.template.standing import Standing
from poise.methods.plan.template.wish import Wish

LEGS = (4,)
"""How many legs it takes."""
STRIDE, CYCLE = 0.5, 3.6
"""Length of a stride over leg lengths, and its time in clocks."""
SWING = 0.4
"""Share of a stride that a foot is in the air."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score."""
    build = stand.build
    cycle = CYCLE * build.clock / wish.tempo
    stride = STRIDE * build.leg
    if wish.speed:
        stride = step_at(wish.speed, cycle, 0.15 * build.leg, 0.8 * build.leg)
    steps, duration = strides(stand, wish, stride, cycle, {0: 0.0, 3: 0.0, 1: 0.5, 2: 0.5}, SWING)
    manner = Manner(0.1 * cycle, 0.07 * build.leg, roll=0.0, first=0.3 * cycle, early=0.5, late=0.5)
    return stepped("trot", stand, wish, steps, duration, manner)
