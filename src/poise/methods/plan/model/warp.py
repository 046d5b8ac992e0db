"""The warp: bones turned as the linear motion says, bent no more than what is held demands.

A displacement u asks of bone i the turn exp(Θ_i u). Turns of single bones do not keep held feet in their
place, so the pose is the nearest one that does:

    𝐖(u) = argmin Σ_i ‖W_i − exp(Θ_i u)‖²   subject to   𝐖 A = P

with a column of A for each held point and three for each held orientation. What is held asks for little: with
A = [hᵀ; H] (the root's row, the bones' rows), N the null space of h and H N = K U by QR,

    W = W̃ (1 − K Kᵀ) + (P N U⁻¹) Kᵀ,      τ = (P − W H) h / |h|²

so 𝐖 = 𝐖̃ Q + C with constant Q and C, and Q differs from the identity by as many columns as K has. A point
𝐖 a is therefore Σ_i exp(θ_i) b_i + C a with b = Q a, and its derivatives are those of the exponential.

The W_i are not quite rotations; :mod:`poise.methods.plan.solve.projection` makes them so.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.methods.plan.model.affine_figure import AffineFigure


class Warp:
    """From turns of bones to poses that keep ``columns`` (1 + 3n, k) at ``places`` (3, k)."""

    def __init__(self, figure: AffineFigure, columns: Array, places: Array) -> None:
        self.figure, self.columns, self.places = figure, columns, places
        # Independent combinations only: two points and the orientation of one foot say the same thing twice.
        left, sizes, right = np.linalg.svd(columns, full_matrices=False)
        rank = int((sizes > 1e-9 * sizes[0]).sum())
        at = places @ (right[:rank].T / sizes[:rank])  # P (3, rank)
        root, held = left[0, :rank], left[1:, :rank]  # h, H
        away = np.linalg.qr(root[:, None], mode="complete")[0][:, 1:]  # N: the root's place is free
        keep, upper = np.linalg.qr(held @ away)
        self.keep: Array = np.ascontiguousarray(keep)
        """K: what bones give up for what is held, (3n, rank − 1) of orthonormal columns."""
        self.kept: Array = np.linalg.solve(upper.T, (at @ away).T).T
        """What W K must be, (3, rank − 1)."""
        bones = self.kept @ keep.T  # (3, 3n)
        through = held @ root / (root @ root)
        self._root: Array = -self._free(through)
        self.rest: Array = np.concatenate(
            [(at @ root / (root @ root) - bones @ through)[:, None], bones], axis=1
        )
        """C (3, 1 + 3n)."""

    def _free(self, columns: Array) -> Array:
        """(1 − K Kᵀ) of columns (3n, …)."""
        return np.asarray(columns - self.keep @ (self.keep.T @ columns))

    def pose(self, turns: Array) -> Array:
        """𝐖 (T, 3, 1 + 3n) of bone turns (T, n, 3, 3)."""
        w = side_by_side(turns)
        bones = w - (w @ self.keep) @ self.keep.T
        return np.concatenate([(w @ self._root)[..., None], bones], axis=2) + self.rest

    def handle(self, columns: Array) -> tuple[Array, Array]:
        """b (3n, h) and constants (3, h) of columns (1 + 3n, h): the image is Σ_i exp(θ_i) b_i + constant."""
        return self._free(columns[1:]) + self._root[:, None] * columns[0], self.rest @ columns


def side_by_side(turns: Array) -> Array:
    """[W₁ … W_n] (…, 3, 3n) of matrices (…, n, 3, 3)."""
    *lead, n, _, _ = turns.shape
    return np.swapaxes(turns, -3, -2).reshape(*lead, 3, 3 * n)


def apart(pose: Array) -> Array:
    """W_i (…, n, 3, 3) of 𝐖 (…, 3, 1 + 3n)."""
    *lead, _, width = pose.shape
    return np.swapaxes(pose[..., 1:].reshape(*lead, 3, (width - 1) // 3, 3), -3, -2)
