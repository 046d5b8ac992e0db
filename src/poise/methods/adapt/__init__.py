"""Adaptation: the smallest change of a whole clip that meets constraints."""

from poise.methods.adapt.adapt import Result, adapt, around, drag
from poise.methods.adapt.plants.detect import Touch, detect, move_plant
from poise.methods.adapt.plants.quality import Manner, manner
from poise.methods.adapt.problem.displacement import Layer
from poise.methods.adapt.problem.prior import PosePrior
from poise.methods.adapt.requests import close_loop, look_at, reach, surprised
from poise.methods.adapt.reroute import follow_route
from poise.methods.adapt.retarget.retarget import retarget

__all__ = [
    "Layer",
    "Manner",
    "PosePrior",
    "Result",
    "Touch",
    "adapt",
    "around",
    "close_loop",
    "detect",
    "drag",
    "follow_route",
    "look_at",
    "manner",
    "move_plant",
    "reach",
    "retarget",
    "surprised",
]
