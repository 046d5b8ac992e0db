"""The kinematic motion as a table for simulations: any times, a correction curve included.

    q'(t) = q(t) ⊕ f(t),    v'(t) = exp(−f) v + J_r(f) ḟ

evaluated by a compiled kernel, one row at a time, so that a row's bits depend on its own time alone.
"""

from __future__ import annotations

import math
from typing import Any

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


@kernel()
def fill_table(
    tree: Tree,
    frames: Any,
    delta: Any,
    leave: Any,
    arrive: Any,
    fps: float,
    loop: bool,
    moved: Any,
    first_cycle: int,
    times: Any,
    curve: Any,
    slope: Any,
    out_q: Any,
    out_v: Any,
) -> None:
    """Rows of q and v at times (T,); ``curve``, ``slope`` (T, nv) or no rows; ``moved`` places loops."""
    count = frames.shape[0]
    segments = delta.shape[0]
    corrected = curve.shape[0] > 0
    for k in range(times.shape[0]):
        x = times[k] * fps
        near = math.floor(x + 0.5)
        if abs(x - near) < 1e-9 * max(1.0, abs(x)):
            x = near
        cycle, still = 0, False
        if loop:
            cycle = int(math.floor(x / count))
            x -= cycle * count
        elif x < 0.0:
            x, still = 0.0, True
        elif x > count - 1.0:
            x, still = count - 1.0, True
        i = min(int(x), max(segments - 1, 0))
        s = x - i
        on_frame = -1  # frames themselves keep their bits
        if s == 0.0:
            on_frame = i
        elif s == 1.0 and not loop:
            on_frame = i + 1
        for link in range(tree.parent.shape[0]):
            kind, a, c = tree.kind[link], tree.q_start[link], tree.v_start[link]
            if kind == LINK_FIXED:
                continue
            width = 3 if kind in (LINK_BALL, LINK_TRANSLATION) else 1
            h10, h01, h11 = s * (1 - s) * (1 - s), s * s * (3 - 2 * s), s * s * (s - 1)
            d10, d01, d11 = (1 - s) * (1 - 3 * s), 6 * s * (1 - s), s * (3 * s - 2)
            f = np.zeros(3)
            rate = np.zeros(3)
            if segments > 0:
                for j in range(width):
                    f[j] = h10 * leave[i, c + j] + h01 * delta[i, c + j] + h11 * arrive[i, c + j]
                    rate[j] = fps * (d10 * leave[i, c + j] + d01 * delta[i, c + j] + d11 * arrive[i, c + j])
            if still:
                rate[:] = 0.0
            if kind != LINK_BALL:
                for j in range(width):
                    out_q[k, a + j] = frames[i, a + j] + f[j] if on_frame < 0 else frames[on_frame, a + j]
                    out_v[k, c + j] = rate[j]
                    if corrected:
                        out_q[k, a + j] += curve[k, c + j]
                        out_v[k, c + j] += slope[k, c + j]
                continue
            q = (frames[i, a], frames[i, a + 1], frames[i, a + 2], frames[i, a + 3])
            e = quat_exp((f[0], f[1], f[2]))
            w = _right((f[0], f[1], f[2]), e, (rate[0], rate[1], rate[2]))
            if on_frame >= 0:
                q = (
                    frames[on_frame, a],
                    frames[on_frame, a + 1],
                    frames[on_frame, a + 2],
                    frames[on_frame, a + 3],
                )
            else:
                q = quat_unit(quat_product(q, e))
            if corrected:
                g = (curve[k, c], curve[k, c + 1], curve[k, c + 2])
                e = quat_exp(g)
                extra = _right(g, e, (slope[k, c], slope[k, c + 1], slope[k, c + 2]))
                # exp(−g) w: the body frame has turned by g.
                p = quat_product(quat_product((e[0], -e[1], -e[2], -e[3]), (0.0, w[0], w[1], w[2])), e)
                w = (p[1] + extra[0], p[2] + extra[1], p[3] + extra[2])
                q = quat_unit(quat_product(q, e))
            out_q[k, a], out_q[k, a + 1], out_q[k, a + 2], out_q[k, a + 3] = q
            out_v[k, c], out_v[k, c + 1], out_v[k, c + 2] = w
        if loop and tree.root_links > 1:
            m = moved[cycle - first_cycle]
            if tree.kind[0] == LINK_TRANSLATION:
                x0, y0 = out_q[k, 0], out_q[k, 1]
                out_q[k, 0] = m[3] * x0 - m[4] * y0 + m[0]
                out_q[k, 1] = m[4] * x0 + m[3] * y0 + m[1]
                out_q[k, 2] += m[2]
                u0, u1 = out_v[k, 0], out_v[k, 1]
                out_v[k, 0], out_v[k, 1] = m[3] * u0 - m[4] * u1, m[4] * u0 + m[3] * u1
                c2 = math.sqrt(max(0.0, 0.5 * (1 + m[3])))
                half = (c2, 0.5 * m[4] / c2) if c2 > 1e-9 else (0.0, 1.0)
                q = quat_product(
                    (half[0], 0.0, 0.0, half[1]), (out_q[k, 3], out_q[k, 4], out_q[k, 5], out_q[k, 6])
                )
                out_q[k, 3], out_q[k, 4], out_q[k, 5], out_q[k, 6] = q
            else:
                out_q[k, 0] += m[0]
                out_q[k, 1] += m[2]


