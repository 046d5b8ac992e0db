"""The kinematic motion as a table for simulations: any times, a correction curve included.

    q'(t) = q(t) ⊕ f(t),    v'(t) = exp(−f) v + J_r(f) ḟ

evaluated by a compiled kernel, one row at a time, so that a row's bits depend on its own time alone.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_TRANSLATION, Tree
from poise.compilation import kernel
from poise.curves import TangentCurve
from poise.dynamics.elementary import quat_exp, quat_product, quat_unit
from poise.errors import InputError
from poise.manifold.algebra import cross
from poise.motion import Clip, edit


@kernel(inline=True)
def _right(f: Any, e: Any, w: Any) -> Any:
    """J_r(f) w = w − a f×w + b f×(f×w), with t = |f| and e = exp(f) = (cos t/2, sin t/2 f/t)."""
    t2 = f[0] * f[0] + f[1] * f[1] + f[2] * f[2]
    if t2 < 1e-3:
        a = 0.5 * (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56)))
        b = 1 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72)))
    else:
        a = 2 * (e[1] * e[1] + e[2] * e[2] + e[3] * e[3]) / t2
        b = (t2 - 2 * e[0] * (e[1] * f[0] + e[2] * f[1] + e[3] * f[2])) / (t2 * t2)
    first = cross(f, w)
    second = cross(f, first)
    return (
        w[0] - a * first[0] + b * second[0],
        w[1] - a * first[1] + b * second[1],
        w[2] - a * first[2] + b * second[2],
    )


class Motion(NamedTuple):
    """A sampled motion: frames, its C¹ cubics, and where each cycle of a loop goes."""

    frames: Any
    """(F, nq)"""
    delta: Any
    leave: Any
    arrive: Any
    """Cubics between frames (segments, nv)."""
    fps: float
    loop: bool
    moved: Any
    """Shift, cosine and sine of the turn of each cycle (C, 5)."""
    first_cycle: int


class Change(NamedTuple):
    """What is added to a motion at each row, and its slope, (T, nv); no rows: nothing."""

    curve: Any
    slope: Any


class Table(NamedTuple):
    """Rows of configurations and velocities, (T, nq) and (T, nv)."""

    q: Any
    v: Any


class Place(NamedTuple):
    """Where a time falls: cycle of a loop, segment, its part that has passed, the frame it is or −1."""

    cycle: int
    segment: int
    part: float
    frame: int
    still: bool


@kernel(inline=True, allocates=False)
def _place(motion: Motion, time: float) -> Place:
    """Frames themselves keep their bits; outside of a clip that does not loop all stands still."""
    count, segments = motion.frames.shape[0], motion.delta.shape[0]
    x = time * motion.fps
    near = math.floor(x + 0.5)
    if abs(x - near) < 1e-9 * max(1.0, abs(x)):
        x = near
    cycle, still = 0, False
    if motion.loop:
        cycle = int(math.floor(x / count))
        x -= cycle * count
    elif x < 0.0:
        x, still = 0.0, True
    elif x > count - 1.0:
        x, still = count - 1.0, True
    i = min(int(x), max(segments - 1, 0))
    s = x - i
    frame = -1
    if s == 0.0:
        frame = i
    elif s == 1.0 and not motion.loop:
        frame = i + 1
    return Place(cycle, i, s, frame, still)


@kernel(inline=True, allocates=False)
def _passed(motion: Motion, at: Place, c: int) -> Any:
    """How far degree of freedom c has come since the segment's frame, and its rate."""
    if motion.delta.shape[0] == 0:
        return 0.0, 0.0
    i, s = at.segment, at.part
    h10, h01, h11 = s * (1 - s) * (1 - s), s * s * (3 - 2 * s), s * s * (s - 1)
    d10, d01, d11 = (1 - s) * (1 - 3 * s), 6 * s * (1 - s), s * (3 * s - 2)
    leave, delta, arrive = motion.leave[i, c], motion.delta[i, c], motion.arrive[i, c]
    rate = motion.fps * (d10 * leave + d01 * delta + d11 * arrive)
    return h10 * leave + h01 * delta + h11 * arrive, 0.0 if at.still else rate


@kernel(inline=True, allocates=False)
def _quaternion(frames: Any, row: int, a: int) -> Any:
    return (frames[row, a], frames[row, a + 1], frames[row, a + 2], frames[row, a + 3])


@kernel(inline=True, allocates=False)
def _put_ball(out: Table, k: int, a: int, c: int, q: Any, w: Any) -> None:
    out.q[k, a], out.q[k, a + 1], out.q[k, a + 2], out.q[k, a + 3] = q
    out.v[k, c], out.v[k, c + 1], out.v[k, c + 2] = w


@kernel(inline=True, allocates=False)
def corrected_ball(q: Any, w: Any, g: Any, slope: Any) -> Any:
    """A rotation q that turns with w, and g turned on: q exp(g), exp(−g) w + J_r(g) ġ."""
    e = quat_exp(g)
    extra = _right(g, e, slope)
    # exp(−g) w: the body frame has turned by g.
    p = quat_product(quat_product((e[0], -e[1], -e[2], -e[3]), (0.0, w[0], w[1], w[2])), e)
    return quat_unit(quat_product(q, e)), (p[1] + extra[0], p[2] + extra[1], p[3] + extra[2])


