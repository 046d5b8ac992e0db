"""From key times to frames: which exact rate and how many frames a list of key times stands for.

Files keep key times in single precision, so 1/24 s is only nearly that. A rate fits when every key
lies on the grid t₀ + k / rate to within rounding; then each frame takes the file's own key time and no
value is interpolated. Keys that fit no rate, or come too rarely to be frames, are sampled.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import InputError
from poise.motion.frame_times import MAX_FRAMES, exact_rate

USUAL_RATES = (24, 25, 30, 48, 50, 60, 90, 100, 120)
"""Frames per second that key times are tried against, slowest first."""
DEFAULT_RATE = Fraction(60)
SLOWEST_NATIVE = 12
"""Keys rarer than this [1/s] are key poses with motion in between, not frames."""
SLACK = 2e-3
"""How far from the grid a key may lie, in frames."""
ROUNDED = 2e-6
"""How far from a rate, beside it, a number may lie that stands for it."""
SINGLE = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class FrameGrid:
    """Frames at t₀ + k / rate; ``times`` (F,) are where to evaluate, snapped to keys."""

    rate: Fraction
    times: Array
    native: bool
    """Whether every key is a frame."""


def frame_grid(
    key_times: ArrayLike, *, rate: Fraction | float | str | None = None, most: int = MAX_FRAMES
) -> FrameGrid:
    """The frames of a set of key times [s] (any order, repeats allowed), or those at a wanted rate.

    At most ``most``: a few keys may stand for any time, but not in a small file.
    """
    keys = np.unique(np.asarray(key_times, dtype=np.float64).ravel())
    if not len(keys):
        keys = np.zeros(1)
    if rate is not None:
        return _grid(keys, exact_rate(rate), most)
    if len(keys) == 1:
        return FrameGrid(DEFAULT_RATE, keys, True)
    uniform = uniform_rate(keys)
    if uniform is not None:
        if uniform >= SLOWEST_NATIVE:
            return _grid(keys, uniform, most)
        # A whole number of frames between keys, so that every key is still met exactly.
        return _grid(keys, uniform * max(1, round(DEFAULT_RATE / uniform)), most)
    for usual in USUAL_RATES:
        if _fits(keys, Fraction(usual)):
            return _grid(keys, Fraction(usual), most)
    return _grid(keys, DEFAULT_RATE, most)


def likely_rate(told: float) -> Fraction:
    """The exact rate that a number stands for, which was rounded: to single precision, or 23.976, 59.94."""
    for rate in (Fraction(round(told)), Fraction(round(told * 1.001) * 1000, 1001)):
        if rate > 0 and abs(told - rate) <= ROUNDED * rate:
            return rate
    return Fraction(told).limit_denominator(1001)


def uniform_rate(keys: Array) -> Fraction | None:
    """The exact rate of evenly spaced keys, the plainest number that fits."""
    steps = len(keys) - 1
    estimate = steps / (keys[-1] - keys[0])
    candidates = [
        Fraction(round(estimate)),
        Fraction(round(estimate * 1.001) * 1000, 1001),
        Fraction(estimate).limit_denominator(100),
        Fraction(estimate).limit_denominator(1_000_000),
    ]
    for rate in candidates:
        if rate > 0 and _fits(keys, rate) and round((keys[-1] - keys[0]) * float(rate)) == steps:
            return rate
    return None


def _fits(keys: Array, rate: Fraction) -> bool:
    frame = (keys - keys[0]) * float(rate)
    slack = SLACK + 2 * SINGLE * float(rate) * float(np.abs(keys).max())
    return bool(slack < 0.25 and np.all(np.abs(frame - np.rint(frame)) < slack))


def _grid(keys: Array, rate: Fraction, most: int) -> FrameGrid:
    span = (keys[-1] - keys[0]) * float(rate)
    if not span <= min(most, MAX_FRAMES):
        raise InputError(
            f"keys over {keys[-1] - keys[0]:g} s at {float(rate):g} fps are too many frames: {span:,.0f}; "
            f"a file of this size may stand for {min(most, MAX_FRAMES):,}"
        )
    native = _fits(keys, rate)
    frames = int(np.rint(span) if native else np.ceil(span - SLACK)) + 1
    times = keys[0] + np.arange(frames) / float(rate)
    near = np.clip(np.searchsorted(keys, times), 1, max(len(keys) - 1, 1))
    lower, upper = keys[near - 1], keys[np.minimum(near, len(keys) - 1)]
    closest = np.where(times - lower < upper - times, lower, upper)
    slack = (SLACK + 2 * SINGLE * float(rate) * float(np.abs(keys).max())) / float(rate)
    return FrameGrid(rate, np.where(np.abs(times - closest) < slack, closest, times), native)
