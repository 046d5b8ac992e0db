"""A loop baked into a plain clip: cycle after cycle, each moved on by the travel."""

from __future__ import annotations

import math

import numpy as np

from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.frame_times import affordable


def unroll(clip: Clip, cycles: int = 1, *, closing: bool = True) -> Clip:
    """``cycles`` rounds of a loop as a plain clip.

    Args:
        clip: A loop.
        cycles: How many, a whole number [≥ 1].
        closing: Whether the first frame comes round once more at the end, so that the clip lasts exactly
            ``cycles`` periods and ``loop`` makes the same loop of it again.

    Returns:
        Clip: A plain clip.

    Raises:
        InputError: The clip is no loop, or ``cycles`` is no whole number.

    Examples:
        >>> longer = poise.motion.operators.unroll(poise.clips.get("walk"), 3)
    """
    if not clip.loop:
        raise InputError(f"only loops can be unrolled; {clip.name!r} is a plain clip (see loop)")
    if not math.isfinite(cycles) or cycles != int(cycles) or cycles < 1:
        raise InputError(
            f"a loop is unrolled a whole number of times, at least once, not {cycles!r}; see trim"
        )
    count = affordable(int(cycles) * clip.frames + bool(closing), f"unroll {int(cycles):,} cycles")
    index = np.arange(count)
    q = clip.travel.apply(clip.character, clip.q[index % clip.frames], index // clip.frames)
    out = np.array(q)
    out[: clip.frames] = clip.q
    morphs = clip.morphs[index % clip.frames] if clip.morphs is not None else None
    return clip.with_frames(out, morphs, loop=False, travel=None)
