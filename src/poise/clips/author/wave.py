"""A friendly wave of the right hand.

The arm swings up with the elbow first; then shoulder, elbow and hand wave one after the other, each
a little later than what carries it, and the whole body answers.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.clips.author.acting import FPS, Posture, Score, balanced, seconds
from poise.clips.author.channels import Keys, smoothstep
from poise.clips.author.puppet import Footing, Puppet
from poise.motion import Clip

DURATION = 3.2
"""[s]: arm up, waving, arm down."""
STANCE = {"Left": (-0.05, 0.105, 9.0), "Right": (-0.06, -0.115, -14.0)}
"""Heels over the ground [m], and toes out [°]."""
WAVES = 1.85
"""Per second."""
SWING = (0.80, 2.42)
"""When the waving starts and ends [s]."""

# fmt: off
KEYS: dict[str, Keys] = {
    "along": [(0, 0.0), (0.4, 0.003), (0.95, -0.006), (2.5, -0.004), (3.0, 0.0)],
    "across": [(0, 0.0), (0.22, -0.012), (0.85, 0.048), (1.7, 0.042), (2.35, 0.046), (2.95, 0.0)],
    "knee": [(0, 7), (0.22, 10), (0.75, 6), (2.45, 7), (2.72, 9), (3.1, 7)],
    "yaw": [(0, 0), (0.2, -2), (0.78, 5), (2.4, 4), (2.95, 0)],
    "forward": [(0, 1), (0.3, 2), (0.9, 0), (2.5, 0), (3.0, 1)],
    "aside": [(0, 0), (0.22, 1), (0.82, -4), (2.35, -3.5), (2.9, 0)],
    "flex": [(0, 3), (0.26, 6), (0.85, -1), (2.45, 0), (2.75, 5), (3.15, 3)],
    "side": [(0, 0), (0.26, -3), (0.9, 12), (2.42, 11), (3.0, 0)],
    "twist": [(0, 0), (0.26, -3), (0.92, 3), (2.4, 3), (3.0, 0)],
    # The head looks where it greets before the hand gets there.
    "look_aside": [(0, 0), (0.08, 0), (0.36, 10), (0.8, 8), (2.4, 7), (3.05, 0)],
    "look_down": [(0, 2), (0.12, 2), (0.3, 6), (0.62, -5), (1.1, -3), (2.4, -3), (2.75, 3), (3.15, 2)],
    "look_tilt": [(0, 0), (0.35, 2), (0.95, -7), (1.6, -5), (2.4, -6), (3.0, 0)],
    "right_flex": [(0, 2), (0.2, -3), (0.55, 42), (0.85, 22), (2.42, 22), (2.66, 36), (2.98, 6), (3.2, 2)],
    "right_abduct": [(0, 9), (0.22, 8), (0.56, 38), (0.86, 60), (2.4, 58), (2.74, 24), (3.02, 9), (3.2, 9)],
    "right_turn": [(0, -8), (0.26, -10), (0.92, 72), (2.38, 72), (2.82, -4), (3.1, -8)],
    "right_elbow": [
        (0, 18), (0.2, 14), (0.5, 98), (0.84, 84), (2.44, 90), (2.62, 86), (3.0, 20), (3.2, 18),
    ],
    "right_palm": [(0, 12), (0.38, 10), (0.95, -12), (2.42, -12), (2.85, 12)],
    "left_flex": [(0, 2), (0.3, 5), (0.9, -4), (1.7, -1), (2.5, -3), (2.85, 4), (3.2, 2)],
    "left_abduct": [(0, 9), (0.3, 8), (0.95, 13), (2.5, 12), (3.1, 9)],
    "left_turn": [(0, -8)],
    "left_elbow": [(0, 18), (0.3, 16), (1.0, 24), (2.5, 23), (2.9, 16), (3.2, 18)],
    "left_palm": [(0, 12)],
}
# fmt: on
ANSWERS = {"right_abduct": (-7.0, 0.0), "right_elbow": (27.0, 0.045), "right_palm": (16.0, 0.10)}
"""Of the waving arm: amplitude [°], and how much later than the shoulder [s]."""
BODY_ANSWERS = {
    "side": (-2.4, 0.03),
    "twist": (2.0, 0.05),
    "look_tilt": (2.0, 0.09),
    "left_abduct": (1.6, 0.16),
}


def wave(puppet: Puppet) -> Clip:
    """Raise the hand, wave three times, let it fall."""
    times = seconds(DURATION)
    score = _Waving(KEYS, times, rounding=0.028)
    loins, chest = score.spine()
    arms = score.arm(puppet, "Left") | score.arm(puppet, "Right")
    posture = Posture(score.lean(), loins, chest, score.gaze(), _feet(puppet, len(times)), lambda trunk: arms)
    com = np.column_stack([score.track("along"), score.track("across")])
    return Clip(puppet.character, balanced(puppet, posture, com, score.angle("knee")), FPS, name="wave")


class _Waving(Score):
    """The recipe with the oscillation laid over it."""

    def track(self, name: str, *, late: float = 0.0, rounding: float | None = None) -> Array:
        """A track, waving where it should."""
        still = super().track(name, late=late, rounding=rounding)
        amplitude, lag = (ANSWERS | BODY_ANSWERS).get(name, (0.0, 0.0))
        if amplitude == 0.0:
            return still
        since = self.times - SWING[0] - lag - late
        left = SWING[1] + lag + late - self.times
        strength = smoothstep(since / 0.30) * smoothstep(left / 0.30)
        return still + amplitude * strength * np.sin(2 * np.pi * WAVES * since)


def _feet(puppet: Puppet, count: int) -> dict[str, Footing]:
    flat = np.zeros(count)
    return {
        side: puppet.rolling_foot(np.tile([x, y, 0.0], (count, 1)), flat + np.radians(yaw), flat)
        for side, (x, y, yaw) in STANCE.items()
    }
