"""Loops in formats that have none: written as one cycle and its closing frame, and told apart on reading.

The closing frame is the first frame moved on by the travel. A reader that is told "this is a loop" believes
it only if that still holds: another program may have edited the frames since.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError
from poise.motion import Clip, Travel

CLOSES = 1e-4
"""How far the closing frame may miss the first, beside the size of the numbers themselves."""


def with_closing_frame(clip: Clip) -> Array:
    """The configurations of a clip, of a loop with its first frame come round again: (F or F + 1, nq)."""
    if not clip.loop:
        return clip.q
    return np.concatenate([clip.q, clip.travel.apply(clip.character, clip.q[0], 1)[None]])


def loop_facts(clip: Clip) -> dict[str, Any]:
    """What is written beside the frames so that ``looped`` finds the loop again; empty for plain clips."""
    if not clip.loop:
        return {}
    travel = clip.travel
    return {"loop": True, "travel": np.asarray(travel.translation).tolist(), "yaw": travel.yaw}


def looped(clip: Clip, said: Mapping[str, Any]) -> Clip:
    """A loop again, if the file says it is one and its last frame still closes it."""
    if said.get("loop") is not True or clip.frames < 2:
        return clip
    try:
        travel = Travel(said.get("travel", (0, 0, 0)), float(said.get("yaw", 0.0)))
    except (PoiseError, TypeError, ValueError):
        return clip
    manifold = clip.character.manifold
    gap = manifold.minus(clip.q[-1], travel.apply(clip.character, clip.q[0], 1))
    if np.abs(gap).max(initial=0.0) > CLOSES * (1 + np.abs(clip.q).max(initial=0.0)):
        return clip
    weights = clip.morphs
    if weights is not None and np.abs(weights[-1] - weights[0]).max() > CLOSES:
        return clip
    return clip.with_frames(
        clip.q[:-1],
        weights[:-1] if weights is not None else None,
        loop=True,
        travel=travel,
        source=clip.source,  # with its closing frame it has the file's own frames still
    )
