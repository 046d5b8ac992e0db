"""Another frame rate for the same motion, through rotations, at exact rational times.

New frame k is the motion at k / rate'. A plain clip keeps every instant that a new frame can hit:
it ends at the last k / rate' within the old duration, and motion past the end is never invented.

A loop of F frames has the period F / rate. Where F · rate' / rate is whole, so that the period is
a whole number of new frames, it stays the same exactly. Otherwise no loop has both the rate and the
period, and ``keep`` says which one gives way:

* ``"rate"`` (default): the frame rate is what was asked for, since files, engines and other clips
  depend on it; the cycle is fitted to the nearest whole number of frames, played uniformly faster or
  slower by at most half a frame per cycle (noted in the clip's source). Travel stays, so feet do not slide.
* ``"period"``: the period is kept exactly; the rate is the nearest that divides it, an exact fraction.

``resample(unroll(loop, n), rate)`` keeps both, as a plain clip.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Unpack

import numpy as np

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError
from poise.motion.clip import Clip, ClipFields
from poise.motion.frame_times import affordable, exact_rate
from poise.motion.sampler import METHODS, Sampler

KEEPS = ("rate", "period")


def resample(
    clip: Clip,
    rate: Fraction | float | str,
    method: str = "cubic",
    *,
    keep: str = "rate",
    cover: bool = False,
) -> Clip:
    """``clip`` at another frame rate. At the same rate the clip itself comes back.

    Args:
        clip: The motion.
        rate: Frames per second [> 0]: 60, ``"24000/1001"``, ``Fraction(30000, 1001)``.
        method: Between frames: "cubic", "linear" or "step".
        keep: Of loops, whose period may be no whole number of new frames: "rate" (the period is fitted) or
            "period" (the rate is fitted).
        cover: Whether a plain clip whose end falls between new frames has one frame more, in which its last
            pose is held.

    Returns:
        Clip: The resampled motion.

    Raises:
        InputError: The rate is not positive.
        UnknownNameError: There is no such method.

    Examples:
        >>> film = poise.motion.operators.resample(poise.clips.get("punch"), "24000/1001")
    """
    if keep not in KEEPS:
        raise UnknownNameError("thing to keep", keep, KEEPS)
    if method not in METHODS:
        raise UnknownNameError("interpolation method", method, METHODS)
    wanted = exact_rate(rate)
    if wanted == clip.rate:
        return clip
    if clip.loop:
        return _resampled_loop(clip, wanted, method, keep)
    last = (clip.frames - 1) * wanted / clip.rate
    count = affordable(
        (math.ceil(last) if cover else math.floor(last)) + 1, f"resample to {float(wanted):g} fps"
    )
    times = np.array([float(k / wanted) for k in range(count)])
    return at_times(clip, times, method, rate=wanted)


def _resampled_loop(clip: Clip, wanted: Fraction, method: str, keep: str) -> Clip:
    exact = clip.frames * wanted / clip.rate
    count = affordable(max(1, math.floor(exact + Fraction(1, 2))), f"resample to {float(wanted):g} fps")
    # New frame k is at k / count of the cycle, whatever gives way.
    times = np.array([float(k * clip.frames / (count * clip.rate)) for k in range(count)])
    if count == exact:
        return at_times(clip, times, method, rate=wanted)
    if keep == "period":
        return at_times(clip, times, method, rate=clip.rate * count / clip.frames)
    fitted = at_times(clip, times, method, rate=wanted)
    change = float(count / exact - 1) * 100
    return fitted.with_note(
        f"loop of {float(clip.frames / clip.rate):.6g} s fitted to {count} frames at "
        f"{float(wanted):.6g} fps: {change:+.3g} % in duration"
    )


def at_times(clip: Clip, times: Array, method: str, **changes: Unpack[ClipFields]) -> Clip:
    """The clip whose frames are the motion at ``times`` (T,) [s], morph weights included."""
    sampler = Sampler(clip, method)
    return clip.with_frames(sampler.configuration(times), sampler.morphs(times), **changes)


def whole_frames(duration: float, rate: Fraction) -> int:
    """The nearest whole number of frames, at least one, to a loop's period [s]."""
    if not (math.isfinite(duration) and duration > 0):
        raise InputError(f"the period of a loop must be positive, not {duration} s")
    return max(1, math.floor(Fraction(duration) * rate + Fraction(1, 2)))
