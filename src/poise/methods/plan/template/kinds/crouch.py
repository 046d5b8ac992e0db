"""Crouch: down into the knees, stay, and up again."""

from __future__ import annotations

from dataclasses import replace

from poise.methods.plan.template.eased import smooth
from poise.methods.plan.template.kinds import stand as standing_still
from poise.methods.plan.template.score import ArmAngles, Score
from poise.methods.plan.template.standing import HANG_BEND, HANG_OUT, Standing
from poise.methods.plan.template.wish import Wish

DEEP, LYING = 0.25, 0.16
"""How deep, over leg lengths: on two legs, and with a trunk that lies over four."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score."""
    build = stand.build
    tall = 0.5 * stand.centre[2] if build.one_legged else build.leg
    deep = wish.high if wish.high is not None else (LYING if build.four_legged else DEEP) * tall
    unit = build.clock / wish.tempo
    lasts = wish.seconds or 11.0 * unit
    made = standing_still.score(stand, replace(wish, seconds=lasts, tempo=1.0))
    t = made.times
    down = smooth((t - 0.08 * lasts) / (0.32 * lasts)) * (1 - smooth((t - 0.55 * lasts) / (0.35 * lasts)))
    made.name = "crouch"
    made.height = made.height - deep * down
    made.pitch = 0.55 * build.stoop * min(1.0, deep / (0.25 * tall)) * down
    made.gaze = 0.1 * down
    made.arms = {s: ArmAngles(0.9 * down, HANG_OUT + 0 * t, HANG_BEND + 0.2 * down) for s in (1.0, -1.0)}
    return made
