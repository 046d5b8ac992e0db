"""A boxer's cross with the rear (right) hand, from guard and back to guard.

The ground goes first: the rear heel turns out, then hips, loins, chest and fist follow one another.
Towards contact the fist is on a straight line; before and after it lives before the chest.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.clips.author.acting import FPS, Posture, Score, Trunk, balanced, seconds
from poise.clips.author.channels import Keys
from poise.clips.author.puppet import Footing, Puppet, about_z
from poise.motion import Clip

DURATION = 1.9
"""[s]: guard, punch and guard again."""
CONTACT = 0.85
"""When the fist is at the target [s]."""
TARGET = np.array([0.937, 0.0, 1.395])
"""Middle of the fist at contact [m]."""
APPROACH = np.array([0.985, 0.13, -0.02])
"""Direction of the strike."""
LEAD = (0.13, 0.135, -18.0)
"""Front foot: heel over the ground [m], yaw [°]."""
BALL = np.array([-0.27, -0.125])
"""Rear foot: the ball it turns on [m]."""

# fmt: off
KEYS: dict[str, Keys] = {
    # Feet: the rear heel is light in guard, then drives out and up.
    "heel_up": [
        (0, -14), (0.3, -15), (0.52, -8), (0.66, -20), (0.82, -40), (0.94, -42), (1.3, -15), (1.9, -14),
    ],
    "heel_out": [
        (0, -50), (0.46, -51), (0.58, -46), (0.8, -8), (0.93, -4), (1.28, -48), (1.5, -51), (1.9, -50),
    ],
    # Weight.
    "along": [
        (0, 0.005), (0.18, 0.01), (0.47, -0.045), (0.8, 0.115), (0.93, 0.125), (1.34, -0.01), (1.6, 0.01),
        (1.9, 0.005),
    ],
    "across": [(0, 0.0), (0.47, -0.02), (0.82, 0.05), (0.95, 0.05), (1.38, -0.005), (1.9, 0.0)],
    "knee": [(0, 26), (0.16, 23), (0.48, 40), (0.8, 26), (0.95, 28), (1.3, 34), (1.55, 25), (1.9, 26)],
    # Trunk.
    "yaw": [
        (0, -38), (0.22, -38), (0.49, -47), (0.74, 4), (0.9, 14), (1.02, 8), (1.33, -43), (1.58, -37),
        (1.9, -38),
    ],
    "forward": [(0, 8), (0.45, 7), (0.84, 15), (0.98, 14), (1.4, 8), (1.9, 8)],
    "aside": [(0, 0), (0.47, -2), (0.84, 3), (0.98, 3), (1.4, 0)],
    "flex": [(0, 18), (0.5, 22), (0.84, 11), (0.98, 14), (1.36, 21), (1.65, 18), (1.9, 18)],
    "side": [(0, 0), (0.5, -4), (0.86, 2), (1.4, -2), (1.7, 0)],
    "twist": [(0, 2), (0.28, 2), (0.55, -8), (0.82, 34), (0.93, 35), (1.3, -2), (1.55, 3), (1.9, 2)],
    "look_aside": [(0, 0)],
    "look_down": [(0, 10), (0.48, 12), (0.84, 14), (1.4, 11), (1.9, 10)],
    "look_tilt": [(0, 3), (0.5, 2), (0.84, -7), (1.0, -7), (1.4, 3)],
    # Striking hand: its place before the chest, how far along the strike, which of the two counts.
    "right_guard": [
        (0, (0.205, -0.1, 0.345)), (0.17, (0.21, -0.095, 0.335)), (0.34, (0.202, -0.102, 0.345)),
        (0.53, (0.18, -0.145, 0.3)), (0.68, (0.245, -0.14, 0.285)), (0.95, (0.29, -0.09, 0.26)),
        (1.28, (0.2, -0.11, 0.32)), (1.52, (0.205, -0.1, 0.345)),
    ],
    "strike": [(0.6, -0.575), (0.73, -0.54), (0.85, 0.0), (0.885, 0.006), (0.93, -0.03), (1.24, -0.62)],
    "aim": [(0.56, 0), (0.73, 1), (0.95, 1), (1.26, 0)],
    "right_pole": [
        (0, (-0.1, -0.35, -1)), (0.55, (-0.4, -0.45, -1)), (0.73, (-0.2, -0.4, -1)),
        (0.86, (-0.1, -1, -0.75)), (0.95, (-0.1, -0.9, -0.8)), (1.25, (-0.1, -0.35, -1)),
    ],
    "right_palm": [(0, 5), (0.66, 5), (0.86, 27), (0.93, 27), (1.2, 5)],
    # The other hand guards the chin.
    "left_guard": [
        (0, (0.3, 0.06, 0.055)), (0.45, (0.315, 0.05, 0.06)), (0.84, (0.165, 0.115, 0.05)),
        (1.0, (0.165, 0.115, 0.05)), (1.4, (0.305, 0.06, 0.045)), (1.9, (0.3, 0.06, 0.055)),
    ],
    "left_pole": [
        (0, (0.25, 0.12, -1)), (0.84, (0.3, 0.42, -1)), (1.0, (0.3, 0.42, -1)), (1.4, (0.25, 0.12, -1)),
    ],
    "left_palm": [(0, 0), (0.8, -5), (1.4, 0)],
}
# fmt: on


def punch(puppet: Puppet) -> Clip:
    """Cross to the head, guard to guard."""
    times = seconds(DURATION)
    score = Score(KEYS, times, rounding=0.012)
    loins, chest = score.spine(late=0.03)
    posture = Posture(score.lean(), loins, chest, score.gaze(), _feet(puppet, score), _Arms(puppet, score))
    com = np.column_stack([score.track("along"), score.track("across")])
    return Clip(puppet.character, balanced(puppet, posture, com, score.angle("knee")), FPS, name="punch")


def _feet(puppet: Puppet, score: Score) -> dict[str, Footing]:
    """The front foot flat; the rear one turning on its ball with the heel up."""
    count = len(score.times)
    x, y, yaw = LEAD
    still = np.zeros(count)
    lead = puppet.rolling_foot(np.tile([x, y, 0.0], (count, 1)), still + np.radians(yaw), still)
    out, up = score.angle("heel_out"), score.angle("heel_up")
    back = (puppet.heel - puppet.toe_joint) * [1, 1, 0]
    heel = np.array([*BALL, 0.0]) + about_z(out) @ back
    return {"Left": lead, "Right": puppet.rolling_foot(heel, out, up)}


class _Arms:
    """Both hands: aimed from the chest, from the face, or along the strike."""

    def __init__(self, puppet: Puppet, score: Score) -> None:
        self.puppet = puppet
        direction = APPROACH / np.linalg.norm(APPROACH)
        # Crisp: the strike is the fastest thing in the clip.
        self.line = TARGET + score.track("strike", rounding=0.009)[:, None] * direction
        self.aim = score.track("aim")[:, None]
        self.guard = {side: score.track(f"{side.lower()}_guard") for side in ("Left", "Right")}
        self.pole = {side: score.track(f"{side.lower()}_pole") for side in ("Left", "Right")}
        self.palm = {side: score.angle(f"{side.lower()}_palm") for side in ("Left", "Right")}

    def __call__(self, trunk: Trunk) -> dict[str, Array]:
        guard = trunk.from_chest(self.guard["Right"])
        fist = guard + self.aim * (self.line - guard)
        hands = {"Right": fist, "Left": trunk.neck + self.guard["Left"]}
        limbs: dict[str, Array] = {}
        for side, place in hands.items():
            pole = np.einsum("tij,tj->ti", trunk.chest_turn, self.pole[side])
            limbs |= self.puppet.arm_reach(side, trunk.chest, trunk.chest_turn, place, pole, self.palm[side])
        return limbs
