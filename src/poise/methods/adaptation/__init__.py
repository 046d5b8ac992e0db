"""Adaptation: the smallest change of a whole clip that meets constraints."""

from poise.methods.adaptation.adapt import Result, adapt, around, drag
from poise.methods.adaptation.layer import Layer
from poise.methods.adaptation.manner import Manner, manner
from poise.methods.adaptation.operations import close_loop, look_at, reach, surprised
from poise.methods.adaptation.plants import Touch, detect, move_plant
from poise.methods.adaptation.prior import PosePrior
from poise.methods.adaptation.retarget import retarget
from poise.methods.adaptation.route import follow_route

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
