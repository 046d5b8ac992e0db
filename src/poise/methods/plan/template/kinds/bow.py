"""Bow: from the hips, head and hands following, and up again."""

from __future__ import annotations

from dataclasses import replace

from poise.methods.plan.template.eased import smooth
from poise.methods.plan.template.kinds import stand as standing_still
from poise.methods.plan.template.score import ArmAngles, Score
from poise.methods.plan.template.standing import HANG_BEND, HANG_OUT, Standing
from poise.methods.plan.template.wish import Wish

BENDS = 0.75
"""How far the trunk bends [rad]; of a body on four legs, its front end goes down instead."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score."""
    build = stand.build
    unit = build.clock / wish.tempo
    lasts = wish.seconds or 12.0 * unit
    made = standing_still.score(stand, replace(wish, seconds=lasts, tempo=1.0))
    t = made.times
    down = smooth((t - 0.08 * lasts) / (0.32 * lasts)) * (1 - smooth((t - 0.55 * lasts) / (0.36 * lasts)))
    made.name = "bow"
    low = BENDS if build.two_legged else 0.16 if build.four_legged else 0.5
    made.pitch = low * down
    made.pelvis = (0.8 if build.two_legged else 1.0) * made.pitch
    made.gaze = 0.9 * made.pitch
    sink = (
        0.10 * build.leg
        if build.two_legged
        else 0.05 * build.leg
        if build.four_legged
        else 0.02 * stand.centre[2]
    )
    made.height = made.height - sink * down
    made.arms = {s: ArmAngles(0.25 * down, HANG_OUT + 0 * t, HANG_BEND + 0 * t) for s in (1.0, -1.0)}
    return made
