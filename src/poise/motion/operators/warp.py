"""Time warps: the same motion with other timing. q'(t) = q(u(t)) with u monotone.

``u`` (from new time to old) is a monotone cubic (PCHIP) through key times, so that the new motion is
C¹ and time never runs backwards, or any function the caller has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from poise.arrays import Array, checked
from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.frame_times import affordable
from poise.motion.operators.resample import at_times, resample, whole_frames

SLOWEST, FASTEST = 1e-4, 1e4
"""How much slower or faster a motion can be made."""
TimeMap = Callable[[Array], Array]
Keys = Sequence[tuple[float, float]]


def warp(clip: Clip, map: Keys | TimeMap, *, duration: float | None = None, method: str = "cubic") -> Clip:
    """The motion with its timing changed by ``map``; the frame rate stays.

    ``map`` is a list of (source, target) times [s]: what happened at ``source`` shall happen at
    ``target``. The clip's ends are keys too, unless given: the start at 0 s, the end as long after the last
    key as it was. Equal sources make a hold, with an eased start and stop. Or ``map`` is a
    function from new times (T,) to old ones (T,), with the new ``duration`` [s] (default: the clip's).

    A loop repeats its warp in every cycle: the new period is that of the keys (source + period ↦ target +
    period, unless a key at one period from another says otherwise), fitted to whole frames.

    Args:
        clip: The motion.
        map: Pairs (source, target) [s], or a function from new times to old ones [s].
        duration: Of the new motion, for functions [s, > 0]. Default: the clip's.
        method: Between frames: "cubic", "linear" or "step".

    Returns:
        Clip: The retimed motion.

    Raises:
        InputError: Times decrease or lie outside the clip.

    Examples:
        >>> late = poise.motion.operators.warp(poise.clips.get("punch"), [(0.85, 1.0)])
    """
    if callable(map):
        lasting = clip.duration if duration is None else float(duration)
        u: TimeMap = map
    else:
        if duration is not None:
            raise InputError(
                "the duration of a warp by keys follows from the keys: add one at the clip's end"
            )
        u, lasting = _through_keys(clip, map)
    if not (math.isfinite(lasting) and lasting >= 0):
        raise InputError(f"a warped clip must last 0 s or more, not {lasting!r}")
    if clip.loop:
        count = affordable(whole_frames(lasting, clip.rate), f"warp to {lasting:g} s")
        times = np.linspace(0.0, lasting, count + 1)
    else:
        count = affordable(math.floor(lasting * clip.rate + 1e-9) + 1, f"warp to {lasting:g} s")
        times = np.array([float(k / clip.rate) for k in range(count)])
    sources = _evaluated(u, times)
    if clip.loop:
        turns = sources[-1] - sources[0]
        if abs(turns - clip.duration) > 1e-9 * max(1.0, clip.duration):
            raise InputError(
                f"a warp of a loop must run through exactly one cycle, {clip.duration:g} s, not {turns:g} s"
            )
        sources = sources[:-1]
    return at_times(clip, sources, method)


def speed(clip: Clip, factor: Fraction | float | str, *, method: str = "cubic") -> Clip:
    """The motion ``factor`` times as fast, at the same frame rate.

    Where a loop's new period is no whole number of frames, it is fitted (see ``resample``).

    Args:
        clip: The motion.
        factor: How many times as fast [> 0]: 2, 0.5, ``"3/2"``.
        method: Between frames: "cubic", "linear" or "step".

    Returns:
        Clip: The faster or slower motion.

    Raises:
        InputError: The factor is not positive, or is beyond all reason.

    Examples:
        >>> slow = poise.motion.operators.speed(poise.clips.get("punch"), "1/2")
    """
    try:
        given = Fraction(factor)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        raise InputError(f"a speed must be a positive number, not {factor!r}") from None
    if given <= 0:
        raise InputError(f"a speed must be positive, not {factor!r} (see reverse)")
    exact = given.limit_denominator(1_000_000)
    if not SLOWEST <= given <= FASTEST:
        raise InputError(f"a speed must lie between {SLOWEST:g} and {FASTEST:g} times, not {factor!r}")
    return resample(clip.replaced(rate=clip.rate * exact), clip.rate, method)


def _evaluated(u: TimeMap, times: Array) -> Array:
    sources = checked(u(times), "the warp's source times", (len(times),))
    back = np.flatnonzero(np.diff(sources) < -1e-12 * max(1.0, float(np.abs(sources).max())))
    if back.size:
        k = int(back[0])
        raise InputError(
            f"a warp must not run backwards: from {times[k]:g} s to {times[k + 1]:g} s its source goes from "
            f"{sources[k]:g} s to {sources[k + 1]:g} s (see reverse)"
        )
    return sources


def _through_keys(clip: Clip, keys: Keys) -> tuple[TimeMap, float]:
    """The map through the keys, and how long the result lasts [s]."""
    given = list(keys)
    if not given:
        raise InputError("a warp needs at least one key (source, target)")
    pairs = checked(given, "the warp's keys (source, target)", (None, 2))
    source, target = pairs.T
    for k in range(1, len(pairs)):
        if target[k] <= target[k - 1] or source[k] < source[k - 1]:
            raise InputError(
                f"key times must increase: ({source[k]:g}, {target[k]:g}) follows "
                f"({source[k - 1]:g}, {target[k - 1]:g})"
            )
    return _round_and_round(clip, source, target) if clip.loop else _from_end_to_end(clip, source, target)


def _from_end_to_end(clip: Clip, source: Array, target: Array) -> tuple[TimeMap, float]:
    from scipy.interpolate import PchipInterpolator

    span = clip.duration
    slack = 1e-9 * max(1.0, span)
    if source[0] < -slack or source[-1] > span + slack:
        raise InputError(
            f"a warp's sources must lie in the clip, 0 … {span:g} s, not {source[0]:g} … {source[-1]:g} s"
        )
    if target[0] < 0 or (target[0] == 0 and source[0] > slack):
        raise InputError(
            f"the motion starts at 0 s: {source[0]:g} s cannot happen at {target[0]:g} s "
            "(trim the clip first)"
        )
    if target[0] > 0:
        source, target = np.insert(source, 0, 0.0), np.insert(target, 0, 0.0)
    if source[-1] < span - slack:
        source, target = np.append(source, span), np.append(target, target[-1] + span - source[-1])
    if len(source) == 1:
        return (lambda t: np.full_like(t, source[0])), 0.0
    return PchipInterpolator(target, source), float(target[-1])


def _round_and_round(clip: Clip, source: Array, target: Array) -> tuple[TimeMap, float]:
    from scipy.interpolate import PchipInterpolator

    span = clip.duration
    period, beyond = span, source[-1] - source[0] - span
    slack = 1e-9 * max(1.0, span)
    if beyond > slack:
        raise InputError(f"the keys of a loop's warp must lie within one period, {span:g} s")
    if abs(beyond) <= slack and len(source) > 1:
        period = float(target[-1] - target[0])
        source, target = source[:-1], target[:-1]
    if target[-1] - target[0] >= period:
        raise InputError(
            f"the keys' targets span {target[-1] - target[0]:g} s, not less than the period of {period:g} s; "
            "a key one period after the first sets the new period"
        )
    start = -math.floor(target[0] / period)
    # PCHIP looks at two neighbours on each side: more rounds than are evaluated make it periodic.
    rounds = np.arange(start - 3, start + 4)[:, None]
    return PchipInterpolator((target + rounds * period).ravel(), (source + rounds * span).ravel()), period
