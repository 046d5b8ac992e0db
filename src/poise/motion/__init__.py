"""Motions: sampled clips, evaluation between frames, operators on whole clips.

Examples:
    >>> walk = poise.clips.get("walk")
    >>> quicker = poise.motion.operators.speed(walk, 1.2)
"""

from poise.motion.clip import Clip
from poise.motion.mesh_clip import MeshClip
from poise.motion.sampler import Sampler
from poise.motion.source import AnimationFacts, OriginalFile, Source
from poise.motion.travel import Travel

from poise.motion import edit, operators  # isort: skip  # they build on the above

__all__ = [
    "AnimationFacts",
    "Clip",
    "MeshClip",
    "OriginalFile",
    "Sampler",
    "Source",
    "Travel",
    "edit",
    "operators",
]
