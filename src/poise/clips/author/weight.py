"""Weight: an authored clip as the ground can carry it, with the smallest change that does it (``ground``)."""

from __future__ import annotations

from poise.errors import PoiseError
from poise.methods.ground.grounding import grounded
from poise.motion import Clip
from poise.operations.ground import Ground
from poise.world import World

KEYS = 0.05
"""Seconds from key to key of the change, about; of a gait as many in either half, which keeps both alike."""


def weighted(clip: Clip) -> Clip:
    """A clip on level ground that contact forces carry."""
    spacing = clip.duration / (2 * round(clip.duration / (2 * KEYS))) if clip.loop else KEYS
    result = grounded(clip, Ground(key_spacing=spacing), World.flat(0.0))
    if not result.met:
        raise PoiseError(f"{clip.name} does not stand on the ground: {result}")
    return result.clip
