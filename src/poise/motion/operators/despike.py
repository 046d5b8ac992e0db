"""Glitches taken out: single frames, or a few, that leave the motion and come back (after Hampel's test).

Joint by joint, each frame is compared with what its neighbours n = 1 … N frames away say it should be: as
tangent vectors at q_f, with d_n = q_{f+n} ⊖ q_f,

    m_n = ½ (d_{−n} + d_n)      (at the ends of a plain clip, from one side: m_n = 2 d_n − d_{2n}).

Steady motion has m = 0, smooth motion a small one, a glitch by g has m_n = −g for most n. It is one when

    |med m| > threshold · 1.4826 · max(med |m_n − med m|, the joint's usual |med m|)   and   |med m| > least.

Glitches are replaced by the geodesic between the good frames on either side (at an end of a plain clip:
by the nearest good frame); every other frame and joint keeps its bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.errors import InputError
from poise.manifold import so3
from poise.manifold.product import ROTATION
from poise.motion.clip import Clip
from poise.motion.operators.neighbours import chosen_dofs, extended

MAD_TO_SIGMA = 1.4826
"""The standard deviation over the median deviation, of a normal distribution."""


def despike(
    clip: Clip,
    *,
    window: int = 5,
    threshold: float = 4.0,
    least: float = 0.03,
    joints: str | Sequence[str] = "*",
) -> Clip:
    """The clip without glitches.

    Args:
        clip: The motion.
        window: Frames looked at on each side [≥ 1]; glitches of up to half as many frames are found.
        threshold: How many standard deviations of the neighbourhood are too far [> 0].
        least: What is too small to be a glitch [rad or m, ≥ 0].
        joints: Names, limbs or patterns of the joints to mend.

    Returns:
        Clip: The motion with frames of those joints made anew.

    Raises:
        InputError: An option is out of range.
        UnknownNameError: A pattern matches no joint.

    Examples:
        >>> clean = poise.motion.operators.despike(poise.clips.get("wave"), joints="right arm")
    """
    if window != int(window) or window < 1:
        raise InputError(f"a window must be one frame or more on each side, not {window!r}")
    for what, value in (("threshold", threshold), ("least", least)):
        if not (math.isfinite(value) and value >= 0):
            raise InputError(f"{what} must be 0 or more, not {value!r}")
    chosen = chosen_dofs(clip.character, joints)
    # From one side a plain clip is asked as far as 3 N frames in.
    window = int(window) if clip.loop else min(int(window), (clip.frames - 1) // 3)
    if window < 1 or clip.frames < 3:
        return clip
    q = np.array(clip.q)
    # A loop is mended where it goes round: what lies beyond its ends are its own frames.
    margin = clip.frames if clip.loop else 0
    around = extended(clip, margin)
    bad = _glitches(clip, window, threshold, least)
    at_q = at_v = 0
    for block, size in enumerate(clip.character.manifold.blocks):
        span_q, span_v = (4, 3) if size == ROTATION else (size, size)
        flags = bad[:, block]
        if chosen[at_v] and flags.any() and not flags.all():
            here = slice(at_q, at_q + span_q)
            q[flags, here] = _bridged(around[:, here], flags, margin, rotation=size == ROTATION)
        at_q, at_v = at_q + span_q, at_v + span_v
    return clip.with_q(q)


def _glitches(clip: Clip, window: int, threshold: float, least: float) -> NDArray[np.bool_]:
    """Which blocks of the manifold are glitches in which frames, (F, blocks)."""
    manifold = clip.character.manifold
    said = np.stack(list(_predictions(clip, window)))  # (N, F, nv)
    middle = np.median(said, axis=0)  # (F, nv)
    sizes = [3 if size == ROTATION else size for size in manifold.blocks]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def lengths(v: Array) -> Array:
        return np.asarray(np.sqrt(np.add.reduceat(v * v, starts, axis=-1)))

    away = lengths(middle)  # (F, blocks)
    spread = MAD_TO_SIGMA * np.median(lengths(said - middle), axis=0)
    # A joint that shakes all the time has no glitches, only noise: that is smooth's business.
    usual = MAD_TO_SIGMA * np.median(away, axis=0)
    spread = np.maximum(spread, usual)
    return np.asarray((away > threshold * spread) & (away > least))


def _predictions(clip: Clip, window: int) -> Iterator[Array]:
    """m_n (F, nv) for n = 1 … N."""
    minus, frame, last = clip.character.manifold.minus, np.arange(clip.frames), clip.frames - 1
    if clip.loop:
        around = extended(clip, window)
        for n in range(1, window + 1):
            before, after = around[window - n + frame], around[window + n + frame]
            yield 0.5 * (minus(before, clip.q) + minus(after, clip.q))
        return
    for n in range(1, window + 1):
        start, end = frame < n, frame > last - n
        one = np.where(start, frame + n, frame - n)
        other = np.where(start, frame + 2 * n, np.where(end, frame - 2 * n, frame + n))
        share = np.where(start | end, 2.0, 0.5)[:, None], np.where(start | end, -1.0, 0.5)[:, None]
        yield share[0] * minus(clip.q[one], clip.q) + share[1] * minus(clip.q[other], clip.q)


def _bridged(values: Array, flags: NDArray[np.bool_], margin: int, *, rotation: bool) -> Array:
    """What to put in the flagged frames: values (F + 2 margin, c) interpolated between good ones."""
    good = ~(np.tile(flags, 3) if margin else flags)
    index = np.arange(len(good))
    before = np.maximum.accumulate(np.where(good, index, -1))
    after = np.minimum.accumulate(np.where(good, index, len(good))[::-1])[::-1]
    # Past the last good frame at an end there is only the other side.
    before, after = np.where(before < 0, after, before), np.where(after >= len(good), before, after)
    wanted = margin + np.flatnonzero(flags) if margin else np.flatnonzero(flags)
    lo, hi = before[wanted], after[wanted]
    s = (wanted - lo) / np.maximum(hi - lo, 1)
    if rotation:
        return so3.normalise(so3.slerp(values[lo], values[hi], s))
    return np.asarray(values[lo] + s[:, None] * (values[hi] - values[lo]))
