"""How a body turns as a whole in free flight while its shape moves.

A motion with inertia I and angular momentum h about its centre of mass, turned by R about that centre, has
the momentum H = R (I Ω + h), where Ω is R's rate in its own frame. Nothing but gravity acts, so H is
constant:

    R′ = R [Ω]×,    Ω = I⁻¹ (Rᵀ H − h)                       in the plane: α′ = (H − h)/I

In space y = Rᵀ H obeys an equation of its own, y′ = y × Ω(y). Both are solved by Gauss collocation with s
stages, of order 2s: first y, step by step; then σ in R = R_k exp(σ), σ′ = J_r(σ)⁻¹ Ω, all steps at once. The
collocation polynomial of σ is the value between steps, so R may be asked for at any time and is a rotation to
rounding.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from poise.arrays import Array
from poise.compilation import kernel
from poise.errors import InputError
from poise.manifold import so3
from poise.methods.key.spin.inertia_history import InertiaHistory

STAGES = 8
"""Of the Gauss collocation, of order 16."""
STEP = 0.5
"""Most a step may turn by [rad], reckoned by |I⁻¹| (|H| + |h|)."""
LEAST_STEPS = 4
"""To a panel: what the motion does within a panel takes more than one step to follow."""


class Tableau(NamedTuple):
    """Gauss's points on [0, 1] and what integrates polynomials given there."""

    c: Array  # (s,)
    b: Array  # (s,) ∫₀¹
    a: Array  # (s, s) ∫₀^{c_i}
    series: Array  # (s + 1, s): Legendre coefficients of ∫₀^c of each Lagrange polynomial

    def upto(self, c: Array) -> Array:
        """Weights of ∫₀^c (T, s) for any c in [0, 1]."""
        weights: Array = legendre.legvander(2 * c - 1, len(self.c)) @ self.series
        return weights


@lru_cache
def gauss(stages: int) -> Tableau:
    """Gauss–Legendre collocation."""
    x, weights = legendre.leggauss(stages)
    lagrange = np.linalg.inv(legendre.legvander(x, stages - 1))  # (degree, stage)
    series = legendre.legint(lagrange, lbnd=-1, axis=0) / 2
    return Tableau((x + 1) / 2, weights / 2, legendre.legvander(x, stages) @ series, series)


class SpatialRotation:
    """R(t) of B momenta at once, from a common start."""

    def __init__(self, times: Array, turns: Array, rates: Array) -> None:
        self.times = times
        """Ends of the steps [s] (S + 1,)."""
        self.turns = turns
        """R there (S + 1, B, 4); the sign of the quaternion is continuous, so it counts half turns."""
        self._rates = rates  # (S, s, B, 3): σ′ at the stages

    def at(self, times: Array, which: int = 0) -> Array:
        """Quaternions of one momentum at times (T, 4)."""
        t = np.clip(times, self.times[0], self.times[-1])
        step = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        length = self.times[step + 1] - self.times[step]
        tableau = gauss(self._rates.shape[1])
        weights = tableau.upto((t - self.times[step]) / length)
        sigma = length[:, None] * np.einsum("ts,tsi->ti", weights, self._rates[step, :, which])
        return so3.multiply(self.turns[step, which], so3.exp(sigma))

    def swept(self, which: int = 0) -> Array:
        """∫ ω dt in world axes [rad] (3,): how far it turned about each, whole turns counted."""
        tableau, length = gauss(self._rates.shape[1]), np.diff(self.times)
        sigma = length[:, None, None] * np.einsum("ij,njk->nik", tableau.a, self._rates[:, :, which])
        rate = np.einsum("nsij,nsj->nsi", so3.right_jacobian(sigma), self._rates[:, :, which])
        world = so3.rotate(so3.multiply(self.turns[:-1, which][:, None], so3.exp(sigma)), rate)
        total: Array = np.einsum("n,s,nsi->i", length, tableau.b, world)
        return total


def spatial(
    history: InertiaHistory, momenta: Array, start: Array, *, stages: int = STAGES, refine: float = 1.0
) -> SpatialRotation:
    """R(t) with R = ``start`` (4,) at first, for momenta (B, 3); ``refine`` divides the steps."""
    times = step_times(history, float(np.linalg.norm(momenta, axis=1).max()), refine)
    tableau, length = gauss(stages), np.diff(times)
    inertia, own = history.at((times[:-1, None] + length[:, None] * tableau.c).ravel())
    rate = np.empty((len(length), stages, len(momenta), 3))  # Ω at the stages
    inverse: Array = np.linalg.inv(inertia).reshape(len(length), stages, 3, 3).astype(np.float64)
    first = np.ascontiguousarray(so3.rotate(so3.conjugate(start), momenta))  # (B, 3)
    own = np.ascontiguousarray(own.reshape(len(length), stages, 3))
    if not _body_rates(length, inverse, own, first, tableau.a, tableau.b, rate):
        raise InputError("the body turns too fast for its rotation to be followed: check its masses")
    return _wound(times, rate, np.broadcast_to(start, (len(momenta), 4)))


