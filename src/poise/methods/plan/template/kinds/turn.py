"""Turn: on the spot, step by step."""

from __future__ import annotations

import numpy as np

from poise.methods.plan.template.gait import Manner, Step, stepped
from poise.methods.plan.template.kinds.walk import DOUBLE, PACE
from poise.methods.plan.template.score import Score
from poise.methods.plan.template.standing import Standing
from poise.methods.plan.template.wish import Wish

LEGS = (2, 4)
"""How many legs it takes."""
MOST = np.radians(40.0)
"""By how much feet turn in one step at most."""
LIFT = 0.05
"""How high feet are lifted, over leg lengths."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score: each foot in turn goes round the middle."""
    build = stand.build
    angle = np.radians(90.0) if wish.angle is None else wish.angle
    four = build.four_legged
    most = 0.5 * MOST if four else MOST
    rounds = wish.counted(abs(angle) / most)
    pace = PACE * build.clock / wish.tempo
    order = [0, 2, 1, 3] if four else [0, 1]
    if not four and (angle < 0 if wish.side is None else wish.side == "right"):
        order = [1, 0]  # the foot on the inside goes first
    double = (0.45 if four else DOUBLE) * pace
    begin = 0.9 * pace
    middle = stand.soles[:, :2].mean(axis=0)
    steps, at = [], begin
    for k in range(1, rounds + 1):
        turn = angle * k / rounds
        c, s = np.cos(turn), np.sin(turn)
        for leg in order:
            x, y = (stand.soles[leg, :2] - middle) @ np.array([[c, s], [-s, c]]) + middle
            steps.append(Step(leg, at, at + pace - double, (float(x), float(y)), float(turn)))
            at += pace
    roll = Manner(double, LIFT * build.leg, roll=0.0, first=0.8 * pace, early=0.5, late=0.5)
    return stepped("turn", stand, wish, steps, at + 1.2 * pace, roll)
