"""Who was captured: lengths of bones and places of markers, found with poses of a few dozen frames.

Unknowns of all frames together are the figure's size S, a scale s_j of each bone and the place o_m of each
marker on its body; each frame has its pose besides. Markers' positions are linear in the shared unknowns:

    ∂x_m/∂o_m = R_body,      ∂x_m/∂s_j = R_parent(j) offset_j   for bones j on the way to the body

Poses are eliminated frame by frame (Schur's complement), what is left is one small system.

| prior         | standard deviation                             |
|---------------|------------------------------------------------|
| s_j about S   | ``BONE``                                       |
| left − right  | ``TWIN``                                       |
| o_m           | as its landmark says, about its usual place    |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.methods.markers.attached import Attached
from poise.methods.markers.pose_cost import MarkerRows, PoseCost
from poise.methods.markers.segments import bones, twins, with_bone_scales

BONE, TWIN, WHOLE = 0.12, 0.01, 0.5
"""Standard deviations of a bone's scale about the whole's, between left and right, and of the whole."""
TIED = 1e-5
"""Of scales that are not to change."""
STEPS = 25
"""Most steps."""
GAIN = 1e-5
"""Part of the cost worth another step."""
FRAMES = 60
"""Frames that are looked at, spread over the clip."""


@dataclass(frozen=True, eq=False)
class Proportions:
    """What is shared by all frames."""

    whole: float
    scales: Array
    """Of each body's bone, (n,)."""
    places: Array
    """Of markers on their bodies [m] (M, 3)."""


