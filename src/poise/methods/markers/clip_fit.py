"""Poses of a whole clip at once: each explains its markers, and the motion is as smooth as bodies are.

    minimise  Σ_f cost_f(q_f) + ½ Σ_f |(q_{f+1} ⊖ q_f) − (q_f ⊖ q_{f−1})|² / (σ_a dt²)²

Gauss–Newton over all frames; neighbours couple two frames far, so that one banded Cholesky solves a step
(``poise.solvers.banded``, as adaptation does). Long clips go in windows whose ends are solved twice: what a
frame says is forgotten within a few frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.methods.markers.pose_cost import PoseCost
from poise.solvers.banded import factorise, solve

WINDOW, OVERLAP = 480, 40
"""Frames of a window, and those solved on either side of it as well."""
STEPS = 12
"""Most steps of a window."""
GAIN = 1e-5
"""Part of the cost worth another step."""


@dataclass(frozen=True, eq=False)
class Smoothness:
    """How bodies accelerate: standard deviations, infinite where nothing is known."""

    dt: float
    """[s]"""
    acceleration: Array
    """Per degree of freedom [m/s², rad/s²] (nv,)."""

    @property
    def weight(self) -> Array:
        """Of squared second differences, (nv,)."""
        return np.asarray(1.0 / (self.acceleration * self.dt**2) ** 2)


def fit_clip(
    cost: PoseCost, q: Array, smooth: Smoothness, *, watch: Callable[[float], None] = lambda part: None
) -> Array:
    """The best motion near a start q (F, nq)."""
    out, frames = np.array(q), len(q)
    for first in range(0, frames, WINDOW):
        last = min(frames, first + WINDOW)
        low, high = max(0, first - OVERLAP), min(frames, last + OVERLAP)
        found = _window(cost.of(slice(low, high)), q[low:high], smooth)
        out[first:last] = found[first - low : last - low]
        watch(last / frames)
    return out


def _window(cost: PoseCost, q: Array, smooth: Smoothness) -> Array:
    space, weight = cost.character.manifold, smooth.weight
    damping, before = 1e-4, np.inf
    for _ in range(STEPS):
        model = cost.model(q)
        bend = _bending(cost, q)
        before = float(model.cost.sum()) + 0.5 * float((bend**2 * weight).sum())
        slope = model.slope + _spread_back(bend * weight, len(q))
        found = False
        for _ in range(3):
            band = _band(model.matrix * 1.0, weight, damping)
            step = -solve(factorise(band), slope.ravel()).reshape(slope.shape)
            trial = space.plus(q, step)
            after = float(cost.each(trial).sum()) + 0.5 * float((_bending(cost, trial) ** 2 * weight).sum())
            if after < before:
                found = True
                break
            damping *= 10.0
        if not found:
            break
        q, damping = trial, max(damping * 0.1, 1e-8)
        if before - after < GAIN * before:
            break
    return q


def _bending(cost: PoseCost, q: Array) -> Array:
    """Second differences on the manifold, (F − 2, nv)."""
    ahead = cost.character.manifold.minus(q[1:], q[:-1])
    return np.diff(ahead, axis=0)


def _spread_back(bend: Array, frames: int) -> Array:
    """D₂ᵀ bend, (F, nv)."""
    out = np.zeros((frames, bend.shape[1]))
    if len(bend):
        out[:-2] += bend
        out[1:-1] -= 2.0 * bend
        out[2:] += bend
    return out


def _band(matrix: Array, weight: Array, damping: float) -> Array:
    """Blocks (F, nv, nv) on the diagonal and second differences between them, as a band (F nv, 2 nv + 1)."""
    frames, nv, _ = matrix.shape
    band = np.zeros((frames * nv, 2 * nv + 1))
    rows = band.reshape(frames, nv, 2 * nv + 1)
    for i in range(nv):
        rows[:, i, : nv - i] = matrix[:, i:, i]
    rows[:, :, 0] *= 1.0 + damping
    if frames > 2:
        for k in range(3):
            for j in range(k, 3):
                factor = (1.0, -2.0, 1.0)[k] * (1.0, -2.0, 1.0)[j]
                rows[k : frames - 2 + k, :, (j - k) * nv] += factor * weight
    return band
