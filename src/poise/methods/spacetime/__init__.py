"""Spacetime synthesis: a few partial key-frames in, planned motion out (modes, warping, wiggly splines)."""

from poise.methods.spacetime.check import Plausibility
from poise.methods.spacetime.hold import Hold
from poise.methods.spacetime.key import Key
from poise.methods.spacetime.reference_pose import ease_pose, ready_pose, turned_pose
from poise.methods.spacetime.result import Result
from poise.methods.spacetime.scene import Scene
from poise.methods.spacetime.segment import Flight, Segment, Stance
from poise.methods.spacetime.springs import PRESETS
from poise.methods.spacetime.synthesise import synthesise

__all__ = [
    "PRESETS",
    "Flight",
    "Hold",
    "Key",
    "Plausibility",
    "Result",
    "Scene",
    "Segment",
    "Stance",
    "ease_pose",
    "ready_pose",
    "synthesise",
    "turned_pose",
]
