"""A change: what one repair makes of a clip, with where its frames come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.motion import Clip


class Unmendable(Exception):
    """Why a repair has nothing to offer; said in the report, never raised to the caller of ``fix``."""


@dataclass(frozen=True, eq=False)
class Change:
    """A repaired clip, not yet judged."""

    clip: Clip
    sources: Array
    """The frame of the old clip that each new frame shows; between two where it is not whole (F',)."""
    words: str
    """What was done."""


def in_place(clip: Clip, q: Array, words: str) -> Change:
    """A change that leaves the timing alone; frames that are as they were keep their bits."""
    apart = np.abs(clip.character.manifold.minus(q, clip.q)).max(axis=1)
    kept = np.where((apart > 1e-12)[:, None], q, clip.q)
    return Change(clip.with_q(kept), np.arange(clip.frames, dtype=np.float64), words)
