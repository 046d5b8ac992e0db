"""Calm: captures jitter, and jitter needs forces that nobody gave; where frames change they are low-passed.

Whether a clip jitters is told by its places: of a smooth curve fourth differences are far smaller than second
ones, of white noise they are √(70/6) = 3.4 times as large.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.kinematics import Kinematics
from poise.motion import Clip
from poise.motion.operators import smooth
from poise.operations.check import CUTOFF
from poise.operations.ground import Ground

JITTERS = 0.3
"""Median fourth over median second difference from which on a clip jitters: authored clips have 0.05 to 0.2,
captures 0.4 to 2.5."""
FEW = 12
"""Fewer frames tell nothing."""


def jitters(clip: Clip) -> bool:
    """Whether a clip's places have noise."""
    if clip.frames < FEW:
        return False
    places = Kinematics(clip.character, clip.q).positions
    fourth, second = (np.median(np.abs(np.diff(places, order, axis=0))) for order in (4, 2))
    return bool(fourth > JITTERS * second)


def calmed(clip: Clip, asked: Ground) -> Array:
    """Frames without jitter (F, nq); the clip's own where it has none."""
    cutoff = asked.filter
    if cutoff == "auto":
        cutoff = CUTOFF if jitters(clip) else "off"
    if cutoff == "off" or not cutoff < 0.45 * clip.fps:
        return clip.q
    return smooth(clip, cutoff=cutoff).q
