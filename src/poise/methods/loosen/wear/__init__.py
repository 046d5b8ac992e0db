"""Soft things on bones: attach them, let them sway, and hit marks with them."""

from poise.methods.loosen.wear.attachment import Attachment, attach
from poise.methods.loosen.wear.fit import wear_hat
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.hit import AttachedResult, hit_attached
from poise.methods.loosen.wear.sway import Sway, sway, sway_of, sway_state
from poise.methods.loosen.wear.trust import QUICK_LIMIT, QUICK_REACH

__all__ = [
    "ON_HEAD",
    "QUICK_LIMIT",
    "QUICK_REACH",
    "AttachedResult",
    "Attachment",
    "Sway",
    "attach",
    "hat",
    "hit_attached",
    "sway",
    "sway_of",
    "sway_state",
    "wear_hat",
]
