"""Poses of frames one by one: Levenberg–Marquardt, all frames at once, each with a damping of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.methods.markers.pose_cost import PoseCost

STEPS = 40
"""Most steps; a figure in a T-pose folds into most postures in twenty."""
FIRST = 1e-2
"""Damping of the first step, relative to the diagonal."""
GAIN = 1e-5
"""Part of its cost that a frame must gain to go on."""
LONGEST = 0.7
"""No coordinate changes by more in a step [rad, m]."""


def fit_frames(cost: PoseCost, q: Array, *, steps: int = STEPS) -> Array:
    """The best pose of each frame from a start q (F, nq)."""
    space = cost.character.manifold
    q = np.array(q)
    diagonal = np.arange(cost.character.nv)
    damping, going = np.full(len(q), FIRST), np.ones(len(q), dtype=bool)
    for _ in range(steps):
        at = np.flatnonzero(going)
        if not len(at):
            break
        own = _some(cost, at)
        model = own.model(q[at])
        matrix = model.matrix.copy()
        matrix[:, diagonal, diagonal] *= 1.0 + damping[at, None]
        step = -np.linalg.solve(matrix, model.slope[:, :, None])[:, :, 0]
        step *= np.minimum(1.0, LONGEST / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
        trial = space.plus(q[at], step)
        after = own.each(trial)
        better = after < model.cost
        q[at[better]] = trial[better]
        damping[at] = np.where(better, np.maximum(damping[at] * 0.2, 1e-6), damping[at] * 8.0)
        done = better & (model.cost - after < GAIN * model.cost) | (damping[at] > 1e6)
        going[at[done]] = False
    return q


def _some(cost: PoseCost, frames: IntArray) -> PoseCost:
    return replace(cost, targets=cost.targets[frames], prior=cost.prior[frames])