class MarkerPrior(NamedTuple):
    """Where markers usually sit."""

    body: IntArray
    """(M,)"""
    place: Array
    """(M, 3) [m]"""
    spread: Array
    """Standard deviation [m] (M,)."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """The problem: a character, markers with their usual places, and how it may be scaled."""

    cost: PoseCost
    """Of the frames looked at; its character is not scaled."""
    prior: MarkerPrior
    size: float
    """The figure's size to begin with, beside the character's."""
    scaling: str = "segments"
    """``segments``, ``whole`` or ``none``."""

    def solve(self, q: Array, start: Proportions) -> tuple[Array, Proportions]:
        """Poses of the frames looked at and what they share."""
        active, pairs = bones(self.cost.character), twins(self.cost.character)
        shared, damping = start, 1e-3
        cost = self._posed(shared)
        before = self._total(cost, q, shared, active, pairs)
        for _ in range(STEPS):
            rows = cost.rows(q)
            model = cost.model(q, rows)
            matrix, slope = self._prior(shared, active, pairs)
            cross = self._add_shared(rows, active, matrix, slope)
            found = False
            for _ in range(6):
                dq, dp = _schur(model.matrix, model.slope, cross, matrix, slope, damping)
                trial_q, trial = cost.character.manifold.plus(q, dq), _moved(shared, dp, active)
                trial_cost = self._posed(trial)
                after = self._total(trial_cost, trial_q, trial, active, pairs)
                if after < before:
                    found = True
                    break
                damping *= 10.0
            if not found:
                break
            gain = before - after
            q, shared, cost, before = trial_q, trial, trial_cost, after
            damping = max(damping * 0.2, 1e-7)
            if gain < GAIN * before:
                break
        return q, shared

    def start(self) -> Proportions:
        """Everything as large as the whole, markers where they usually sit."""
        count = len(self.cost.character.bodies)
        return Proportions(self.size, np.full(count, self.size), np.array(self.prior.place))

    def _posed(self, shared: Proportions) -> PoseCost:
        points = Attached(self.prior.body, shared.places)
        character = with_bone_scales(self.cost.character, shared.scales)
        return replace(self.cost, character=character, points=points)

    def _add_shared(self, rows: MarkerRows, active: IntArray, matrix: Array, slope: Array) -> Array:
        """matrix += JᵀJ and slope += Jᵀe by scales and places; Jᵀ by poses and by these, (F, nv, P)."""
        turns, pull, who = rows.seen.placement.rotations, rows.pull, self.cost.character
        (frames, count), nv, first = pull.shape, who.nv, 1 + len(active)
        by_scale = np.zeros((frames, count, 3, len(active)))
        for k, j in enumerate(active):
            way = turns[:, who.parents[j]] @ np.asarray(who.bodies[j].offset)  # (F, 3)
            on = (self.prior.body >= j) & (self.prior.body < who.subtree_ends[j])
            by_scale[:, :, :, k] = np.where(on[:, None], pull[:, :, None] * way[:, None], 0.0)
        by_place = pull[:, :, None, None] * turns[:, self.prior.body]  # (F, M, 3, 3), of its own marker
        error, by_pose = rows.error.reshape(frames, count, 3), rows.by_pose.reshape(frames, count, 3, nv)
        flat = by_scale.reshape(-1, len(active))
        matrix[1:first, 1:first] += flat.T @ flat
        slope[1:first] += flat.T @ rows.error.ravel()
        both = np.einsum("fmis,fmij->smj", by_scale, by_place, optimize=True).reshape(len(active), -1)
        matrix[1:first, first:] += both
        matrix[first:, 1:first] += both.T
        at = np.arange(first, len(slope))
        matrix[at, at] += np.repeat((pull**2).sum(axis=0), 3)
        slope[first:] += np.einsum("fmij,fmi->mj", by_place, error).ravel()
        cross = np.zeros((frames, nv, len(slope)))
        cross[:, :, 1:first] = rows.by_pose.transpose(0, 2, 1) @ by_scale.reshape(frames, 3 * count, -1)
        own = by_pose.transpose(0, 1, 3, 2) @ by_place  # (F, M, nv, 3)
        cross[:, :, first:] = own.transpose(0, 2, 1, 3).reshape(frames, nv, -1)
        return cross

    def _prior(
        self, shared: Proportions, active: IntArray, pairs: list[tuple[int, int]]
    ) -> tuple[Array, Array]:
        """Matrix and slope of what is likely beforehand, (P, P) and (P,)."""
        rows, error = self._likely(shared, active, pairs)
        return rows.T @ rows, rows.T @ error

    def _likely(
        self, shared: Proportions, active: IntArray, pairs: list[tuple[int, int]]
    ) -> tuple[Array, Array]:
        bone = BONE if self.scaling == "segments" else TIED
        whole = TIED if self.scaling == "none" else WHOLE
        count, place = len(active), {int(j): k for k, j in enumerate(active)}
        tied = [(place[a], place[b]) for a, b in pairs if a in place and b in place]
        points = len(self.prior.body)
        rows = np.zeros((1 + count + len(tied) + 3 * points, 1 + count + 3 * points))
        error = np.zeros(len(rows))
        rows[0, 0], error[0] = 1 / whole, (shared.whole - self.size) / whole
        scales = shared.scales[active]
        for k in range(count):
            rows[1 + k, 1 + k], rows[1 + k, 0] = 1 / bone, -1 / bone
            error[1 + k] = (scales[k] - shared.whole) / bone
        for n, (a, b) in enumerate(tied):
            at = 1 + count + n
            rows[at, 1 + a], rows[at, 1 + b] = 1 / TWIN, -1 / TWIN
            error[at] = (scales[a] - scales[b]) / TWIN
        spread = np.repeat(self.prior.spread, 3)
        first = 1 + count + len(tied)
        rows[first:, 1 + count :] = np.diag(1 / spread)
        error[first:] = (shared.places - self.prior.place).ravel() / spread
        return rows, error

    def _total(
        self, cost: PoseCost, q: Array, shared: Proportions, active: IntArray, pairs: list[tuple[int, int]]
    ) -> float:
        _, error = self._likely(shared, active, pairs)
        return float(cost.each(q).sum()) + 0.5 * float(error @ error)


def _schur(
    matrix: Array, slope: Array, cross: Array, shared: Array, pull: Array, damping: float
) -> tuple[Array, Array]:
    """Steps of poses (F, nv) and of what is shared (P,)."""
    nv = matrix.shape[1]
    damped = matrix.copy()
    damped[:, np.arange(nv), np.arange(nv)] *= 1 + damping
    solved = np.linalg.solve(damped, np.concatenate([cross, slope[:, :, None]], axis=2))
    by, own = solved[:, :, :-1], solved[:, :, -1]
    left = shared + damping * np.diag(np.diag(shared)) - np.tensordot(cross, by, ((0, 1), (0, 1)))
    right = pull - np.einsum("fvp,fv->p", cross, own)
    dp = -np.linalg.solve(left, right)
    return -(own + by @ dp), dp


def _moved(shared: Proportions, change: Array, active: IntArray) -> Proportions:
    scales = shared.scales.copy()
    scales[active] = np.maximum(scales[active] + change[1 : 1 + len(active)], 0.05)
    whole = max(shared.whole + float(change[0]), 0.05)
    places = shared.places + change[1 + len(active) :].reshape(-1, 3)
    return Proportions(whole, scales, places)


def spread_frames(frames: int, most: int = FRAMES) -> IntArray:
    """At most so many frames, evenly over a clip."""
    return np.unique(np.linspace(0, frames - 1, min(frames, most)).astype(np.int64))
