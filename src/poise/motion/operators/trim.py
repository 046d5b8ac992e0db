"""A part of a clip, by time or by frames; of a loop any stretch, over as many cycles as it takes.

The part is a plain clip at the same rate: frame k is the motion at start + k / rate, the last one
at or before the end. Where ``start`` is a frame's time, frames keep their bits (within the first
cycle of a loop; later cycles are moved on by its travel).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.frame_times import affordable


def trim(
    clip: Clip,
    start: float | None = None,
    end: float | None = None,
    *,
    frames: tuple[int, int] | None = None,
) -> Clip:
    """The motion from ``start`` to ``end``, or from frame to frame, both ends included.

    Args:
        clip: The motion.
        start: [s]. Default: the clip's own.
        end: [s]. Default: the clip's own; of a loop, its first frame come round again.
        frames: First and last frame instead of times: ``(10, 20)`` gives eleven frames.

    Returns:
        Clip: A plain clip that begins at 0 s.

    Raises:
        InputError: The part lies outside the clip, or holds no frame.

    Examples:
        >>> part = poise.motion.operators.trim(poise.clips.get("punch"), 0.5, 1.25)
    """
    first, last = (
        _from_frames(clip, frames, start, end) if frames is not None else _from_times(clip, start, end)
    )
    if last < first:
        raise InputError(
            f"cannot trim: the start, {_place(clip, first)}, is after the end, {_place(clip, last)}"
        )
    longest = Fraction(clip.frames - 1)
    if not clip.loop and (first < 0 or last > longest):
        culprit = first if first < 0 else last
        raise InputError(
            f"cannot trim at {_place(clip, culprit)}: the clip {clip.name!r} goes from frame 0 to "
            f"{clip.frames - 1} ({clip.duration:g} s); only loops go on"
        )
    count = affordable(
        math.floor(last - first) + 1, f"trim from {_place(clip, first)} to {_place(clip, last)}"
    )
    if not clip.loop and first.denominator == 1:
        at = int(first)
        morphs = clip.morphs[at : at + count] if clip.morphs is not None else None
        return clip.with_frames(clip.q[at : at + count], morphs)
    times = np.array([float((first + k) / clip.rate) for k in range(count)])
    q = clip.at(times)
    if clip.loop and first.denominator == 1:
        index = int(first) + np.arange(count)
        own = (index >= 0) & (index < clip.frames)
        q[own] = clip.q[index[own]]
    return clip.with_frames(q, clip.morphs_at(times), loop=False, travel=None)


def _from_times(clip: Clip, start: float | None, end: float | None) -> tuple[Fraction, Fraction]:
    whole = Fraction(clip.frames if clip.loop else clip.frames - 1)
    first = Fraction(0) if start is None else _frame_at(clip, start, "start")
    last = whole if end is None else _frame_at(clip, end, "end")
    if (nearest := round(last - first)) and abs(last - first - nearest) < Fraction(1, 10**9):
        last = first + nearest
    return first, last


def _frame_at(clip: Clip, time: float, what: str) -> Fraction:
    """A time in frames; one meant to be a frame's may miss it by rounding."""
    if not math.isfinite(time):
        raise InputError(f"the {what} of a trim must be a finite time, not {time!r}")
    exact = Fraction(time) * clip.rate
    nearest = round(exact)
    return Fraction(nearest) if abs(exact - nearest) < Fraction(1, 10**9) * max(1, abs(nearest)) else exact


def _from_frames(
    clip: Clip, frames: tuple[int, int], start: float | None, end: float | None
) -> tuple[Fraction, Fraction]:
    if start is not None or end is not None:
        raise InputError("trim by times or by frames, not both")
    try:
        first, last = frames
        exact = Fraction(int(first)), Fraction(int(last))
    except (TypeError, ValueError):
        raise InputError(f"frames must be two frame numbers (first, last), not {frames!r}") from None
    if exact[0] != first or exact[1] != last:
        raise InputError(f"frames must be whole numbers, not {frames!r}; trim by start and end instead")
    return exact


def _place(clip: Clip, frame: Fraction) -> str:
    # Python refuses to make a float of a fraction beyond them.
    shown = max(min(frame, Fraction(10**300)), Fraction(-(10**300)))
    return f"frame {float(shown):g} ({float(shown / clip.rate):g} s)"
