"""Clip ⊕ curve: the edited motion and its velocity.

    q'(t) = q(t) ⊕ f(t);   plain coordinates: v' = v + ḟ;   rotations: ω' = exp(−f) ω + J_r(f) ḟ

(ω in the body's frame, J_r the right Jacobian of the exponential). What the curve does not move keeps its
bits. A loop is edited within its cycle and repeated; to be smooth at the seam, take a periodic basis, or
``wrap`` a curve that fades to zero by itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import JointKind
from poise.curves import TangentCurve
from poise.errors import InputError
from poise.manifold import so3
from poise.motion.clip import Clip


def apply(curve: TangentCurve, clip: Clip, *, wrap: bool = False) -> Clip:
    """The clip with the curve added at each frame.

    ``wrap`` (loops): what sticks out at one end of the cycle comes in at the other.
    """
    return clip.with_q(_plus(clip, clip.q, displacement(curve, clip, clip.times, wrap=wrap)))


def configuration(curve: TangentCurve, clip: Clip, times: ArrayLike, *, wrap: bool = False) -> Array:
    """(T, nq): the edited motion at any times [s], also between frames."""
    t, cycle = _in_cycle(clip, times)
    edited = _plus(clip, clip.at(t), displacement(curve, clip, t, wrap=wrap))
    return clip.travel.apply(clip.character, edited, cycle) if clip.loop else edited


def velocity(curve: TangentCurve, clip: Clip, times: ArrayLike | None = None, *, wrap: bool = False) -> Array:
    """(T, nv): the edited motion's velocity at any times [s]; without times, at the frames (F, nv)."""
    t, cycle = _in_cycle(clip, clip.times if times is None else times)
    f = displacement(curve, clip, t, wrap=wrap)
    rate = displacement(curve, clip, t, 1, wrap=wrap)
    v = np.array(clip.velocity if times is None else clip.sampler.velocity(t))
    _, lines = clip.character.manifold.line_slots
    _, turns = clip.character.manifold.rotation_slots
    v[:, lines] += rate[:, lines]
    if turns.size:
        turn, omega = f[:, turns], v[:, turns]  # (T, r, 3)
        along = np.einsum("...ij,...j->...i", so3.right_jacobian(turn), rate[:, turns])
        v[:, turns] = so3.rotate(so3.exp(-turn), omega) + along
    if clip.loop and clip.travel.yaw and clip.character.bodies[0].joint.kind is JointKind.FREE:
        # Later cycles are turned about the vertical as a whole, and with them the root's path.
        yaw = clip.travel.repeated(cycle)[1]
        v[:, :3] = so3.rotate(so3.exp(yaw[:, None] * np.array([0.0, 0.0, 1.0])), v[:, :3])
    return v


def displacement(
    curve: TangentCurve, clip: Clip, times: ArrayLike, derivative: int = 0, *, wrap: bool = False
) -> Array:
    """(T, nv): the tangent vectors, or their derivative, that the curve adds to the clip at times [s]."""
    if curve.nv != clip.character.nv:
        raise InputError(
            f"the curve moves {curve.nv} degrees of freedom, {clip.character.name!r} has {clip.character.nv}"
        )
    t, _ = _in_cycle(clip, times)
    period = curve.basis.period
    if not clip.loop:
        return curve.evaluate(t, derivative)
    if period is not None:
        repeats = clip.duration / period
        if abs(repeats - round(repeats)) > 1e-6 or round(repeats) < 1:
            raise InputError(
                f"a curve of period {period:g} s does not fit a loop of {clip.duration:g} s: "
                "the loop must last a whole number of periods"
            )
        return curve.evaluate(t, derivative)
    support = curve.support
    if not wrap or support is None:
        return curve.evaluate(t, derivative)
    first = int(np.floor(support[0] / clip.duration))
    last = int(np.floor(support[1] / clip.duration))
    cycles = [curve.evaluate(t + k * clip.duration, derivative) for k in range(first, last + 1)]
    return np.asarray(np.sum(cycles, axis=0))


def _in_cycle(clip: Clip, times: ArrayLike) -> tuple[Array, Array]:
    """Times within the first cycle and the number of the cycle (T,); other clips know one cycle only."""
    t = checked(times, "times", (None,))
    if not clip.loop:
        return t, np.zeros(len(t))
    # A time meant to be the start of a cycle may miss it by rounding.
    cycle = np.floor(t / clip.duration + 1e-9 / clip.frames)
    return np.maximum(t - cycle * clip.duration, 0.0), cycle


def _plus(clip: Clip, q: Array, f: Array) -> Array:
    """q ⊕ f (T, nq), with rotations that f does not turn left as they are to the last bit."""
    manifold = clip.character.manifold
    edited = manifold.plus(q, f)
    slots_q, slots_v = manifold.rotation_slots
    if slots_q.size:
        turned = f[:, slots_v].any(axis=-1, keepdims=True)  # (T, r, 1)
        edited[:, slots_q] = np.where(turned, edited[:, slots_q], q[:, slots_q])
    return edited
