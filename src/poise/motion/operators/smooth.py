"""Low-pass filtering of a motion, in rotations, without delay.

Each frame becomes the weighted mean of its neighbourhood on the manifold,

    m = argmin Σ_n k_n |q_{f+n} ⊖ m|²,     k_n = e^{−s} I_n(s)   (the discrete Gaussian),

found by m ← m ⊕ Σ_n k_n (q_{f+n} ⊖ m). Differences of rotations are followed outward from the frame, so
that a spin of many turns within the neighbourhood is not cut at half a turn. For a plain coordinate
this is a convolution with the frequency response

    H(f) = exp(−s (1 − cos(2π f / rate)))  →  exp(−(2π f σ)² / 2),    s = (σ rate)²,

exact at every rate, without ringing or phase. Poses held and motion at constant velocity pass
unchanged, the ends of a plain clip stay where they are, and loops stay loops. Nothing is delayed, so morph
weights, which are left alone (a blink is fast on purpose), stay in time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.manifold import so3
from poise.motion.clip import Clip
from poise.motion.operators.neighbours import chosen_dofs, extended

TAIL = 1e-10
"""Weight of a kernel that may be left out beyond its ends."""
MOST_STEPS = 30
"""Bound of the search for mean rotations, which ends where they have settled."""
SETTLED = 1e-11  # [rad]; the next step would be far smaller
WIDE = 2.0  # [rad²]
WIDEST = 100_000
"""Frames that a kernel may reach to either side: half an hour at 60 fps."""
ENDLESS = 1e12
"""A filter so many frames wide, or wider, is as good as endless: squares of it are still numbers."""


def smooth(
    clip: Clip,
    *,
    cutoff: float | None = None,
    sigma: float | None = None,
    joints: str | Sequence[str] = "*",
) -> Clip:
    """The clip without its fast components. Give ``cutoff`` or ``sigma``, not both.

    Args:
        clip: The motion.
        cutoff: The frequency whose amplitude falls to 1/√2 (−3 dB) [Hz, below half the frame rate].
        sigma: Standard deviation of the Gaussian [s, ≥ 0].
        joints: Names, limbs or patterns of the joints to filter; the others keep their bits.

    Returns:
        Clip: The filtered motion.

    Raises:
        InputError: Neither or both of ``cutoff`` and ``sigma`` are given, or one is out of range.
        UnknownNameError: A pattern matches no joint.

    Examples:
        >>> calm = poise.motion.operators.smooth(poise.clips.get("walk"), cutoff=6, joints="* arm")
    """
    kernel = gaussian_weights(variance_in_frames(clip, cutoff, sigma))  # k_0 … k_N
    chosen = chosen_dofs(clip.character, joints)
    reach = len(kernel) - 1
    if reach == 0 or (clip.frames == 1 and not clip.loop):
        return clip
    around = extended(clip, reach)
    q = np.array(clip.q)
    line_q, line_v = clip.character.manifold.line_slots
    lines = line_q[chosen[line_v]]
    turn_q, turn_v = clip.character.manifold.rotation_slots
    turns = turn_q[chosen[turn_v].all(axis=1)] if turn_q.size else turn_q
    if lines.size:
        q[:, lines] = _mean_line(around[:, lines], kernel)
    if turns.size:
        q[:, turns] = _mean_rotation(around[:, turns], kernel)
    return clip.with_q(q)


def variance_in_frames(clip: Clip, cutoff: float | None, sigma: float | None) -> float:
    """s = (σ · rate)², or the s whose response at the cutoff is 1/√2."""
    if (cutoff is None) == (sigma is None):
        raise InputError("give either a cutoff [Hz] or a sigma [s] to smooth by")
    if sigma is not None:
        if not (math.isfinite(sigma) and sigma >= 0):
            raise InputError(f"sigma must be 0 s or more, not {sigma!r}")
        return min(sigma * clip.fps, ENDLESS) ** 2
    if cutoff is None or not (math.isfinite(cutoff) and cutoff > 0):
        raise InputError(f"a cutoff frequency must be positive, not {cutoff!r}")
    if cutoff >= 0.5 * clip.fps:
        raise InputError(
            f"at {clip.fps:g} fps nothing is faster than {0.5 * clip.fps:g} Hz: "
            f"a cutoff of {cutoff:g} Hz does nothing"
        )
    slow = 1.0 - math.cos(2.0 * math.pi * cutoff / clip.fps)
    return 0.5 * math.log(2.0) / max(slow, ENDLESS**-2)


def gaussian_weights(variance: float, longest: int | None = None) -> Array:
    """k_0 … k_N of the discrete Gaussian of a variance [frames²], cut where the rest is below 1e-10, or after
    the ``longest``."""
    from scipy.special import ive

    most = math.ceil(8.0 * math.sqrt(variance)) + 16
    if longest is not None:
        most = min(most, longest)
    elif most > WIDEST:
        raise InputError(
            f"a filter that is {math.sqrt(variance):.3g} frames wide leaves nothing of a motion: "
            "raise its cutoff, or lower its sigma"
        )
    k = ive(np.arange(most + 1), variance)
    rest = np.cumsum(k[::-1])[::-1]  # Σ_{m ≥ n} k_m
    keep = max(1, int(np.count_nonzero(rest > 0.5 * TAIL)))
    k = k[:keep]
    return np.asarray(k / (k[0] + 2.0 * k[1:].sum()))


def _mean_line(around: Array, kernel: Array) -> Array:
    """Convolution of (F + 2N, c), written with differences so that constants stay exact."""
    reach = len(kernel) - 1
    frames = len(around) - 2 * reach
    centre = around[reach : reach + frames]
    out = np.array(centre)
    for n in range(1, reach + 1):
        before, after = around[reach - n : reach - n + frames], around[reach + n : reach + n + frames]
        out += kernel[n] * ((before - centre) + (after - centre))
    return out


def _mean_rotation(around: Array, kernel: Array) -> Array:
    """Local means (F, r, 4) of rotations (F + 2N, r, 4).

    With step = Σ k_n d_n and C = Σ k_n d_n d_nᵀ, d_n = q_{f+n} ⊖ m, Newton's step is H⁻¹ step with
    H = Σ k_n J_l(d_n)⁻¹ ≈ I + (C − tr C · I) / 12: a few rounds instead of a dozen.
    """
    reach = len(kernel) - 1
    frames = len(around) - 2 * reach
    parts = np.ascontiguousarray(np.moveaxis(around, -1, 0))  # (4, F + 2N, r): each component in one piece
    mean = parts[:, reach : reach + frames]
    newton = np.zeros(0)
    for round_ in range(MOST_STEPS):
        centre = _difference(parts[:, reach : reach + frames], mean, np.zeros((3, *mean.shape[1:])))
        step = kernel[0] * centre
        spread = np.einsum("i...,j...->...ij", centre, step)
        for direction in (-1, 1):
            last = centre
            for n in range(1, reach + 1):
                at = reach + direction * n
                last = _difference(parts[:, at : at + frames], mean, last)
                step += kernel[n] * last
                if round_ == 0:
                    spread += np.einsum("i...,j...->...ij", last, kernel[n] * last)
        if round_ == 0:
            newton = _newton(spread)  # later rounds' would hardly differ
        step = np.einsum("...ij,j...->i...", newton, step)
        turned = so3.multiply(np.moveaxis(mean, 0, -1), so3.exp(np.moveaxis(step, 0, -1)))
        mean = np.ascontiguousarray(np.moveaxis(so3.normalise(turned), -1, 0))
        if np.abs(step).max(initial=0.0) < SETTLED:
            break
    return np.moveaxis(mean, 0, -1)


def _newton(spread: Array) -> Array:
    """H⁻¹ (…, 3, 3) from C (…, 3, 3); the identity where turns are so wide that H is no guide."""
    total = np.trace(spread, axis1=-2, axis2=-1)[..., None, None]
    hessian = np.eye(3) + (spread - total * np.eye(3)) / 12.0
    return np.linalg.inv(np.where(total < WIDE, hessian, np.eye(3)))


def _difference(b: Array, a: Array, near: Array) -> Array:
    """``b ⊖ a`` of rotations (4, …): of its vectors (3, …), whole turns apart, the nearest to ``near``."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    w = aw * bw + ax * bx + ay * by + az * bz
    u = np.empty((3, *w.shape))
    u[0] = aw * bx - ax * bw - ay * bz + az * by
    u[1] = aw * by + ax * bz - ay * bw - az * bx
    u[2] = aw * bz - ax * by + ay * bx - az * bw
    s = np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    plain = s > 1e-12
    safe = np.where(plain, s, 1.0)
    angle = 2.0 * np.arctan2(s, w)
    along = (u[0] * near[0] + u[1] * near[1] + u[2] * near[2]) / safe
    angle += 2.0 * np.pi * np.rint((along - angle) / (2.0 * np.pi))
    out = u * (angle / safe)
    if not plain.all():
        # Without an axis of its own a rotation by whole turns keeps the neighbour's.
        length = np.sqrt((near * near).sum(axis=0))
        turns = 2.0 * np.pi * np.rint(length / (2.0 * np.pi)) / np.where(length > 0, length, 1.0)
        out = np.where(plain, out, np.copysign(2.0, w) * u + turns * near)
    return out