@kernel(inline=True)
def correct_link(tree: Tree, link: int, q: Any, v: Any, f: Any, rate: Any, out_q: Any, out_v: Any) -> None:
    """One link's coordinates of a row: q ⊕ f and its velocity."""
    kind, a, c = tree.kind[link], tree.q_start[link], tree.v_start[link]
    if kind == LINK_FIXED:
        return
    if kind != LINK_BALL:
        for j in range(3 if kind == LINK_TRANSLATION else 1):
            out_q[a + j] = q[a + j] + f[c + j]
            out_v[c + j] = v[c + j] + rate[c + j]
        return
    g = (f[c], f[c + 1], f[c + 2])
    e = quat_exp(g)
    extra = _right(g, e, (rate[c], rate[c + 1], rate[c + 2]))
    w = (0.0, v[c], v[c + 1], v[c + 2])
    p = quat_product(quat_product((e[0], -e[1], -e[2], -e[3]), w), e)
    x = quat_unit(quat_product((q[a], q[a + 1], q[a + 2], q[a + 3]), e))
    out_q[a], out_q[a + 1], out_q[a + 2], out_q[a + 3] = x
    out_v[c], out_v[c + 1], out_v[c + 2] = p[1] + extra[0], p[2] + extra[1], p[3] + extra[2]


@kernel()
def correct_rows(
    tree: Tree, links: Any, q: Any, v: Any, curve: Any, slope: Any, out_q: Any, out_v: Any
) -> None:
    """Tables (N R, …): the reference (R, …) under N corrections (N R, nv), which move ``links`` alone."""
    for k in range(curve.shape[0]):
        at, rate = q[k % q.shape[0]], v[k % q.shape[0]]
        f, more, to_q, to_v = curve[k], slope[k], out_q[k], out_v[k]
        to_q[:] = at
        to_v[:] = rate
        for i in range(links.shape[0]):
            correct_link(tree, links[i], at, rate, f, more, to_q, to_v)


@kernel()
def perturb_rows(
    tree: Tree,
    q: Any,
    v: Any,
    curve: Any,
    slope: Any,
    base_q: Any,
    base_v: Any,
    first: Any,
    count: Any,
    link: Any,
    dof: Any,
    function: Any,
    amount: Any,
    phi: Any,
    dphi: Any,
    out_q: Any,
    out_v: Any,
) -> None:
    """Tables for trial windows, one after another in out: a base window with one coefficient changed.

    Trial p copies ``count[p]`` rows of the corrected base from first[p] on and recomputes ``link[p]`` with
    ``amount[p]`` more of function[p] (columns of phi, dphi (R, K)) on degree of freedom dof[p].
    """
    at = 0
    f, rate = np.empty(curve.shape[1]), np.empty(curve.shape[1])
    for p in range(first.shape[0]):
        d, b = dof[p], function[p]
        for k in range(first[p], first[p] + count[p]):
            out_q[at, :] = base_q[k]
            out_v[at, :] = base_v[k]
            if phi[k, b] != 0.0 or dphi[k, b] != 0.0:
                f[:] = curve[k]
                rate[:] = slope[k]
                f[d] += amount[p] * phi[k, b]
                rate[d] += amount[p] * dphi[k, b]
                correct_link(tree, link[p], q[k], v[k], f, rate, out_q[at], out_v[at])
            at += 1


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
        times = np.ascontiguousarray(times, dtype=np.float64)
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
        fill_table(
            character.tree, clip.q, *clip.sampler.coefficients, clip.fps, clip.loop, moved, first, times,
            np.ascontiguousarray(curve), np.ascontiguousarray(slope), out_q, out_v,
        )  # fmt: skip
        return out_q, out_v

    def _moved(self, cycle: int) -> list[float]:
        shift, yaw = self.clip.travel.repeated(float(cycle))
        return [*shift.tolist(), math.cos(float(yaw)), math.sin(float(yaw))]
