"""Times of flights: one that falls too fast is stretched by itself, between two seams of the old time x, in
frames:

    τ(x) = x + (r − 1) (L(x − s₀) − L(x − s₁)),        L a ramp, sharp or eased.

r is rounded so that the clip grows by whole frames: every frame after the flight is then a frame of the old
clip, bit for bit. A flight that alone was sped up jumps in velocity where it begins: there the seams are
sharp, and mend the jump; elsewhere they are eased.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.kinematics import Kinematics
from poise.motion import Clip

LOOK = 0.07
"""How far from where contact ends a seam is looked for [s]."""
AHEAD = 4
"""Steps from which velocities are carried on."""
EVIDENT = 0.5
"""A jump of this share of the ratio, in logarithms, is one."""
RAMP = 0.1
"""How long the change of speed takes where nothing jumped [s]."""


class Retimed(NamedTuple):
    """A clip whose flights last otherwise."""

    clip: Clip
    frames: Array
    """The old frame that each frame shows."""
    words: str
    sharp: bool
    """Whether all flights were seen to jump in speed as they began."""


def retimed(clip: Clip, flights: Sequence[tuple[int, int, float]]) -> Retimed:
    """Each flight (its first and last frame, and how many times too fast it is) at its own right speed."""
    jumps = _jumps(clip)
    seams: list[Seam] = []
    said, sharp = [], True
    for first, last, ratio in flights:
        start = _seam(clip, jumps, first - 0.5, ratio)
        end = _seam(clip, jumps, last + 0.5, 1 / ratio)
        sharp &= start.width == 0
        # A whole number of frames more or less, so that all later ones stay frames.
        jump = round((ratio - 1) * (end.at - start.at)) / (end.at - start.at)
        seams += [replace(start, jump=jump), replace(end, jump=-jump)]
        said.append(f"{1 + jump:.2f}× slower" if jump > 0 else f"{1 / (1 + jump):.2f}× faster")
    out, frames = stretched(clip, seams)
    words = f"the flight{'s' * (len(said) > 1)} played {', '.join(said)}, the rest as it was"
    return Retimed(out, frames, words, sharp)


def _seam(clip: Clip, jumps: Array, near: float, ratio: float) -> Seam:
    """Where, near a frame, speed jumps by about ``ratio``; where it does not, an eased seam at that frame."""
    look = round(LOOK * clip.fps)
    steps = np.arange(max(int(near) - look, 0), min(int(near) + look + 1, len(jumps)))
    if ratio == 1 or not np.isfinite(jumps[steps]).any():
        return Seam(near, RAMP * clip.fps, 0.0)
    off = np.abs(np.log(jumps[steps] / ratio))
    best = int(steps[np.nanargmin(off)])
    if math.log(jumps[best]) / math.log(ratio) > EVIDENT:
        return Seam(best + 0.5, 0.0, 0.0)
    return Seam(near, RAMP * clip.fps, 0.0)


def _jumps(clip: Clip) -> Array:
    """By what factor speed changes within each step from frame to frame (F − 1,); not a number near the ends.

    The velocity of the centre of mass is carried on to the step, by straight lines, from either side.
    """
    steps = np.diff(Kinematics(clip.character, clip.q).com, axis=0)
    found = np.full(len(steps), np.nan)
    lines = np.stack([np.ones(AHEAD), np.arange(1.0, AHEAD + 1)], axis=1)
    carry = np.linalg.pinv(lines)[0]  # from values at 1, 2 … to the value at 0
    for k in range(AHEAD, len(steps) - AHEAD):
        before, after = carry @ steps[k - AHEAD : k][::-1], carry @ steps[k + 1 : k + 1 + AHEAD]
        found[k] = max(before @ after, 1e-9) / max(before @ before, 1e-9)
    return found


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


def eased_length(x: ArrayLike) -> Array:
    """The integral of e from −∞ to x: after the rise it grows by 1 per 1, and lags by a half."""
    s = np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0)
    return np.asarray(s**4 * (s * (s - 3) + 2.5) + np.maximum(np.asarray(x) - 1.0, 0.0))
