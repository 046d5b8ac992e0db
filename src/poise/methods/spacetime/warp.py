"""The warp: bones turned as the linear motion says, bent no more than what is held demands.

A displacement u asks of bone i the turn exp(Θ_i u). Turns of single bones do not keep held feet in their
place, so the pose is the nearest one that does:

    𝐖(u) = argmin Σ_i ‖W_i − exp(Θ_i u)‖²   subject to   𝐖 A = P

with a column of A for each held point and three for each held orientation. The solution is linear in the
turns, 𝐖 = 𝐖̃ Q + C, with constant Q and C: one small linear system, solved once. A point 𝐖 a is therefore
Σ_i exp(θ_i) b_i + C a with b = Q a, and its derivatives are those of the exponential.

The W_i are not quite rotations; :mod:`poise.methods.spacetime.projection` makes them so.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.methods.spacetime.affine_figure import AffineFigure


class Warp:
    """From turns of bones to poses that keep ``columns`` (1 + 3n, k) at ``places`` (3, k)."""

    def __init__(self, figure: AffineFigure, columns: Array, places: Array) -> None:
        self.figure, self.columns, self.places = figure, columns, places
        size = 1 + 3 * figure.bones
        # Independent combinations only: two points and the orientation of one foot say the same thing twice.
        left, sizes, right = np.linalg.svd(columns, full_matrices=False)
        rank = int((sizes > 1e-9 * sizes[0]).sum())
        held = left[:, :rank]
        at = places @ (right[:rank].T / sizes[:rank])  # (3, rank)
        bones = np.ones(size)
        bones[0] = 0.0  # the root's place is free
        system = np.zeros((size + rank, size + rank))
        system[:size, :size] = np.diag(bones)
        system[:size, size:] = held
        system[size:, :size] = held.T
        inverse = np.linalg.inv(system)
        self.spread: Array = np.ascontiguousarray(inverse[1:size, :size])
        """Q without its idle first row: (3n, 1 + 3n)."""
        self.rest: Array = at @ inverse[size:, :size]
        """C (3, 1 + 3n)."""

    def pose(self, turns: Array) -> Array:
        """𝐖 (T, 3, 1 + 3n) of bone turns (T, n, 3, 3)."""
        return side_by_side(turns) @ self.spread + self.rest

    def handle(self, columns: Array) -> tuple[Array, Array]:
        """b (3n, h) and constants (3, h) of columns (1 + 3n, h): the image is Σ_i exp(θ_i) b_i + constant."""
        return self.spread @ columns, self.rest @ columns


def side_by_side(turns: Array) -> Array:
    """[W₁ … W_n] (…, 3, 3n) of matrices (…, n, 3, 3)."""
    *lead, n, _, _ = turns.shape
    return np.swapaxes(turns, -3, -2).reshape(*lead, 3, 3 * n)


def apart(pose: Array) -> Array:
    """W_i (…, n, 3, 3) of 𝐖 (…, 3, 1 + 3n)."""
    *lead, _, width = pose.shape
    return np.swapaxes(pose[..., 1:].reshape(*lead, 3, (width - 1) // 3, 3), -3, -2)
