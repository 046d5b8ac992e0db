"""Spacetime synthesis: a few partial key-frames in, planned motion out (modes, warping, wiggly splines)."""

from poise.methods.plan.check import Plausibility
from poise.methods.plan.plan import synthesise
from poise.methods.plan.result import Result
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.key import Key
from poise.methods.plan.scene.reference_pose import ease_pose, ready_pose, turned_pose
from poise.methods.plan.scene.scene import Scene
from poise.methods.plan.scene.segment import Flight, Segment, Stance
from poise.methods.plan.scene.springs import PRESETS

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