@kernel()
def fill_table(tree: Tree, motion: Motion, times: Any, change: Change, out: Table) -> None:
    """Rows of q and v at times (T,)."""
    frames, corrected = motion.frames, change.curve.shape[0] > 0
    for k in range(times.shape[0]):
        at = _place(motion, times[k])
        for link in range(tree.parent.shape[0]):
            kind, a, c = tree.kind[link], tree.q_start[link], tree.v_start[link]
            if kind == LINK_FIXED:
                continue
            if kind != LINK_BALL:
                for j in range(3 if kind == LINK_TRANSLATION else 1):
                    f, rate = _passed(motion, at, c + j)
                    x = frames[at.segment, a + j] + f if at.frame < 0 else frames[at.frame, a + j]
                    if corrected:
                        x += change.curve[k, c + j]
                        rate += change.slope[k, c + j]
                    out.q[k, a + j] = x
                    out.v[k, c + j] = rate
                continue
            f0, r0 = _passed(motion, at, c)
            f1, r1 = _passed(motion, at, c + 1)
            f2, r2 = _passed(motion, at, c + 2)
            e = quat_exp((f0, f1, f2))
            w = _right((f0, f1, f2), e, (r0, r1, r2))
            if at.frame >= 0:
                q = _quaternion(frames, at.frame, a)
            else:
                q = quat_unit(quat_product(_quaternion(frames, at.segment, a), e))
            if corrected:
                g = (change.curve[k, c], change.curve[k, c + 1], change.curve[k, c + 2])
                slope = (change.slope[k, c], change.slope[k, c + 1], change.slope[k, c + 2])
                q, w = corrected_ball(q, w, g, slope)
            _put_ball(out, k, a, c, q, w)
        if motion.loop and tree.root_links > 1:
            _travel(tree, motion.moved[at.cycle - motion.first_cycle], k, out)


@kernel(allocates=False)
def _travel(tree: Tree, m: Any, k: int, out: Table) -> None:
    """Row k where its cycle of a loop goes: turned about the vertical and shifted."""
    if tree.kind[0] != LINK_TRANSLATION:
        out.q[k, 0] += m[0]
        out.q[k, 1] += m[2]
        return
    x0, y0 = out.q[k, 0], out.q[k, 1]
    out.q[k, 0] = m[3] * x0 - m[4] * y0 + m[0]
    out.q[k, 1] = m[4] * x0 + m[3] * y0 + m[1]
    out.q[k, 2] += m[2]
    u0, u1 = out.v[k, 0], out.v[k, 1]
    out.v[k, 0], out.v[k, 1] = m[3] * u0 - m[4] * u1, m[4] * u0 + m[3] * u1
    c2 = math.sqrt(max(0.0, 0.5 * (1 + m[3])))
    half = (c2, 0.5 * m[4] / c2) if c2 > 1e-9 else (0.0, 1.0)
    turned = quat_product((half[0], 0.0, 0.0, half[1]), _quaternion(out.q, k, 3))
    out.q[k, 3], out.q[k, 4], out.q[k, 5], out.q[k, 6] = turned


class Reference:
    """A clip, perhaps corrected, ready to be sampled at any times."""

    def __init__(self, clip: Clip, correction: TangentCurve | None = None) -> None:
        self.clip, self.correction = clip, correction
        nv = clip.character.nv
        if correction is not None and correction.nv != nv:
            raise InputError(f"the correction has {correction.nv} degrees of freedom, the clip {nv}")

    def corrected(self, correction: TangentCurve | None) -> Reference:
        """The same clip with another correction."""
        return Reference(self.clip, correction)

    def table(
        self, times: Array, curve: Array | None = None, slope: Array | None = None
    ) -> tuple[Array, Array]:
        """q (T, nq) and v (T, nv) at times [s]; curve values override the correction."""
        clip, character = self.clip, self.clip.character
        times = np.array(times, dtype=np.float64)  # a copy: one kernel for frozen times and others
        if curve is None or slope is None:
            if self.correction is None:
                curve = slope = np.zeros((0, character.nv))
            else:
                curve = edit.displacement(self.correction, clip, times, wrap=clip.loop)
                slope = edit.displacement(self.correction, clip, times, 1, wrap=clip.loop)
        out_q, out_v = np.empty((len(times), character.nq)), np.empty((len(times), character.nv))
        first, moved = 0, np.zeros((1, 5))
        if clip.loop and len(times):
            first = math.floor(float(times.min()) * clip.fps / clip.frames) - 1
            last = math.floor(float(times.max()) * clip.fps / clip.frames) + 1
            moved = np.array([self._moved(k) for k in range(first, last + 1)])
        motion = Motion(clip.q, *clip.sampler.coefficients, clip.fps, clip.loop, moved, first)
        change = Change(np.ascontiguousarray(curve), np.ascontiguousarray(slope))
        fill_table(character.tree, motion, times, change, Table(out_q, out_v))
        return out_q, out_v

    def _moved(self, cycle: int) -> list[float]:
        shift, yaw = self.clip.travel.repeated(float(cycle))
        return [*shift.tolist(), math.cos(float(yaw)), math.sin(float(yaw))]