@kernel()
def _body_rates(
    length: Array, inverse: Array, own: Array, first: Array, a: Array, b: Array, rate: Array
) -> bool:
    """Solve y′ = y × Ω, Ω = I⁻¹ (y − h), step by step for each y at first (B, 3); Ω into ``rate``."""
    stages = len(b)
    slopes, new, inner = np.zeros((stages, 3)), np.zeros((stages, 3)), np.zeros(3)
    for k in range(len(first)):
        y = first[k].copy()
        scale = abs(y[0]) + abs(y[1]) + abs(y[2]) + 1e-300
        slopes[:] = 0.0  # those of one step are the next one's first guess
        for n in range(len(length)):
            settled = False
            for _ in range(60):
                change = 0.0
                for i in range(stages):
                    for c in range(3):
                        inner[c] = y[c]
                        for j in range(stages):
                            inner[c] += length[n] * a[i, j] * slopes[j, c]
                    w = rate[n, i, k]
                    for c in range(3):
                        w[c] = 0.0
                        for d in range(3):
                            w[c] += inverse[n, i, c, d] * (inner[d] - own[n, i, d])
                    new[i, 0] = inner[1] * w[2] - inner[2] * w[1]
                    new[i, 1] = inner[2] * w[0] - inner[0] * w[2]
                    new[i, 2] = inner[0] * w[1] - inner[1] * w[0]
                    for c in range(3):
                        change = max(change, abs(new[i, c] - slopes[i, c]))
                slopes[:] = new
                if change * length[n] <= 1e-15 * scale:
                    settled = True
                    break
            if not settled:
                return False
            for c in range(3):
                for j in range(stages):
                    y[c] += length[n] * b[j] * slopes[j, c]
    return True


def _wound(times: Array, rate: Array, start: Array) -> SpatialRotation:
    """R from its rate in its own frame at the stages (S, s, B, 3)."""
    tableau, length = gauss(rate.shape[1]), np.diff(times)[:, None, None, None]
    slopes = rate
    for _ in range(60):
        sigma = length * np.einsum("ij,njbk->nibk", tableau.a, slopes)
        new = np.einsum("nsbij,nsbj->nsbi", so3.right_jacobian_inverse(sigma), rate)
        settled = np.abs(length * (new - slopes)).max() <= 2e-16
        slopes = new
        if settled:
            break
    steps = so3.exp(length[:, 0] * np.einsum("j,njbk->nbk", tableau.b, slopes))  # (S, B, 4)
    turns = [start]
    for step in steps:
        turns.append(so3.normalise(so3.multiply(turns[-1], step)))
    return SpatialRotation(times, np.stack(turns), slopes)


def step_times(history: InertiaHistory, momentum: float, refine: float) -> Array:
    """Ends of steps, several to a panel: short enough that no step turns by more than ``STEP``."""
    edges = history.edges
    inside = edges[:-1, None] + np.diff(edges)[:, None] * np.linspace(0, 1, 5)
    inertia, own = history.at(inside.ravel())
    bound = (momentum + np.linalg.norm(own, axis=1)) / np.linalg.eigvalsh(inertia)[:, 0]
    fastest = bound.reshape(inside.shape).max(axis=1)
    coarse = np.ceil(np.maximum(fastest * np.diff(edges) / STEP, LEAST_STEPS))
    counts = np.ceil(refine * coarse).astype(int)
    parts = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(edges, edges[1:], counts)]
    return np.append(np.concatenate(parts), edges[-1])


class PlanarRotation:
    """α(t) = α_s + H ∫dt/I − ∫h/I dt about y: linear in H, so an end angle gives H at once."""

    def __init__(self, history: InertiaHistory, *, stages: int = 12) -> None:
        tableau, edges = gauss(stages), history.edges
        self.times, length = edges, np.diff(edges)
        inertia, own = history.at((edges[:-1, None] + length[:, None] * tableau.c).ravel())
        ease = (1 / inertia[:, 1, 1]).reshape(-1, stages)
        drift = ease * own[:, 1].reshape(-1, stages)
        self._rates = np.stack([ease, drift], axis=2)  # (P, s, 2)
        sums = length[:, None] * np.einsum("s,psk->pk", tableau.b, self._rates)
        self._sums = np.concatenate([np.zeros((1, 2)), np.cumsum(sums, axis=0)])

    def momentum_for(self, angle: float) -> float:
        """The momentum about y [kg·m²/s] that turns the body by an angle [rad] from start to end."""
        ease, drift = self._sums[-1]
        return float((angle + drift) / ease)

    def at(self, times: Array, momentum: float) -> Array:
        """Angles since the start [rad] (T,)."""
        t = np.clip(times, self.times[0], self.times[-1])
        panel = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        length = self.times[panel + 1] - self.times[panel]
        tableau = gauss(self._rates.shape[1])
        weights = tableau.upto((t - self.times[panel]) / length)
        parts = self._sums[panel] + length[:, None] * np.einsum("ts,tsk->tk", weights, self._rates[panel])
        angles: Array = momentum * parts[:, 0] - parts[:, 1]
        return angles
