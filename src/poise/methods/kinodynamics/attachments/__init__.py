"""Soft things on bones: attach them, let them sway, and hit marks with them."""

from poise.methods.kinodynamics.attachments.aim import AttachedResult, hit_attached
from poise.methods.kinodynamics.attachments.attachment import Attachment, attach
from poise.methods.kinodynamics.attachments.fitting import wear_hat
from poise.methods.kinodynamics.attachments.hat import ON_HEAD, hat
from poise.methods.kinodynamics.attachments.making import MAKING, QUICK_LIMIT, QUICK_REACH, Making
from poise.methods.kinodynamics.attachments.sway import Sway, sway, sway_of, sway_state

__all__ = [
    "MAKING",
    "ON_HEAD",
    "QUICK_LIMIT",
    "QUICK_REACH",
    "AttachedResult",
    "Attachment",
    "Making",
    "Sway",
    "attach",
    "hat",
    "hit_attached",
    "sway",
    "sway_of",
    "sway_state",
    "wear_hat",
]
