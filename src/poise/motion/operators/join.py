"""One clip after another, without a jump in pose or velocity.

The last frame of ``a`` is the first instant of ``b``, so durations add. ``b`` is first placed on the
ground so that its root starts where ``a`` ends (translation and turn about the vertical). What
is left of the gap in pose, w₀ = a_end ⊖ b₀, and in velocity is taken up by an offset of b that dies
out over the transition (see ``offset``; "inertialisation"). ``a`` is not changed at all, every frame of
``b`` after the transition is b's own, and there is no stretch in which two motions are cross-faded, so
that their feet do not cancel out. Where points would sink lower than any does in a or b, the root is
raised smoothly (see ``lift``). Feet that stand may slide while the transition
lasts: to hold them where they are is a matter of constraints, not of joining.

Morph weights go from those a ends with, m, to b's along b + k (m − b), k the same quintic from 1 to 0: always
between the two, so that none leaves its range.
"""

from __future__ import annotations

import math

import numpy as np

from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.frame_count import affordable
from poise.motion.operators.agreement import at_rate_of, morphs_for, require_same_character
from poise.motion.operators.ground import FLAT, between, moved, turned
from poise.motion.operators.lift import lifted, lowest
from poise.motion.operators.offset import decaying, departing_rate, fading
from poise.motion.operators.unroll import unroll


def join(a: Clip, b: Clip, transition: float = 0.3, *, align: bool = True) -> Clip:
    """``a``, then ``b``, with a smooth ``transition`` [s] at the start of ``b``.

    ``transition`` is cut to b's duration; 0 cuts hard. With ``align=False`` b stays where it is in the
    world and the way there is part of the transition. A loop takes part with one cycle (unroll
    it first for more). A clip ``b`` of one frame is a pose: it is reached after the transition. If the rates
    differ, ``b`` is resampled to a's.
    """
    if not (math.isfinite(transition) and transition >= 0):
        raise InputError(f"a transition must last a time of 0 s or more, not {transition!r}")
    require_same_character(a.character, b.character, "join")
    character, manifold = a.character, a.character.manifold
    b = at_rate_of(a, b)
    # Velocities where they meet, of loops across their seams.
    v_end, v_start = a.sampler.velocity(a.duration), b.sampler.velocity(0.0)
    head = unroll(a) if a.loop else a
    tail = unroll(b) if b.loop else b
    q, morphs = tail.q, morphs_for(head, tail)
    if tail.frames == 1:
        count = affordable(math.ceil(transition * a.rate) + 1, f"join over {transition:g} s")
        q, morphs = np.repeat(q, count, axis=0), np.repeat(morphs, count, axis=0)
    if align:
        shift, yaw = between(character, q[0], head.q[-1])
        q, v_start = moved(character, q, shift * FLAT, yaw), turned(character, v_start, yaw)
    elapsed = np.array([float(k / a.rate) for k in range(len(q))])
    gap = manifold.minus(head.q[-1], q[0])
    rate = departing_rate(manifold, gap, v_start, v_end)
    span = min(float(transition), float(elapsed[-1])) if tail.frames > 1 else float(transition)
    blending = elapsed < span
    eased = manifold.plus(q, decaying(gap, rate, span, elapsed))
    own, q = q, np.where(blending[:, None], eased, q)
    # Legs half-way between two poses are not as long as in either: feet would go through the floor.
    level = min(float(lowest(character, head.q).min()), float(lowest(character, own).min()))
    end = int(np.count_nonzero(blending))
    q = np.concatenate([lifted(character, q[: end + 1], level, a.dt), q[end + 1 :]])
    before = morphs_for(head, head)
    morphs = morphs + fading(span, elapsed) * (before[-1] - morphs)
    return head.with_frames(
        np.concatenate([head.q, q[1:]]),
        np.concatenate([before, morphs[1:]]),
        loop=False,
        travel=None,
        name=" + ".join(n for n in (a.name, b.name) if n),
    )
