"""Wiggly splines of all modes at once, told by what they cost.

Between nodes t_0 < … < t_m every modal coordinate is steered by the least force
(:mod:`poise.curves.oscillator`):

    x_k = Φ_k x_{k−1} + L_k z_k,       E = ½ Σ |z_k|²,       x = (ω, ω̇) of a mode

The whitened z are the unknowns, two per mode and piece. Only the slow modes are steered; the others swing by
themselves (z = 0), so a motion that starts from any state starts there exactly. A *hard end* (all modes at
rest in the reference pose) is met by all modes: z = z_p + N y with orthonormal N, E = ½|z_p|² + ½|y|².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.curves.oscillator import Oscillation, oscillation, transition


class Sampled(NamedTuple):
    """States of modes at T instants: ``fixed`` + ``by_unknown`` · y."""

    fixed: Array
    """(T, modes, 2)."""
    by_unknown: Array
    """(T, steered, 2, d): a mode depends on its own d unknowns only."""


class ModalSpline:
    """Splines through the nodes [s] (m + 1,) from a state (modes, 2); the first ``steered`` modes are
    free.
    """

    def __init__(
        self, stiffness: Array, damping: Array, nodes: Array, start: Array, steered: int, *, hard_end: bool
    ) -> None:
        self.stiffness, self.damping, self.nodes, self.start = stiffness, damping, nodes, start
        self.steered = steered
        pieces, modes = len(nodes) - 1, len(stiffness)
        whole = [oscillation(stiffness, damping, t) for t in np.diff(nodes)]
        self._factors = [o.factor for o in whole]
        self._backs = [np.linalg.inv(f).swapaxes(1, 2) for f in self._factors]  # L⁻ᵀ
        state, by_z = start, np.zeros((modes, 2, 2 * pieces))
        self._fixed, self._by_z = [state], [by_z]
        for k, (piece, factor) in enumerate(zip(whole, self._factors)):
            state = np.einsum("nab,nb->na", piece.transition, state)
            by_z = piece.transition @ by_z
            by_z[:, :, 2 * k : 2 * k + 2] += factor
            self._fixed.append(state)
            self._by_z.append(by_z)
        self._particular = np.zeros((modes, 2 * pieces))
        self._free = np.tile(np.eye(2 * pieces), (steered, 1, 1))  # N (steered, 2m, d)
        if hard_end:
            self._particular = np.einsum("nab,nb->na", np.linalg.pinv(by_z), -state)
            q = np.linalg.qr(by_z[:steered].swapaxes(1, 2), mode="complete")[0]
            self._free = q[:, :, 2:]

    @property
    def size(self) -> int:
        """Number of unknowns y."""
        return self.steered * self._free.shape[2]

    @property
    def given_effort(self) -> float:
        """The part of E that does not depend on y."""
        return 0.5 * float((self._particular**2).sum())

    def controls(self, y: Array) -> Array:
        """z (modes, 2m) of unknowns y."""
        out = self._particular.copy()
        out[: self.steered] += np.einsum("nzd,nd->nz", self._free, y.reshape(self.steered, -1))
        return out

    def sample(self, times: Array) -> Sampled:
        """How states depend on the unknowns at the times [s] (T,)."""
        modes, low = len(self.stiffness), self.steered
        fixed = np.empty((len(times), modes, 2))
        by_unknown = np.empty((len(times), low, 2, self._free.shape[2]))
        for k, chosen, so_far, ahead in self._pieces(times):
            start = self._fixed[k] + np.einsum("nab,nb->na", self._by_z[k], self._particular)
            own = self._particular[:, 2 * k : 2 * k + 2]
            fixed[chosen] = np.einsum("tnab,nb->tna", so_far.transition, start)
            fixed[chosen] += np.einsum("tnab,nb->tna", ahead, own)
            by_z = so_far.transition[:, :low] @ self._by_z[k][:low]
            by_z[..., 2 * k : 2 * k + 2] += ahead[:, :low]
            by_unknown[chosen] = by_z @ self._free
        return Sampled(fixed, by_unknown)

    def states(self, times: Array, y: Array) -> Array:
        """States (T, modes, 2) for unknowns y."""
        z = self.controls(y)
        out = np.empty((len(times), len(self.stiffness), 2))
        for k, chosen, so_far, ahead in self._pieces(times):
            start = self._fixed[k] + np.einsum("nab,nb->na", self._by_z[k], z)
            out[chosen] = np.einsum("tnab,nb->tna", so_far.transition, start)
            out[chosen] += np.einsum("tnab,nb->tna", ahead, z[:, 2 * k : 2 * k + 2])
        return out

    def forces(self, times: Array, y: Array) -> Array:
        """Steering forces (T, modes) for unknowns y."""
        z = self.controls(y)
        out = np.zeros((len(times), len(self.stiffness)))
        for k, chosen, _, _ in self._pieces(times):
            left = np.maximum(self.nodes[k + 1] - times[chosen], 0)[:, None]
            to_go = transition(self.stiffness, self.damping, left)
            costate = np.einsum("nab,nb->na", self._backs[k], z[:, 2 * k : 2 * k + 2])
            out[chosen] = np.einsum("tnba,nb->tna", to_go, costate)[..., 1]
        return out

    def _pieces(self, times: Array) -> list[tuple[int, IntArray, Oscillation, Array]]:
        """Per piece: its number, which times lie in it, the oscillation so far, and the effect of its z."""
        index = np.clip(np.searchsorted(self.nodes, times, side="left") - 1, 0, len(self.nodes) - 2)
        found = []
        for k in np.unique(index).tolist():
            chosen = np.flatnonzero(index == k)
            passed = (times[chosen] - self.nodes[k])[:, None]
            so_far = oscillation(self.stiffness, self.damping, passed)
            left = np.maximum(self.nodes[k + 1] - self.nodes[k] - passed, 0.0)
            to_go = transition(self.stiffness, self.damping, left)
            ahead = so_far.gramian @ (to_go.swapaxes(-1, -2) @ self._backs[k])
            found.append((k, chosen, so_far, ahead))
        return found
