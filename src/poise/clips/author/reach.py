"""A reach for something on a high shelf with the right hand.

Eyes first, then weight, then the arm with the elbow leading; the heels come up for the last
centimetres, and the way back unwinds from the feet.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.clips.author.acting import FPS, Posture, Score, Trunk, balanced, seconds
from poise.clips.author.channels import Keys
from poise.clips.author.puppet import Footing, Puppet
from poise.motion import Clip

DURATION = 3.0
"""[s]: there, a moment at the shelf, and back."""
SHELF = np.array([0.545, -0.21, 2.05])
"""Middle of the hand at the farthest [m]."""
STANCE = {"Left": (-0.07, 0.10, 9.0), "Right": (-0.05, -0.11, -10.0)}
"""Heels over the ground [m], and toes out [°]."""

# fmt: off
KEYS: dict[str, Keys] = {
    "left_heel": [(0, 0), (0.78, 0), (1.04, -16), (1.26, -34), (1.42, -37), (1.66, -36), (2.04, 0), (3, 0)],
    "right_heel": [(0, 0), (0.86, 0), (1.1, -12), (1.3, -24), (1.45, -27), (1.66, -26), (1.96, 0), (3, 0)],
    "along": [
        (0, 0.005), (0.3, -0.012), (0.62, 0.06), (0.9, 0.125), (1.3, 0.134), (1.7, 0.134), (1.98, 0.115),
        (2.45, 0.0), (2.8, 0.005),
    ],
    "across": [(0, 0.0), (0.3, 0.016), (1.08, -0.04), (1.62, -0.04), (2.15, 0.01), (2.6, 0.0)],
    "knee": [(0, 7), (0.28, 16), (0.66, 13), (1.18, 6), (1.62, 6), (2.08, 20), (2.5, 9), (2.85, 7)],
    "yaw": [(0, 0), (0.3, -3), (1.05, 13), (1.62, 13), (2.2, -1), (2.6, 0)],
    "forward": [(0, 1), (0.3, 3), (1.15, 11), (1.62, 11), (2.15, 5), (2.7, 1)],
    "aside": [(0, 0), (0.3, 1), (1.15, -2), (1.65, -2), (2.3, 0)],
    "flex": [(0, 3), (0.34, 9), (1.22, -3), (1.62, -3), (2.15, 9), (2.75, 3)],
    "side": [(0, 0), (0.34, -2), (1.24, 13), (1.64, 13), (2.3, -1), (2.7, 0)],
    "twist": [(0, 0), (0.36, -3), (1.2, 14), (1.64, 14), (2.25, -2), (2.7, 0)],
    "look_aside": [(0, 0), (0.1, 0), (0.34, -14), (1.1, -16), (1.66, -16), (2.0, -10), (2.5, 0)],
    "look_down": [(0, 4), (0.1, 4), (0.38, -22), (1.2, -26), (1.62, -25), (1.95, 4), (2.25, 8), (2.8, 4)],
    "look_tilt": [(0, 0), (0.5, -3), (1.2, 4), (1.65, 4), (2.3, 0)],
    # The hand: from the side of the thigh up in front of the body, a stretch, and down again.
    "hand": [
        (0, (0.05, -0.27, -0.405)), (0.34, (0.0, -0.28, -0.4)), (0.66, (0.28, -0.25, -0.12)),
        (0.9, (0.33, -0.24, 0.28)), (1.16, (0.3, -0.2, 0.6)), (1.62, (0.3, -0.2, 0.6)),
        (1.92, (0.34, -0.23, 0.26)), (2.16, (0.29, -0.27, -0.1)), (2.48, (0.07, -0.278, -0.395)),
        (2.72, (0.03, -0.272, -0.405)), (3.0, (0.05, -0.27, -0.405)),
    ],
    "aim": [(0.92, 0), (1.28, 1), (1.56, 1), (1.92, 0)],
    "stretch": [(0, -0.03), (1.22, -0.03), (1.44, 0.0), (1.58, 0.0), (1.9, -0.03)],
    "pole": [
        (0, (-1, -0.25, 0.0)), (0.38, (-1, -0.3, -0.1)), (0.6, (-0.8, -0.2, -1)),
        (0.92, (-0.1, -0.45, -1)), (1.24, (0.15, -0.85, -0.55)), (1.62, (0.15, -0.85, -0.55)),
        (1.94, (-0.1, -0.5, -1)), (2.18, (-0.7, -0.28, -1)), (2.48, (-1, -0.28, -0.1)),
        (3.0, (-1, -0.25, 0.0)),
    ],
    "palm": [(0, 12), (0.5, 14), (1.12, -15), (1.42, 10), (1.62, 10), (2.4, 14), (2.8, 12)],
    "left_flex": [(0, 2), (0.32, 7), (1.22, -16), (1.66, -15), (2.2, 10), (2.55, 0), (2.9, 2)],
    "left_abduct": [(0, 9), (0.34, 8), (1.26, 24), (1.68, 23), (2.2, 11), (2.8, 9)],
    "left_turn": [(0, -8)],
    "left_elbow": [(0, 18), (0.36, 22), (1.22, 34), (1.7, 33), (2.3, 20), (2.7, 18)],
    "left_palm": [(0, 12)],
}
# fmt: on


def reach(puppet: Puppet) -> Clip:
    """Look up, reach, hold, return."""
    times = seconds(DURATION)
    score = Score(KEYS, times, rounding=0.03)
    loins, chest = score.spine()
    posture = Posture(score.lean(), loins, chest, score.gaze(), _feet(puppet, score), _Arms(puppet, score))
    com = np.column_stack([score.track("along"), score.track("across")])
    return Clip(puppet.character, balanced(puppet, posture, com, score.angle("knee")), FPS, name="reach")


def _feet(puppet: Puppet, score: Score) -> dict[str, Footing]:
    """Feet that rise on their toes."""
    count = len(score.times)
    feet = {}
    for side, (x, y, yaw) in STANCE.items():
        pitch = score.angle(f"{side.lower()}_heel")
        heel = np.tile([x, y, 0.0], (count, 1))
        feet[side] = puppet.rolling_foot(heel, np.full(count, np.radians(yaw)), pitch)
    return feet


class _Arms:
    """The left arm by angles; the right hand on its way before the chest, then to the shelf."""

    def __init__(self, puppet: Puppet, score: Score) -> None:
        self.puppet = puppet
        self.left = score.arm(puppet, "Left")
        self.hand, self.pole, self.palm = score.track("hand"), score.track("pole"), score.angle("palm")
        self.aim = score.track("aim")[:, None]
        self.shelf = SHELF + score.track("stretch")[:, None] * np.array([0.5, 0.0, 1.0])

    def __call__(self, trunk: Trunk) -> dict[str, Array]:
        free = trunk.from_chest(self.hand)
        place = free + self.aim * (self.shelf - free)
        pole = np.einsum("tij,tj->ti", trunk.chest_turn, self.pole)
        return self.left | self.puppet.arm_reach(
            "Right", trunk.chest, trunk.chest_turn, place, pole, self.palm
        )
