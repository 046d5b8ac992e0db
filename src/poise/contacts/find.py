"""Find what carries a motion: its world, contacts, flights, unseen supports, and the pace at which it is
explained."""

from __future__ import annotations

from poise.contacts.needed import needed
from poise.contacts.pace import sought
from poise.contacts.support import Support
from poise.contacts.supported import supported
from poise.motion import Clip
from poise.world import World


def find(clip: Clip, world: World | None = None, *, pace: float | None = None) -> Support:
    """What carries a clip's motion.

    ``world``: what is there; nothing is added to it then. ``pace``: how many times too fast the clip
    plays; sought if None.
    """
    return sought(clip, world) if pace is None else supported(needed(clip, pace), world, pace)
