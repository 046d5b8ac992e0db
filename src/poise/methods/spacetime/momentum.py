"""Second moment of mass and angular momentum of a warped figure, with derivatives by the turns of its bones.

    S = 𝐖 𝐌_c 𝐖ᵀ,    X = 𝐖 𝐌_c 𝐖̇ᵀ,    L_a = Σ ε_abc X_bc,    J = tr(S) 1 − S

With 𝐖 = 𝐖̃ Q + C the constant matrices are Q 𝐌_c Qᵀ, C 𝐌_c Qᵀ and C 𝐌_c Cᵀ, formed once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
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
        blocks = (frames, 3, n, 3)
        p = np.swapaxes(ahead.reshape(blocks), 1, 2)[:, :, None]  # (T, n, 1, 3, 3)
        z = np.swapaxes(moving.reshape(blocks), 1, 2)[:, :, None]
        turn, turn_rate = turned.by_angle, turned.rate_by_angle  # (T, n, k, 3, 3)
        by_second = p @ np.swapaxes(turn, -1, -2)
        by_angle = turn @ np.swapaxes(z, -1, -2) + p @ np.swapaxes(turn_rate, -1, -2)
        return Moments(
            second,
            angular,
            np.moveaxis((by_second + np.swapaxes(by_second, -1, -2)).reshape(frames, 3 * n, 3, 3), 1, 3),
            np.moveaxis(_skew(by_angle).reshape(frames, 3 * n, 3), 1, 2),
            np.moveaxis(_skew(by_second).reshape(frames, 3 * n, 3), 1, 2),
        )

    def _second(self, w: Array, ahead: Array) -> Array:
        # 𝐖 𝐌_c 𝐖ᵀ = (𝐖 𝐌_c Qᵀ) 𝐖̃ᵀ + (𝐖̃ Q + C) 𝐌_c Cᵀ
        return ahead @ np.swapaxes(w, 1, 2) + w @ self._cross.T + self._outer


def _skew(x: Array) -> Array:
    """Σ ε_abc X_bc, (…, 3)."""
    return np.stack(
        [x[..., 1, 2] - x[..., 2, 1], x[..., 2, 0] - x[..., 0, 2], x[..., 0, 1] - x[..., 1, 0]], axis=-1
    )
