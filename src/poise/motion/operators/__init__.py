"""Operators on whole clips: pure functions from clips to a clip."""

from poise.motion.operators.align import align, matching_times
from poise.motion.operators.blend import blend, mix
from poise.motion.operators.despike import despike
from poise.motion.operators.join import join
from poise.motion.operators.loop import loop
from poise.motion.operators.mirror import mirror
from poise.motion.operators.place import place
from poise.motion.operators.resample import resample
from poise.motion.operators.reverse import reverse
from poise.motion.operators.smooth import smooth
from poise.motion.operators.symmetry import mirror_pairs
from poise.motion.operators.trim import trim
from poise.motion.operators.unroll import unroll
from poise.motion.operators.warp import speed, warp

__all__ = [
    "align",
    "blend",
    "despike",
    "join",
    "loop",
    "matching_times",
    "mirror",
    "mirror_pairs",
    "mix",
    "place",
    "resample",
    "reverse",
    "smooth",
    "speed",
    "trim",
    "unroll",
    "warp",
]
