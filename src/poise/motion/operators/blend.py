"""Between two motions, or among many, frame by frame along geodesics.

    blend   q = a ⊕ w (b ⊖ a)
    mix     q = argmin Σ_i w_i |q_i ⊖ q|²,  by  q ← q ⊕ Σ_i w_i (q_i ⊖ q)  until that is 0 (Karcher mean)

Loops that travel differently are blended in place and made to travel on again: with G_i(t) the
steady motion of loop i along its own line or circle, G_i(t) = exp(t ξ_i), what is blended is G_i(t)⁻¹ q_i(t),
which repeats, and the result goes on by exp(t Σ w_i ξ_i). Half-way between a straight walk and one that
turns by 40° per cycle is a walk that turns by 20°, still an exact loop.

Morph weights are plain coordinates: their weighted mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.operators.agreement import at_rate_of, morphs_for, require_same_character
from poise.motion.operators.ground import taken_by
from poise.motion.travel import Travel

Weight = ArrayLike | Callable[[Array], Array]
MOST_STEPS = 50
"""Bound of the search for a mean rotation, which ends where it has settled."""
SETTLED = 1e-13  # [rad]


def blend(a: Clip, b: Clip, weight: Weight) -> Clip:
    """The motion a fraction ``weight`` of the way from ``a`` (0) to ``b`` (1).

    Frames of weight 0 and 1 are a's and b's own.

    Args:
        a: The motion at weight 0; it gives the frame rate and the name.
        b: The motion at weight 1, with as many frames as ``a`` once it is resampled to a's rate: warp or trim
            one of them first.
        weight: A number, one per frame (F,), or a function of the time of frames (F,) → (F,) [s]; beyond 0 …
            1 it exaggerates.

    Returns:
        Clip: The blended motion.

    Raises:
        InputError: The clips have different characters or numbers of frames.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> calm = poise.motion.operators.blend(walk, poise.motion.operators.smooth(walk, cutoff=2), 0.5)
    """
    b = _matched(a, b, "blend")
    w = _over_time(weight, a)
    morphs = _mixed(a, [a, b], np.stack([1.0 - w, w], axis=1))
    if a.loop and not _same_travel(a.travel, b.travel):
        if not np.any(w):
            return a
        if np.all(w == 1.0):
            return a.with_q(b.q, travel=b.travel, morphs=morphs)
        mean = float(w.mean())
        combined = _travelling(
            [a, b], np.array([1.0 - mean, mean]), lambda q: _between(a.character, q[0], q[1], w)
        )
        return combined.replaced(morphs=morphs)
    return a.with_q(_between(a.character, a.q, b.q, w), morphs=morphs)


def mix(clips: Sequence[Clip], weights: ArrayLike) -> Clip:
    """The weighted mean of several motions.

    Args:
        clips: At least one; the first gives the rate, the name and the number of frames that the others must
            have.
        weights: One per clip (n,), or per frame and clip (F, n) [≥ 0]; they are scaled to sum to 1.

    Returns:
        Clip: The mean motion.

    Raises:
        InputError: There are no clips, they do not fit each other, or weights are negative or all zero in a
            frame.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> mean = poise.motion.operators.mix([walk, poise.motion.operators.smooth(walk, cutoff=2)], [3, 1])
    """
    if not clips:
        raise InputError("nothing to blend: give at least one clip")
    first = clips[0]
    matched = [first, *(_matched(first, c, "mix") for c in clips[1:])]
    w = np.asarray(weights, dtype=np.float64)
    w = checked(w, "weights", (len(clips),) if w.ndim == 1 else (first.frames, len(clips)))
    w = np.broadcast_to(w, (first.frames, len(clips)))
    total = w.sum(axis=1)
    if (w < 0).any() or (total <= 0).any():
        raise InputError("weights of a mix must not be negative, and not all zero in any frame")
    w = w / total[:, None]  # (F, n)

    morphs = _mixed(first, matched, w)

    def mean(q: Array) -> Array:
        return _karcher(first.character, q, w)

    if first.loop and not all(_same_travel(first.travel, c.travel) for c in matched):
        return _travelling(matched, w.mean(axis=0), mean).replaced(morphs=morphs)
    return first.with_q(mean(np.stack([c.q for c in matched])), morphs=morphs)


def _matched(leader: Clip, clip: Clip, verb: str) -> Clip:
    """``clip`` ready to be combined with ``leader`` frame by frame, or an error."""
    require_same_character(leader.character, clip.character, verb)
    if leader.loop != clip.loop:
        one, other = (leader, clip) if leader.loop else (clip, leader)
        raise InputError(
            f"cannot {verb} the loop {one.name!r} with the plain clip {other.name!r}: unroll or loop one"
        )
    clip = at_rate_of(leader, clip)
    if clip.frames != leader.frames:
        raise InputError(
            f"cannot {verb}: {leader.name!r} has {leader.frames} frames and {clip.name!r} {clip.frames} at "
            f"{leader.fps:g} fps; warp, speed or trim one to the other's duration"
        )
    return clip


def _over_time(weight: Weight, clip: Clip) -> Array:
    """The weight in each frame, (F,)."""
    given = weight(clip.times) if callable(weight) else weight
    if np.ndim(given) == 0:
        return np.full(clip.frames, checked(given, "weight", ()))
    return checked(given, "weight", (clip.frames,))


def _between(character: Character, a: Array, b: Array, w: Array) -> Array:
    q = character.manifold.interpolate(a, b, w)
    at = w[:, None]
    return np.where(at == 0.0, a, np.where(at == 1.0, b, q))


def _mixed(leader: Clip, clips: Sequence[Clip], w: Array) -> Array:
    """Morph weights (F, m) with shares w (F, n) that sum to 1; a whole share keeps bits."""
    each = np.stack([morphs_for(leader, c) for c in clips])  # (n, F, m)
    # By differences, so that weights on which all agree are exact.
    out = each[0] + np.einsum("fn,nfm->fm", w, each - each[0])
    for share, values in zip(w.T, each):
        out = np.where(share[:, None] == 1.0, values, out)
    return np.asarray(out)


def _karcher(character: Character, q: Array, w: Array) -> Array:
    """Means (F, nq) of configurations (n, F, nq) with weights (F, n)."""
    manifold = character.manifold
    mean = np.take_along_axis(q, np.argmax(w, axis=1)[None, :, None], axis=0)[0]
    for _ in range(MOST_STEPS):
        step = np.einsum("fn,nfv->fv", w, manifold.minus(q, mean))
        if np.abs(step).max(initial=0.0) < SETTLED:
            break
        mean = manifold.plus(mean, step)
    return mean


def _same_travel(a: Travel, b: Travel) -> bool:
    return a.yaw == b.yaw and np.array_equal(a.translation, b.translation)


def _travelling(clips: Sequence[Clip], weights: Array, combine: Callable[[Array], Array]) -> Clip:
    """Loops combined in place, and made to travel on by the weighted mean of their steady motions."""
    first = clips[0]
    phase = np.arange(first.frames) / first.frames
    in_place = np.stack([c.travel.apply(c.character, c.q, -phase) for c in clips])
    twists = np.array([_twist(taken_by(c.character, c.travel)) for c in clips])  # (n, 4)
    travel = _from_twist(weights @ twists)
    return first.with_q(travel.apply(first.character, combine(in_place), phase), travel=travel)


def _twist(travel: Travel) -> Array:
    """ξ = log of a travel: velocity (3,) and yaw per cycle, with d = ξ e^{iψ/2} sinc(ψ/2) in the plane."""
    x, y, z = np.asarray(travel.translation)
    sinc = np.sinc(travel.yaw / (2 * np.pi))
    if abs(sinc) < 1e-9:
        raise InputError("a loop that travels by a whole turn in each cycle has no steady motion to blend")
    flat = complex(x, y) * np.exp(-0.5j * travel.yaw) / sinc
    return np.array([flat.real, flat.imag, z, travel.yaw])


def _from_twist(twist: Array) -> Travel:
    x, y, z, yaw = (float(t) for t in twist)
    flat = complex(x, y) * np.exp(0.5j * yaw) * np.sinc(yaw / (2 * np.pi))
    return Travel((flat.real, flat.imag, z), yaw)
