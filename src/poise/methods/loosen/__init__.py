"""Kinodynamics: secondary dynamics without history (KD), and its inverse, which still hits the mark (IKD)."""

from poise.looseness import PRESETS, Options, Tension
from poise.methods.loosen import face as faces
from poise.methods.loosen.contact.events import ContactEvent, contacts
from poise.methods.loosen.contact.obstacle import Obstacle
from poise.methods.loosen.contact.windows import ContactResult, loosen_with_obstacles
from poise.methods.loosen.hit.correction import Shape
from poise.methods.loosen.hit.drag import drag, drag_along
from poise.methods.loosen.hit.hit import Result, hit
from poise.methods.loosen.loosen import loosen, state
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.wear import (
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
