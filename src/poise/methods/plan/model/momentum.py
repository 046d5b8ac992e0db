"""Inertia and angular momentum of a warped figure, with derivatives by the turns of its bones.

    S = 𝐖 𝐌_c 𝐖ᵀ,    X = 𝐖 𝐌_c 𝐖̇ᵀ,    J = tr(S) 1 − S,    L_a = Σ ε_abc X_bc

𝐙 = 𝐖 𝐌_c is what a body's first moments are: with x_j the centres of mass of the bones from that of the
whole, and arms r from joint to joint (d to the bone's own centre) as they are in the reference pose,

    Z_i = Σ_k (Σ_{j below k} m_j x_j) r_kᵀ + m_i x_i d_iᵀ + W_i I_i        over the children k of bone i

one pass down the tree and one up. With W = W̃ (1 − K Kᵀ) + C, ∂S = ∂W̃ Pᵀ + P ∂W̃ᵀ, P = 𝐙 (1 − K Kᵀ).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.methods.plan.model.exponential import Turned
from poise.methods.plan.model.warp import Warp


class Moments(NamedTuple):
    """Of T instants; gradients are by the turn θ_ik and the rate θ̇_ik of each bone, flattened to 3n."""

    inertia: Array
    """J about the centre of mass [kg·m²] (T, 3, 3)."""
    angular: Array
    """L about the centre of mass [kg·m²/s] (T, 3)."""
    gradients: Array
    """(T, 12, 3n): of J's xx, xy, xz, yy, yz, zz by θ, of L by θ, and of L by θ̇."""


class Masses(NamedTuple):
    """The constants of a figure and its warp."""

    parents: IntArray
    arms: Array
    """From the parent's joint (n, 3)."""
    centres: Array
    """From the own joint (n, 3)."""
    masses: Array
    """(n,)"""
    second: Array
    """I_i: second moments of mass about the bones' own centres (n, 3, 3)."""
    keep: Array
    """Kᵀ (k, 3n)."""
    rest: Array
    """C of the bones (3, 3n)."""


