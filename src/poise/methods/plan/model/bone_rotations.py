"""How bones turn at some instants, as the unknowns of the splines say.

    θ(t) = Θ̂ ω(t) + e(t),        θ̇(t) = Θ̂ ω̇(t) + ė(t)

A mode's state depends on its own unknowns only, and linearly: what keys and bounds know of θ they know of the
unknowns times a few numbers per mode.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.methods.plan.model.start_state import Stretch


class BoneTurns:
    """Of a segment, at times [s] (T,)."""

    def __init__(self, stretch: Stretch, times: Array) -> None:
        footing, spline, start, duration = stretch
        sampled = spline.sample(times)
        self.by_unknown = sampled.by_unknown
        """∂(ω, ω̇)/∂y of the steered modes, (T, low, 2, d)."""
        self.turning = np.ascontiguousarray(footing.turning[:, : spline.steered])
        """Θ̂ of the steered modes, (3n, low)."""
        base = np.moveaxis(sampled.fixed, 2, 0) @ footing.turning.T  # (2, T, 3n)
        left = np.stack(start.left_over(times, duration))  # (2, T, n, 3)
        self.fixed = base.reshape(left.shape) + left
        """θ and θ̇ where all unknowns vanish, (2, T, n, 3)."""

    @cached_property
    def place_by_unknown(self) -> Array:
        """∂ω/∂y, (T, low, d)."""
        return np.ascontiguousarray(self.by_unknown[:, :, 0])

    def at(self, y: Array) -> Array:
        """θ and θ̇ (2, T, n, 3)."""
        states = np.einsum("tnad,nd->atn", self.by_unknown, self._by_mode(y))
        return np.asarray(self.fixed + (states @ self.turning.T).reshape(self.fixed.shape))

    def angles(self, y: Array) -> Array:
        """θ alone (T, n, 3)."""
        return np.asarray(self.fixed[0] + self._moved(y))

    def largest(self, step: Array) -> float:
        """The largest turn of a bone that a step of the unknowns makes at any instant [rad]."""
        return float(np.sqrt((self._moved(step) ** 2).sum(axis=2).max(initial=0.0)))

    def _moved(self, y: Array) -> Array:
        moved = np.einsum("tnd,nd->tn", self.place_by_unknown, self._by_mode(y))
        return (moved @ self.turning.T).reshape(self.fixed.shape[1:])

    def _by_mode(self, y: Array) -> Array:
        return y.reshape(self.by_unknown.shape[1], -1)
