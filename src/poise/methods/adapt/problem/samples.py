"""The times that rows look at within a window: frames, then times between frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.methods.adapt.rows.rows import Block
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Samples:
    """Which times some blocks look at within a window."""

    frames: IntArray
    """Frames (S1,), increasing."""
    extra: Array
    """Times between frames [s] (S2,)."""
    blocks: tuple[int, ...]
    """Blocks that have times in the window."""
    chosen: tuple[IntArray, ...]
    """Of each of them, which of its times these are."""
    index: tuple[IntArray, ...]
    """… and which samples."""

    @property
    def count(self) -> int:
        """S = S1 + S2."""
        return len(self.frames) + len(self.extra)

    def times(self, clip: Clip) -> Array:
        """[s] (S,)"""
        return np.concatenate([clip.times[self.frames], self.extra])


def samples_of(
    blocks: Sequence[Block], window: tuple[float, float] | None, *, period: float | None = None
) -> Samples:
    """The samples of blocks whose times lie in the window [s], for a loop in any of its cycles."""
    numbers, chosen, own = [], [], []
    for number, block in enumerate(blocks):
        pick = _inside(block.times, window, period)
        if len(pick):
            numbers.append(number)
            chosen.append(pick)
            own.append(block.frames[pick])
    every = np.concatenate(own) if own else np.zeros(0, dtype=np.int64)
    frames = np.unique(every[every >= 0])
    extras: list[Array] = []
    index, count = [], len(frames)
    for number, pick, of in zip(numbers, chosen, own):
        place = np.searchsorted(frames, of)
        off = np.flatnonzero(of < 0)
        if len(off):
            place[off] = count + np.arange(len(off))
            count += len(off)
            extras.append(blocks[number].times[pick[off]])
        index.append(place)
    extra = np.concatenate(extras) if extras else np.zeros(0)
    return Samples(frames, extra, tuple(numbers), tuple(chosen), tuple(index))


def _inside(times: Array, window: tuple[float, float] | None, period: float | None) -> IntArray:
    """Which of increasing times lie in a window."""
    if window is None:
        return np.arange(len(times))
    low, high = window[0] - 1e-9, window[1] + 1e-9
    if period is not None:
        return np.flatnonzero(np.mod(times - low, period) <= high - low)
    if times[0] > high or times[-1] < low:
        return np.zeros(0, dtype=np.int64)
    return np.arange(*np.searchsorted(times, [low, high]))