class Momentum:
    """Of the poses of a warp."""

    def __init__(self, warp: Warp) -> None:
        figure = warp.figure
        bodies, parents = figure.character.bodies, figure.character.parents
        turns = figure.rotations
        inertia = turns @ np.array([b.mass.inertia for b in bodies]) @ np.swapaxes(turns, 1, 2)
        centres = np.array([b.mass.centre for b in bodies], dtype=np.float64)
        masses = np.array([b.mass.mass for b in bodies], dtype=np.float64)
        second = 0.5 * np.trace(inertia, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertia
        self._masses = Masses(
            np.ascontiguousarray(parents, dtype=np.int64),
            figure.origins - figure.origins[np.maximum(parents, 0)],
            np.einsum("nab,nb->na", turns, centres),
            masses,
            np.ascontiguousarray(second),
            np.ascontiguousarray(warp.keep.T),
            np.ascontiguousarray(warp.rest[:, 1:]),
        )

    def values(self, turns: Array, rates: Array) -> tuple[Array, Array]:
        """J (T, 3, 3) and L (T, 3) of R and Ṙ (T, n, 3, 3)."""
        idle = np.empty((0, 3, 3 * turns.shape[1]))
        return self._moments(turns, rates, idle, idle)

    def gradients(self, turned: Turned) -> Moments:
        """Everything, of turns (T, n, …)."""
        frames, n = turned.value.shape[:2]
        ahead, moving = np.empty((2, frames, 3, 3 * n))
        inertia, angular = self._moments(turned.value, turned.rate, ahead, moving)
        gradients = np.empty((frames, 12, 3 * n))
        _gradients(ahead, moving, turned.by_angle, turned.rate_by_angle, gradients)
        return Moments(inertia, angular, gradients)

    def _moments(self, turns: Array, rates: Array, ahead: Array, moving: Array) -> tuple[Array, Array]:
        inertia, angular = np.empty((len(turns), 3, 3)), np.empty((len(turns), 3))
        _moments(turns, rates, self._masses, ahead, moving, inertia, angular)
        return inertia, angular


@kernel()
def _kept(keep: Array, w: Array) -> None:
    """W ← W (1 − K Kᵀ) of (3, 3n)."""
    for k in range(len(keep)):
        for a in range(3):
            along = 0.0
            for m in range(w.shape[1]):
                along += w[a, m] * keep[k, m]
            for m in range(w.shape[1]):
                w[a, m] -= along * keep[k, m]


@kernel()
def _first_moments(w: Array, about: Masses, total: float, x: Array, below: Array, z: Array) -> None:
    """Z of W (3, 3n), either of a pose or of its rate; ``x`` and ``below`` (3, n) are scratch."""
    n = len(about.masses)
    for a in range(3):
        middle = 0.0
        for i in range(n):
            up = about.parents[i]
            place = 0.0
            if up >= 0:
                r, m = about.arms[i], 3 * up
                place = x[a, up] + w[a, m] * r[0] + w[a, m + 1] * r[1] + w[a, m + 2] * r[2]
            x[a, i] = place
            d, m = about.centres[i], 3 * i
            below[a, i] = about.masses[i] * (place + w[a, m] * d[0] + w[a, m + 1] * d[1] + w[a, m + 2] * d[2])
            middle += below[a, i]
        middle /= total
        for i in range(n):
            below[a, i] -= about.masses[i] * middle
            s, m = about.second[i], 3 * i
            for c in range(3):
                z[a, m + c] = below[a, i] * about.centres[i, c] + (
                    w[a, m] * s[0, c] + w[a, m + 1] * s[1, c] + w[a, m + 2] * s[2, c]
                )
        for i in range(n - 1, 0, -1):
            up = about.parents[i]
            for c in range(3):
                z[a, 3 * up + c] += below[a, i] * about.arms[i, c]
            below[a, up] += below[a, i]


@kernel()
def _moments(
    turns: Array, rates: Array, about: Masses, ahead: Array, moving: Array, inertia: Array, angular: Array
) -> None:
    """J and L; with room for them also P of 𝐙 and of its rate."""
    n = turns.shape[1]
    w, dw, z, dz = np.empty((3, 3 * n)), np.empty((3, 3 * n)), np.empty((3, 3 * n)), np.empty((3, 3 * n))
    x, below = np.empty((3, n)), np.empty((3, n))
    s, cross = np.empty((3, 3)), np.empty((3, 3))
    total = about.masses.sum()
    for f in range(len(turns)):
        for i in range(n):
            for a in range(3):
                for c in range(3):
                    w[a, 3 * i + c], dw[a, 3 * i + c] = turns[f, i, a, c], rates[f, i, a, c]
        _kept(about.keep, w)
        _kept(about.keep, dw)
        w += about.rest
        _first_moments(w, about, total, x, below, z)
        for a in range(3):
            for b in range(3):
                sum_s = sum_x = 0.0
                for m in range(3 * n):
                    sum_s += z[a, m] * w[b, m]
                    sum_x += z[a, m] * dw[b, m]
                s[a, b], cross[a, b] = sum_s, sum_x
        trace = s[0, 0] + s[1, 1] + s[2, 2]
        for a in range(3):
            for b in range(3):
                inertia[f, a, b] = (trace if a == b else 0.0) - 0.5 * (s[a, b] + s[b, a])
            b, c = (a + 1) % 3, (a + 2) % 3
            angular[f, a] = cross[b, c] - cross[c, b]
        if len(ahead):
            _first_moments(dw, about, total, x, below, dz)
            _kept(about.keep, z)
            _kept(about.keep, dz)
            ahead[f], moving[f] = z, dz


@kernel()
def _gradients(ahead: Array, moving: Array, turn: Array, turn_rate: Array, out: Array) -> None:
    """∂S = P ∂Rᵀ + ∂R Pᵀ,   ∂X/∂θ = ∂R Ṗᵀ + P ∂Ṙᵀ,   ∂X/∂θ̇ = P ∂Rᵀ."""
    p, x = np.empty((3, 3)), np.empty((3, 3))
    for f in range(ahead.shape[0]):
        for i in range(turn.shape[1]):
            for k in range(3):
                column = 3 * i + k
                for a in range(3):
                    for b in range(3):
                        sum_p = sum_x = 0.0
                        for c in range(3):
                            sum_p += ahead[f, a, 3 * i + c] * turn[f, i, k, b, c]
                            sum_x += (
                                turn[f, i, k, a, c] * moving[f, b, 3 * i + c]
                                + ahead[f, a, 3 * i + c] * turn_rate[f, i, k, b, c]
                            )
                        p[a, b], x[a, b] = sum_p, sum_x
                out[f, 0, column] = 2 * (p[1, 1] + p[2, 2])
                out[f, 1, column] = -p[0, 1] - p[1, 0]
                out[f, 2, column] = -p[0, 2] - p[2, 0]
                out[f, 3, column] = 2 * (p[0, 0] + p[2, 2])
                out[f, 4, column] = -p[1, 2] - p[2, 1]
                out[f, 5, column] = 2 * (p[0, 0] + p[1, 1])
                for a in range(3):
                    b, c = (a + 1) % 3, (a + 2) % 3
                    out[f, 6 + a, column] = x[b, c] - x[c, b]
                    out[f, 9 + a, column] = p[b, c] - p[c, b]
