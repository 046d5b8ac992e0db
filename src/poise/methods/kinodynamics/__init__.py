"""Kinodynamics: secondary dynamics without history (KD), and its inverse, which still hits the mark (IKD)."""

from poise.looseness import PRESETS, Options, Tension
from poise.methods.kinodynamics import faces
from poise.methods.kinodynamics.attachments import (
    AttachedResult,
    Attachment,
    Sway,
    attach,
    hit_attached,
    sway,
    sway_of,
    sway_state,
    wear_hat,
)
from poise.methods.kinodynamics.collision import ContactResult, loosen_with_obstacles
from poise.methods.kinodynamics.contact_events import ContactEvent, contacts
from poise.methods.kinodynamics.correction import Shape
from poise.methods.kinodynamics.drag import drag, drag_along
from poise.methods.kinodynamics.hit import Result, hit
from poise.methods.kinodynamics.loosen import loosen, state
from poise.methods.kinodynamics.obstacle import Obstacle
from poise.methods.kinodynamics.simulator import Simulator

__all__ = [
    "PRESETS",
    "AttachedResult",
    "Attachment",
    "ContactEvent",
    "ContactResult",
    "Obstacle",
    "Options",
    "Result",
    "Shape",
    "Simulator",
    "Sway",
    "Tension",
    "attach",
    "contacts",
    "drag",
    "drag_along",
    "faces",
    "hit",
    "hit_attached",
    "loosen",
    "loosen_with_obstacles",
    "state",
    "sway",
    "sway_of",
    "sway_state",
    "wear_hat",
]
