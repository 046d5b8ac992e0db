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

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.frame_times import affordable
from poise.motion.operators.agreement import at_rate_of, morphs_for, require_same_character
from poise.motion.operators.ground import FLAT, between, moved, root_kind, turned
from poise.motion.operators.offset import decaying, departing_rate, fading
from poise.motion.operators.spots import spots
from poise.motion.operators.unroll import unroll

NOTHING = 1e-3  # [m] sinks no one sees
EASE = 0.1  # [s] at either end


def join(a: Clip, b: Clip, transition: float = 0.3, *, align: bool = True) -> Clip:
    """``a``, then ``b``, with a smooth ``transition`` at the start of ``b``.

    A loop takes part with one cycle (unroll it first for more). A clip ``b`` of one frame is a pose: it is
    reached after the transition.

    Args:
        a: The first motion; it gives the frame rate.
        b: The second.
        transition: How long the difference takes to fade [s, ≥ 0], at most b's duration; 0 cuts hard.
        align: Whether b begins where a ends. If not, it stays where it is in the world, and the way there is
            part of the transition.

    Returns:
        Clip: Both, one after the other.

    Raises:
        InputError: The clips have different characters, or the transition is negative.

    Examples:
        >>> both = poise.motion.operators.join(poise.clips.get("wave"), poise.clips.get("punch"))
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


def lowest(character: Character, q: Array) -> Array:
    """Height of the lowest joint or point in each frame, (F,) [m]."""
    return np.asarray(spots(character, q)[1][..., 2].min(axis=1))


def lifted(character: Character, q: Array, level: float, dt: float) -> Array:
    """Configurations (F, nq) raised where they sink below ``level`` [m]; the first and last frame stay."""
    kind = root_kind(character)
    if kind not in (JointKind.FREE, JointKind.PLANAR) or len(q) < 3:
        return q
    sunk = level - lowest(character, q)[1:-1]
    if sunk.max() < NOTHING:
        return q
    inside = np.arange(1, len(q) - 1)
    s = np.clip(np.minimum(inside, len(q) - 1 - inside) * dt / EASE, 0.0, 1.0)
    sunk = np.maximum(sunk, 0.0) * s * s * (3 - 2 * s)
    out = np.array(q)
    out[1:-1, 2 if kind is JointKind.FREE else 1] += _smoothest_above(sunk)
    return out


def _smoothest_above(least: Array) -> Array:
    """x (n,) with x ≥ ``least`` and 0 beyond both ends, of the least second differences."""
    from scipy.optimize import lsq_linear

    count = len(least)
    bend = np.diff(np.eye(count, count + 4, k=2), n=2, axis=1).T  # (n + 2, n): zeros on both sides
    found = lsq_linear(bend, np.zeros(len(bend)), bounds=(least, np.inf), method="bvls", tol=1e-12)
    return np.asarray(np.maximum(found.x, least))
