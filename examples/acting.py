"""Small authored motions for the examples: a figure that stands and moves its hands from key to key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poise.arrays import Array
from poise.character import presets
from poise.clips.author.acting import FPS, Posture, Score, Trunk, balanced, seconds
from poise.clips.author.puppet import Puppet
from poise.motion import Clip

Key = tuple[float, float | Sequence[float]]
REST: dict[str, list[Key]] = {
    "along": [(0, 0.0)],
    "across": [(0, 0.0)],
    "knee": [(0, 8)],
    "yaw": [(0, 0)],
    "forward": [(0, 2)],
    "aside": [(0, 0)],
    "flex": [(0, 4)],
    "side": [(0, 0)],
    "twist": [(0, 0)],
    "look_aside": [(0, 0)],
    "look_down": [(0, 8)],
    "look_tilt": [(0, 0)],
    **{
        f"{side}_{name}": [(0, value)]
        for side in ("left", "right")
        for name, value in (("flex", 2), ("abduct", 9), ("turn", -8), ("elbow", 18), ("palm", 12))
    },
}
"""Standing at ease: angles [°] and distances [m]."""
STANCE = {"Left": (-0.06, 0.105, 9.0), "Right": (-0.06, -0.105, -9.0)}
"""Heels over the ground [m], and toes out [°]."""
POLE = {"Left": (-0.3, 0.6, -1.0), "Right": (-0.3, -0.6, -1.0)}
"""Where elbows point."""


def standing(
    name: str,
    duration: float,
    keys: Mapping[str, Sequence[Key]],
    hands: Mapping[str, Sequence[Key]] | None = None,
    *,
    rounding: float = 0.03,
) -> Clip:
    """A clip from keys of body and arm angles, and of where ``"Left"`` and ``"Right"`` hands are [m]."""
    places = {f"{side}_place": list(track) for side, track in (hands or {}).items()}
    tracks = {k: list(v) for k, v in (REST | dict(keys) | places).items()}
    puppet = Puppet(presets.get("humanoid"))
    times = seconds(duration)
    score = Score(tracks, times, rounding=rounding)
    flat = np.zeros(len(times))
    feet = {
        side: puppet.rolling_foot(np.tile([x, y, 0.0], (len(times), 1)), flat + np.radians(yaw), flat)
        for side, (x, y, yaw) in STANCE.items()
    }

    def arms(trunk: Trunk) -> dict[str, Array]:
        limbs: dict[str, Array] = {}
        for side in ("Left", "Right"):
            if f"{side}_place" in tracks:
                pole = np.tile(POLE[side], (len(times), 1))
                palm = score.angle(f"{side.lower()}_palm")
                place = score.track(f"{side}_place")
                limbs |= puppet.arm_reach(side, trunk.chest, trunk.chest_turn, place, pole, palm)
            else:
                limbs |= score.arm(puppet, side)
        return limbs

    posture = Posture(score.lean(), *score.spine(), score.gaze(), feet, arms)
    com = np.column_stack([score.track("along"), score.track("across")])
    return Clip(puppet.character, balanced(puppet, posture, com, knee=score.angle("knee")), FPS, name=name)
