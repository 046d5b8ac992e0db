"""Poses by the exponential coordinates of their joints: reading them, and taking a step.

A step moves the *coordinates* x (nv,) that joint limits bound: the angle of a hinge, the place of a slide,
and of a ball whose rotation vector w is limited, w itself; so that a limit is a bound on one number. An
unlimited ball has no coordinates of its own: its step is a rotation in its own frame, R ↦ R exp(v).

``kinds``, ``q_start`` and ``v_start`` are those of the links of a ``Layout``. (Kernels take the arrays they
read, not whole layouts: those take long to compile.)
"""

from __future__ import annotations

import math

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_TRANSLATION
from poise.compilation import kernel
from poise.dynamics.elementary import quat_exp, quat_log, quat_product, quat_unit

_MOST = math.pi - 1e-9
"""A rotation vector as long as π turns into its opposite."""


@kernel(inline=True, allocates=False)
def coordinates_frame(kinds: IntArray, q_start: IntArray, v_start: IntArray, q: Array, out: Array) -> None:
    """Exponential coordinates of all joints (nv,) at the pose q (nq,)."""
    for link in range(kinds.size):
        kind, a, c = kinds[link], q_start[link], v_start[link]
        if kind == LINK_BALL:
            out[c], out[c + 1], out[c + 2] = quat_log((q[a], q[a + 1], q[a + 2], q[a + 3]))
        elif kind != LINK_FIXED:
            for k in range(3 if kind == LINK_TRANSLATION else 1):
                out[c + k] = q[a + k]


@kernel(inline=True, allocates=False)
def minus_frame(
    kinds: IntArray, q_start: IntArray, v_start: IntArray, to: Array, start: Array, out: Array
) -> None:
    """``to ⊖ start``, (nv,)."""
    for link in range(kinds.size):
        kind, a, c = kinds[link], q_start[link], v_start[link]
        if kind == LINK_BALL:
            back = (start[a], -start[a + 1], -start[a + 2], -start[a + 3])
            there = (to[a], to[a + 1], to[a + 2], to[a + 3])
            out[c], out[c + 1], out[c + 2] = quat_log(quat_product(back, there))
        elif kind != LINK_FIXED:
            for k in range(3 if kind == LINK_TRANSLATION else 1):
                out[c + k] = to[a + k] - start[a + k]


@kernel(inline=True, allocates=False)
def step_frame(
    kinds: IntArray,
    q_start: IntArray,
    v_start: IntArray,
    bounded: IntArray,
    lower: Array,
    upper: Array,
    q: Array,
    x: Array,
    step: Array,
    out: Array,
) -> None:
    """The pose ``out`` (nq,) a step (nv,) from q with coordinates x, inside the limits.

    ``bounded`` is 1 for the links whose coordinates have limits, (L,).
    """
    for link in range(kinds.size):
        kind, a, c = kinds[link], q_start[link], v_start[link]
        if kind == LINK_BALL:
            if bounded[link]:
                w0 = min(max(x[c] + step[c], lower[c]), upper[c])
                w1 = min(max(x[c + 1] + step[c + 1], lower[c + 1]), upper[c + 1])
                w2 = min(max(x[c + 2] + step[c + 2], lower[c + 2]), upper[c + 2])
                length = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
                if length > _MOST:
                    k = _MOST / length
                    w0 = min(max(k * w0, lower[c]), upper[c])
                    w1 = min(max(k * w1, lower[c + 1]), upper[c + 1])
                    w2 = min(max(k * w2, lower[c + 2]), upper[c + 2])
                turn = quat_exp((w0, w1, w2))
            else:
                change = quat_exp((step[c], step[c + 1], step[c + 2]))
                turn = quat_unit(quat_product((q[a], q[a + 1], q[a + 2], q[a + 3]), change))
            out[a], out[a + 1], out[a + 2], out[a + 3] = turn
        elif kind != LINK_FIXED:
            for k in range(3 if kind == LINK_TRANSLATION else 1):
                out[a + k] = min(max(q[a + k] + step[c + k], lower[c + k]), upper[c + k])
