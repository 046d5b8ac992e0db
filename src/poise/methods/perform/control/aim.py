"""What joints aim at during a step: error, rate and gains from the time that is left.

    kp = b A / s²,   kd = b B / s,   e = log(qᵀ q̂) − ω̂ (s − h)

s is the time left to the key (never less than √A times ``least``), A and B the style of the approach, b the
hand-over, which rises smoothly from 0 at the start of a phase. The target moves: it is where the joint would
be if it came along at ω̂ all the way. (Composing exp(−ω̂ s) instead would wrap round for fast keys.)

Joints that follow a clip have the clip's own place, rate and acceleration as target, those that hold their
place; both have a constant s. After a disturbance s is no longer than what is left of the time to be back,
nor than ``CATCH`` over how fast the joint leaves the clip: light parts that a blow makes fly are caught.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character.tree import Tree
from poise.compilation import kernel
from poise.dynamics.integration import difference

CATCH = 8.0
"""A joint that leaves the clip at ω is caught with s = 8/ω: with n = 6 it goes half a radian at most, as an
error of rate ω and time constant s/n grows to ω s / n e."""


class Plan(NamedTuple):
    """Who aims where and when: K rows, each for a stretch of time; (K, nv) unless said."""

    target: Array
    """Configurations (K, nq)."""
    rate: Array
    """ω̂ on arrival."""
    due: Array
    """When to arrive [s]; inf: hold or follow with a constant ``span``."""
    since: Array
    """When the phase began [s]."""
    ramp: Array
    """How long the hand-over takes [s]."""
    stiff: Array
    """A"""
    damp: Array
    """B"""
    span: Array
    """s of those who hold or follow [s]; 1 for the root."""
    follows: Any
    """Who follows the clip, booleans."""


class Path(NamedTuple):
    """The clip at the times of the steps; no rows where nothing follows it."""

    q: Array
    v: Array
    a: Array


class Aim(NamedTuple):
    """Of one step, each (nv,)."""

    error: Array
    rate: Array
    push: Array
    """Acceleration of what is followed."""
    kp: Array
    kd: Array
    part: Array
    """The hand-over b."""
    spare: Array

    @classmethod
    def room(cls, nv: int) -> Aim:
        """Fresh arrays."""
        return cls(*(np.zeros(nv) for _ in range(7)))


@kernel(allocates=False)
def take_aim(
    tree: Tree,
    plan: Plan,
    row: int,
    path: Path,
    step: int,
    q: Any,
    v: Any,
    t: float,
    h: float,
    least: float,
    aim: Aim,
) -> None:
    """Fill ``aim`` for the step from t to t + h; ``step + 1`` is the row of ``path`` at its end."""
    nv = aim.error.shape[0]
    difference(tree, plan.target[row], q, aim.error)
    known = path.q.shape[0] > 0
    if known:
        difference(tree, path.q[step + 1], q, aim.spare)
    for d in range(nv):
        a, b = plan.stiff[row, d], plan.damp[row, d]
        left = plan.due[row, d] - t
        s, push = plan.span[row, d], 0.0
        rate, error = plan.rate[row, d], aim.error[d]
        if plan.follows[row, d] and known:
            error, rate, push = aim.spare[d], path.v[step + 1, d], path.a[step + 1, d]
            if left < math.inf:
                off = abs(v[d] - rate)
                s = max(min(s, left, CATCH / max(off, 1e-9)), math.sqrt(a) * least)
        elif left < math.inf:
            s = max(left, math.sqrt(a) * least)
            error -= rate * (left - h)
        part = 1.0
        if plan.ramp[row, d] > 0.0:
            x = min(1.0, max(0.0, (t + h - plan.since[row, d]) / plan.ramp[row, d]))
            part = x * x * (3.0 - 2.0 * x)
        aim.error[d], aim.rate[d], aim.push[d], aim.part[d] = error, rate, push, part
        aim.kp[d], aim.kd[d] = part * a / (s * s), part * b / s
