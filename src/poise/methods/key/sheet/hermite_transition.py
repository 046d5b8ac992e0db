"""A way on a manifold from one value and velocity to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.manifold import ProductManifold
from poise.methods.key.sheet.easing import tangent_rates


@dataclass(frozen=True, eq=False)
class Way:
    """A curve base ⊕ f(t) from ``start`` to ``end`` [s], with the given values and velocities there.

    With the first value as base it is geodesic. Joint limits bound f from the neutral pose: with that as base
    a joint that is within them at both ends stays so, and goes round where the shorter way would break them.
    """

    manifold: ProductManifold
    start: float
    end: float
    base: Array
    first: Array
    last: Array
    """(nq,)"""
    leave: Array
    arrive: Array
    """(nv,), each in its own end's tangent space."""
    settle: float
    """How long the velocities are felt [s]; as long as the way is, it is a cubic."""

    def at(self, times: Array) -> Array:
        """(T, nq)"""
        ends = self.manifold.minus(np.stack([self.first, self.last]), self.base)
        rates = self.settle * tangent_rates(self.manifold, ends, np.stack([self.leave, self.arrive]))
        x = ((times - self.start) / (self.end - self.start))[:, None]
        y, z = (np.minimum(t / self.settle, 1.0)[:, None] for t in (times - self.start, self.end - times))
        f = ends[0] + x * x * (3 - 2 * x) * (ends[1] - ends[0])
        f = f + y * (1 - y) ** 2 * rates[0] - z * (1 - z) ** 2 * rates[1]
        return self.manifold.plus(np.repeat(self.base[None], len(times), axis=0), f)
