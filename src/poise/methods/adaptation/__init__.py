"""Adaptation: the smallest change of a whole clip that meets constraints."""

from poise.methods.adaptation.adapt import Result, adapt, around, drag
from poise.methods.adaptation.layer import Layer
from poise.methods.adaptation.manner import Manner, manner
from poise.methods.adaptation.plants import Touch, detect, move_plant
from poise.methods.adaptation.prior import PosePrior
from poise.methods.adaptation.retarget import retarget

__all__ = [
    "Layer",
    "Manner",
    "PosePrior",
    "Result",
    "Touch",
    "adapt",
    "around",
    "detect",
    "drag",
    "manner",
    "move_plant",
    "retarget",
]
