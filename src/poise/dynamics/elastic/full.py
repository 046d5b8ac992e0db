"""Full corotational dynamics of every node, for comparison: exact where the small model is an approximation.

Implicit midpoint steps (second order, no damping of its own) in the bone's frame,

    M (v⁺ − v)/h + C v̄ + f(u + h/2 v̄) + M (2 ω×v̄ + α×r̄ + S r̄ + s) = 0,     v⁺ = 2 v̄ − v,  u⁺ = u + h v̄

solved by Newton's method with a factorisation that is kept for as long as it serves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array
from poise.dynamics.elastic.body import ElasticBody, factorised
from poise.dynamics.elastic.inertia import Drive, fields
from poise.dynamics.modal import Rayleigh
from poise.errors import InputError
from poise.gravity import EARTH


class FullSimulation:
    """Steps of a body; ``u`` and ``v`` (n, 3) are its state in the bone's frame.

    A step is solved when forces are off by less than ``close`` of the weight.
    """

    def __init__(
        self, body: ElasticBody, damping: Rayleigh, sag: Array, h: float, *, close: float = 1e-11
    ) -> None:
        self.body, self.damping, self.h, self.close = body, damping, h, close
        self.u, self.v = sag.copy(), np.zeros_like(sag)
        self._still = body.stiffness(sag)
        self._mass = body.mass
        self._gain = np.zeros_like(sag)
        self._solver: Any = None
        self.factorisations = 0

    def _factor(self, u: Array) -> None:
        h, c = self.h, self.damping
        tangent = self.body.stiffness(u)
        system = (2 / h + c.mass) * self.body.free_mass + c.stiffness * self._still + 0.5 * h * tangent
        self._solver = factorised(system.tocsc())
        self.factorisations += 1

    def _residual(self, mean: Array, channels: Array, spin: Array) -> Array:
        body, h, c = self.body, self.h, self.damping
        u = self.u + 0.5 * h * mean
        push = np.tensordot(channels, fields(body.nodes + u), 1)
        accelerations = 2 / h * (mean - self.v) + c.mass * mean + 2 * np.cross(spin, mean) + push
        drag = np.zeros_like(mean)
        drag[body.free] = c.stiffness * (self._still @ mean[body.free].ravel()).reshape(-1, 3)
        return (self._mass @ accelerations + drag + body.force(u))[body.free]

    def step(self, channels: Array, spin: Array) -> None:
        """One step under a drive (12,) and a spin (3,)."""
        body, h = self.body, self.h
        mean, last = self.v + self._gain, np.inf
        # By the speed of the mass, not of nodes in cells that hardly hold any: those would ring, and the more
        # they ring the more would be let pass.
        mass = float(np.abs(self._mass.diagonal()).sum())
        speed = np.sqrt(float((self.v * (self._mass @ self.v)).sum()) / mass)
        weight = mass * (EARTH + speed / h)
        for _ in range(60):
            residual = self._residual(mean, channels, spin)
            off = float(np.linalg.norm(residual))
            if off < self.close * weight:
                break
            if self._solver is None or off > 0.4 * last:
                self._factor(self.u + 0.5 * h * mean)
            mean[body.free] -= self._solver.solve(residual.ravel()).reshape(-1, 3)
            last = off
        else:
            raise InputError(f"full dynamics does not converge in steps of {h:g} s")
        self._gain = mean - self.v  # about as much again: half a step's change of velocity
        self.u = self.u + h * mean
        self.v = 2 * mean - self.v

    def run(self, drive: Drive, every: int = 1) -> Array:
        """Displacements at the start and after each ``every`` steps, (K + 1, n, 3)."""
        out = [self.u.copy()]
        for k in range(len(drive.spin)):
            self.step(drive.channels[k], drive.spin[k])
            if (k + 1) % every == 0:
                out.append(self.u.copy())
        return np.array(out)
