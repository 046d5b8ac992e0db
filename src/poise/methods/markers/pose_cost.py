"""What a pose that should explain markers costs: one quadratic model per frame.

    ½ Σ_m ρ(|x_m(q) − y_m| / σ) + ½ |q ⊖ prior|² / σ_p² + ½ Σ (beyond limits)² / σ_l²

ρ is Geman and McClure's: s² / (1 + s² / k²). A marker farther off than a few k σ no longer pulls: it was
lost, swapped or taken for another. Its weight in the next step is (1 + s² / k²)⁻².
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.manifold import so3
from poise.methods.markers.attached import Attached, Observed, observe, positions

LIMIT = 0.15
"""Standard deviation of what exceeds a joint's limits [rad]: a soft stop, so that knees bend one way."""


@dataclass(frozen=True, eq=False)
class PoseCost:
    """What is seen of some frames, and how much it is believed."""

    character: Character
    points: Attached
    targets: Array
    """(F, M, 3), NaN where a marker is lost."""
    sigma: Array
    """Of each marker [m] (M,)."""
    knee: float
    """k: beyond k σ a marker is doubted; infinite: never."""
    prior: Array
    """Poses that are likely, (F, nq)."""
    spread: Array
    """How far from them one may be, standard deviation per degree of freedom (nv,)."""
    lower: Array
    upper: Array
    """Joint limits, (nv,) each; infinite where there are none."""

    def of(self, frames: slice) -> PoseCost:
        """The cost of some of the frames."""
        return replace(self, targets=self.targets[frames], prior=self.prior[frames])

    def each(self, q: Array) -> Array:
        """Cost of each frame, (F,)."""
        x = positions(self.character, q, self.points)
        return self._cost(q, x)

    def _cost(self, q: Array, x: Array) -> Array:
        s2 = self._squares(x)
        rho = s2 / (1.0 + s2 / self.knee**2)
        away = self.character.manifold.minus(q, self.prior) / self.spread
        beyond, _ = self._beyond(q)
        total = rho.sum(axis=1) + (away**2).sum(axis=1) + (beyond**2).sum(axis=1) / LIMIT**2
        return np.asarray(0.5 * total)

    def _squares(self, x: Array) -> Array:
        """(distance / σ)², zero where a marker is lost, (F, M)."""
        off = np.nan_to_num(x - self.targets)
        return np.asarray((off**2).sum(axis=2) / self.sigma**2)

    def _beyond(self, q: Array) -> tuple[Array, Array]:
        """How far limits are exceeded, signed, and the exponential coordinates themselves, (F, nv) each."""
        space = self.character.manifold
        angles = space.minus(q, np.broadcast_to(space.neutral(), q.shape))
        return np.maximum(angles - self.upper, 0.0) + np.minimum(angles - self.lower, 0.0), angles

    def rows(self, q: Array) -> MarkerRows:
        """Weighted errors of the markers at q and their derivatives."""
        seen = observe(self.character, q, self.points)
        pull = np.sqrt(self._trust(self._squares(seen.positions))) / self.sigma  # (F, M)
        off = np.nan_to_num(seen.positions - self.targets)
        by_pose = (seen.jacobian * pull[:, :, None, None]).reshape(len(q), -1, self.character.nv)
        return MarkerRows(seen, pull, (off * pull[:, :, None]).reshape(len(q), -1), by_pose)

    def model(self, q: Array, rows: MarkerRows | None = None) -> QuadraticModel:
        """Gauss–Newton's quadratic model at q."""
        nv = self.character.nv
        seen, _, error, by_pose = self.rows(q) if rows is None else rows
        matrix = by_pose.transpose(0, 2, 1) @ by_pose
        slope = (by_pose.transpose(0, 2, 1) @ error[:, :, None])[:, :, 0]
        slope += self.character.manifold.minus(q, self.prior) / self.spread**2
        matrix[:, np.arange(nv), np.arange(nv)] += 1.0 / self.spread**2
        self._add_limits(q, matrix, slope)
        return QuadraticModel(matrix, slope, self._cost(q, seen.positions))

    def _trust(self, s2: Array) -> Array:
        """Weight of markers, zero where they are lost, (F, M)."""
        trust = 1.0 / (1.0 + s2 / self.knee**2) ** 2
        return np.where(np.isfinite(self.targets[:, :, 0]), trust, 0.0)

    def trust(self, q: Array) -> Array:
        """How far each marker is believed, 0 … 1, (F, M); lost ones are not."""
        return self._trust(self._squares(positions(self.character, q, self.points)))

    def _add_limits(self, q: Array, matrix: Array, slope: Array) -> None:
        beyond, angles = self._beyond(q)
        if not beyond.any():
            return
        _, slots = self.character.manifold.rotation_slots
        turn = np.broadcast_to(np.eye(self.character.nv), matrix.shape).copy()
        for own in slots:
            turn[:, own[:, None], own] = so3.right_jacobian_inverse(angles[:, own])
        rows = turn * (beyond != 0.0)[:, :, None] / LIMIT
        matrix += rows.transpose(0, 2, 1) @ rows
        slope += (rows.transpose(0, 2, 1) @ (beyond / LIMIT)[:, :, None])[:, :, 0]


class MarkerRows(NamedTuple):
    """Errors of markers over σ, as far as they are believed."""

    seen: Observed
    pull: Array
    """√trust / σ, (F, M)."""
    error: Array
    """(F, 3 M)"""
    by_pose: Array
    """(F, 3 M, nv)"""


class QuadraticModel(NamedTuple):
    """½ vᵀ H v + gᵀ v + c of each frame."""

    matrix: Array
    """(F, nv, nv)"""
    slope: Array
    """(F, nv)"""
    cost: Array
    """(F,)"""
