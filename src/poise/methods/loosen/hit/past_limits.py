"""How far a motion is past joint limits, beyond what the animation does itself."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character.anatomy import felt_limits
from poise.curves import TangentCurve
from poise.methods.loosen.hit.problem import Problem
from poise.motion import Clip, edit

NEAR = np.radians(0.5)
"""Where a corrected animation is past limits by no more [rad, m], nobody looks at the states."""


class Past(NamedTuple):
    """How far joints are past their limits at some frames."""

    frames: IntArray
    """(F,)"""
    amount: Array
    """Of all degrees of freedom [rad or m], (F, nv); negative within."""
    lower: Array
    upper: Array
    """The limits there, or what the animation does beyond them, (F, nv)."""

    @property
    def worst(self) -> float:
        """Farthest of all."""
        return float(self.amount.max(initial=0.0))


@lru_cache(maxsize=8)
def limits_along(clip: Clip) -> tuple[Array, Array]:
    """Lower and upper limits at each frame of a clip, or what it does beyond them itself, (F, nv) each."""
    character = clip.character
    animated = character.manifold.minus(clip.q, character.manifold.neutral())
    lower, upper = felt_limits(character)
    low, high = np.minimum(lower, animated), np.maximum(upper, animated)
    low[:, character.dofs(0)], high[:, character.dofs(0)] = -np.inf, np.inf
    return frozen(low), frozen(high)


def past_limits(clip: Clip, q: Array, frames: IntArray) -> Past:
    """Of configurations (F, nq) at frames of a clip; its root has no limits."""
    manifold, (low, high) = clip.character.manifold, limits_along(clip)
    x, low, high = manifold.minus(q, manifold.neutral()), low[frames], high[frames]
    return Past(frames, np.maximum(x - high, low - x), low, high)


def strained_frames(problem: Problem, x: Array) -> IntArray:
    """Frames at which a correction x leads the animation itself past limits."""
    if not np.any(x):
        return np.zeros(0, dtype=np.int64)
    known, key = problem.strained, x.tobytes()
    if key not in known:
        known.clear()
        known[key] = _strained_frames(problem, x)
    return known[key]


def _strained_frames(problem: Problem, x: Array) -> IntArray:
    clip, layout = problem.simulator.clip, problem.layout
    frames = np.arange(clip.frames)
    if not clip.loop:
        early, late = layout.basis.span
        frames = frames[(clip.times >= early) & (clip.times <= late)]
    curve = TangentCurve(layout.basis, layout.coefficients(x))
    moved = edit.displacement(curve, clip, clip.times[frames], wrap=clip.loop)
    aimed = past_limits(clip, problem.character.manifold.plus(clip.q[frames], moved), frames)
    return frames[aimed.amount.max(axis=1, initial=-np.inf) > NEAR]
