"""Stretch: old time to new time, faster or slower between seams.

    τ(x) = x + Σ jᵢ L((x − sᵢ) / wᵢ)        x, τ in frames; at seam sᵢ a frame grows longer by jᵢ,

L a ramp that begins at the seam: sharp, or eased over wᵢ frames about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.motion import Clip
from poise.repair.blend import eased_length


@dataclass(frozen=True)
class Seam:
    """Where time begins to run otherwise."""

    at: float
    """Old frame."""
    width: float
    """Frames over which it does."""
    jump: float
    """By how much a frame grows longer."""

    def gained(self, x: Array) -> Array:
        """New frames won up to old frame x."""
        if not self.width:
            return np.asarray(self.jump * np.maximum(x - self.at, 0.0))
        return self.jump * self.width * eased_length((x - self.at) / self.width + 0.5)


def new_frames(seams: Sequence[Seam], x: Array) -> Array:
    """τ(x)."""
    return np.asarray(x + sum((s.gained(x) for s in seams), np.zeros_like(x)))


def old_frames(seams: Sequence[Seam], tau: Array) -> Array:
    """x(τ), increasing; what lies outside all seams is whole where τ is."""
    # Far from all seams τ runs parallel to x; between them the grid tells which x comes near.
    ends = [s.at + way * (1.0 + s.width) for s in seams for way in (-1.0, 1.0)]
    grid = np.unique(
        np.concatenate([np.arange(min(ends), max(ends), 1 / 16), [min(ends) - 1e7, max(ends) + 1e7]])
    )
    x = np.interp(tau, new_frames(seams, grid), grid)
    for _ in range(4):
        slope = (new_frames(seams, x + 1e-6) - new_frames(seams, x - 1e-6)) / 2e-6
        x = x - (new_frames(seams, x) - tau) / slope
    whole = np.rint(x)
    return np.where(np.abs(x - whole) < 1e-9 * np.maximum(1.0, np.abs(x)), whole, x)


def stretched(clip: Clip, seams: Sequence[Seam]) -> tuple[Clip, Array]:
    """The clip in its new time, and the old frame that each frame shows."""
    last = float(new_frames(seams, np.array([clip.frames - 1.0]))[0])
    frames = np.clip(old_frames(seams, np.arange(int(last + 1e-6) + 1.0)), 0.0, clip.frames - 1.0)
    times = frames / clip.fps
    return clip.with_frames(clip.at(times), clip.morphs_at(times)), frames
