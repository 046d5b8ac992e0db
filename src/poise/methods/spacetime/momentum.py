"""Second moment of mass and angular momentum of a warped figure, with derivatives by the turns of its bones.

    S = 𝐖 𝐌_c 𝐖ᵀ,    X = 𝐖 𝐌_c 𝐖̇ᵀ,    L_a = Σ ε_abc X_bc,    J = tr(S) 1 − S

With 𝐖 = 𝐖̃ Q + C the constant matrices are Q 𝐌_c Qᵀ, C 𝐌_c Qᵀ and C 𝐌_c Cᵀ, formed once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.methods.spacetime.exponential import Turned
from poise.methods.spacetime.warp import Warp, side_by_side


class Moments(NamedTuple):
    """Of T instants; gradients are by the turn θ_ik and the rate θ̇_ik of each bone, flattened to 3n."""

    second: Array
    """S [kg·m²] (T, 3, 3)."""
    angular: Array
    """L about the centre of mass [kg·m²/s] (T, 3)."""
    second_by_angle: Array
    """(T, 3, 3, 3n)."""
    angular_by_angle: Array
    """(T, 3, 3n)."""
    angular_by_rate: Array
    """(T, 3, 3n)."""

    @property
    def inertia(self) -> Array:
        """J (T, 3, 3)."""
        return inertia_of(self.second)

    @property
    def inertia_by_angle(self) -> Array:
        """(T, 3, 3, 3n)."""
        trace = np.trace(self.second_by_angle, axis1=1, axis2=2)
        return np.eye(3)[:, :, None] * trace[:, None, None] - self.second_by_angle


def inertia_of(second: Array) -> Array:
    """tr(S) 1 − S, (…, 3, 3)."""
    return np.trace(second, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - second


class Momentum:
    """The constant matrices of a warp."""

    def __init__(self, warp: Warp) -> None:
        mass = warp.figure.centred_mass
        half = mass @ warp.spread.T  # 𝐌_c Qᵀ (1 + 3n, 3n)
        self._inner = warp.spread @ half
        self._cross = warp.rest @ half
        self._outer = warp.rest @ mass @ warp.rest.T

    def values(self, turns: Array, rates: Array) -> tuple[Array, Array]:
        """S (T, 3, 3) and L (T, 3) of R and Ṙ (T, n, 3, 3)."""
        w, dw = side_by_side(turns), side_by_side(rates)
        ahead = w @ self._inner + self._cross  # 𝐖 𝐌_c Qᵀ (T, 3, 3n)
        return self._second(w, ahead), _skew(ahead @ np.swapaxes(dw, 1, 2))

    def gradients(self, turned: Turned) -> Moments:
        """Everything, of turns (T, n, …)."""
        w, dw = side_by_side(turned.value), side_by_side(turned.rate)
        frames, n = turned.value.shape[:2]
        both = np.concatenate([w, dw]) @ self._inner
        ahead, moving = both[:frames] + self._cross, both[frames:]  # 𝐖 𝐌_c Qᵀ, 𝐖̇ 𝐌_c Qᵀ
        second, angular = self._second(w, ahead), _skew(ahead @ np.swapaxes(dw, 1, 2))
        by_second = np.empty((frames, 3, 3, 3 * n))
        by_angle, by_rate = np.empty((2, frames, 3, 3 * n))
        _gradients(ahead, moving, turned.by_angle, turned.rate_by_angle, by_second, by_angle, by_rate)
        return Moments(second, angular, by_second, by_angle, by_rate)

    def _second(self, w: Array, ahead: Array) -> Array:
        # 𝐖 𝐌_c 𝐖ᵀ = (𝐖 𝐌_c Qᵀ) 𝐖̃ᵀ + (𝐖̃ Q + C) 𝐌_c Cᵀ
        return ahead @ np.swapaxes(w, 1, 2) + w @ self._cross.T + self._outer


def _skew(x: Array) -> Array:
    """Σ ε_abc X_bc, (…, 3)."""
    return np.stack(
        [x[..., 1, 2] - x[..., 2, 1], x[..., 2, 0] - x[..., 0, 2], x[..., 0, 1] - x[..., 1, 0]], axis=-1
    )


@kernel()
def _gradients(
    ahead: Array, moving: Array, turn: Array, turn_rate: Array, second: Array, by_angle: Array, by_rate: Array
) -> None:
    """∂S = P ∂Rᵀ + ∂R Pᵀ,   ∂X/∂θ = ∂R Zᵀ + P ∂Ṙᵀ,   ∂X/∂θ̇ = P ∂Rᵀ, with blocks P of 𝐖 𝐌_c Qᵀ and Z of its
    rate.
    """
    p, x = np.empty((3, 3)), np.empty((3, 3))
    for f in range(ahead.shape[0]):
        for i in range(turn.shape[1]):
            first = 3 * i
            for k in range(3):
                column = first + k
                for a in range(3):
                    for b in range(3):
                        sum_p = sum_x = 0.0
                        for c in range(3):
                            r = turn[f, i, k, b, c]
                            sum_p += ahead[f, a, first + c] * r
                            sum_x += (
                                turn[f, i, k, a, c] * moving[f, b, first + c]
                                + ahead[f, a, first + c] * turn_rate[f, i, k, b, c]
                            )
                        p[a, b], x[a, b] = sum_p, sum_x
                for a in range(3):
                    for b in range(3):
                        second[f, a, b, column] = p[a, b] + p[b, a]
                    b, c = (a + 1) % 3, (a + 2) % 3
                    by_angle[f, a, column] = x[b, c] - x[c, b]
                    by_rate[f, a, column] = p[b, c] - p[c, b]
