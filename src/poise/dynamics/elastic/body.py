"""An elastic body: a lattice with a material, held by some of its nodes or by an elastic bed.

    M ü + C u̇ + f(u) = load,     f corotated elasticity and B u of the bed, C = α M + β K (Rayleigh)

Displacements u (n, 3) are of all nodes, in the frame the body is held in; rows of held nodes stay zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked
from poise.dynamics.elastic.corotational import gather_forces, tangents
from poise.dynamics.elastic.lattice import VOID, Lattice
from poise.dynamics.elastic.material import Material
from poise.dynamics.modal import Rayleigh
from poise.errors import InputError

CLOSE = 1e-10
"""A shape is in balance when forces are off by less than this part of the load."""


@dataclass(frozen=True, eq=False)
class ElasticBody:
    """Finite elements of one soft body."""

    lattice: Lattice
    material: Material
    held: IntArray
    """Nodes that do not move, (h,)."""
    bed: Any = None
    """B [N/m], springs between displacements and nothing, sparse (n, n): the same for x, y and z."""

    @property
    def nodes(self) -> Array:
        """Places at rest [m], (n, 3)."""
        return self.lattice.nodes

    @cached_property
    def free(self) -> IntArray:
        """Nodes that move."""
        moving = np.ones(len(self.nodes), dtype=bool)
        moving[self.held] = False
        return np.flatnonzero(moving)

    @cached_property
    def mass(self) -> Any:
        """Consistent mass of the nodes [kg], sparse (n, n): the same for x, y and z."""
        return self.lattice.gram(np.array(self.material.density))

    @property
    def total_mass(self) -> float:
        """[kg]."""
        return self.material.density * self.lattice.volume

    def force(self, u: Array) -> Array:
        """Internal forces f(u) [N], (n, 3)."""
        return self._elastic(u)[0]

    def energy(self, u: Array) -> float:
        """Elastic energy [J]."""
        return self._elastic(u)[1]

    def _elastic(self, u: Array) -> tuple[Array, float]:
        lattice, (lam, mu) = self.lattice, self.material.lame
        out = np.zeros(self.nodes.shape)
        energy = gather_forces(
            np.ascontiguousarray(u), lattice.element_nodes, lattice.fill, lattice.weights, lattice.gradients,
            lam, mu, VOID, out,
        )  # fmt: skip
        if self.bed is not None:
            pulled = self.bed @ u
            out += pulled
            energy += 0.5 * float((u * pulled).sum())
        return out, float(energy)

    def stiffness(self, u: Array | None = None) -> Any:
        """∂f/∂u at u (at rest) over the free nodes [N/m], sparse (3 free, 3 free); x, y, z side by side."""
        from scipy.sparse import coo_matrix, eye, kron

        lattice, (lam, mu) = self.lattice, self.material.lame
        count, points = lattice.fill.shape
        moduli = np.empty((count, points, 9, 9))
        at = np.zeros(self.nodes.shape) if u is None else np.ascontiguousarray(u)
        tangents(at, lattice.element_nodes, lattice.fill, lattice.gradients, lam, mu, VOID, moduli)
        moduli *= lattice.weights[:, None, None]
        g = lattice.gradients  # (Q, 20, 3)
        by_place = np.ascontiguousarray(g.transpose(0, 2, 1))  # (Q, 3, 20)
        nodes = np.ascontiguousarray(g.transpose(1, 2, 0).reshape(20, 3 * points))
        # K[ai, bk] = Σ_q Σ_jl g_aj A_ij,kl g_bl, cell by cell.
        blocks = np.empty((count, 20, 3, 3, 20))
        for c, a in enumerate(moduli.reshape(count, points, 3, 3, 3, 3)):
            half = np.ascontiguousarray(a.transpose(2, 0, 1, 3, 4)).reshape(3, points, 9, 3) @ by_place
            blocks[c] = (nodes @ half.reshape(3 * points, 180)).reshape(20, 3, 3, 20)
        blocks = blocks.swapaxes(3, 4)
        number = np.full(len(self.nodes), -1)
        number[self.free] = np.arange(len(self.free))
        dofs = (3 * number[lattice.element_nodes][:, :, None] + np.arange(3)).reshape(count, 60)
        dofs[np.repeat(number[lattice.element_nodes] < 0, 3, axis=1)] = -1
        rows, columns = np.repeat(dofs, 60, axis=1).ravel(), np.tile(dofs, (1, 60)).ravel()
        keep = (rows >= 0) & (columns >= 0)
        size = 3 * len(self.free)
        found = coo_matrix((blocks.ravel()[keep], (rows[keep], columns[keep])), shape=(size, size)).tocsc()
        return found if self.bed is None else found + kron(self.bed[self.free][:, self.free], eye(3)).tocsc()

    @cached_property
    def free_mass(self) -> Any:
        """Mass over the free nodes, x, y, z of a node adjacent, sparse (3 free, 3 free)."""
        from scipy.sparse import eye, kron

        return kron(self.mass[self.free][:, self.free], eye(3)).tocsc()

    def weight(self, gravity: ArrayLike) -> Array:
        """Forces of gravity [m/s²] on the nodes [N], (n, 3)."""
        g = checked(gravity, "gravity", (3,))
        return np.asarray(self.mass.sum(axis=1)).reshape(-1, 1) * g

    def balance(self, load: Array, start: Array | None = None) -> Array:
        """The shape in which internal forces carry a load (n, 3) [N]; in parts where it must be."""
        u = np.zeros(self.nodes.shape) if start is None else start.copy()
        done, part = 0.0, 1.0
        while done < 1.0:
            part = min(part, 1.0 - done)
            found = self._newton(u, (done + part) * load)
            if found is None:
                part *= 0.5
                if part < 1 / 64:
                    raise InputError(
                        f"the soft body collapses under its own weight (at {100 * done:.0f} % of it): give a "
                        f"larger Young's modulus than {self.material.young:g} Pa, or less density"
                    )
                continue
            u, done = found, done + part
        return u

    def _newton(self, u: Array, load: Array) -> Array | None:
        size = float(np.linalg.norm(load)) or 1.0
        off = np.inf
        for _ in range(20):
            residual = (load - self.force(u))[self.free]
            last, off = off, float(np.linalg.norm(residual)) / size
            if off < CLOSE or (off < 1e-7 and off > 0.5 * last):
                return u
            if not np.isfinite(off) or off > 1e3:
                return None
            step = factorised(self.stiffness(u)).solve(residual.ravel()).reshape(-1, 3)
            u = u.copy()
            u[self.free] += step
        return None


def factorised(matrix: Any) -> Any:
    """A sparse symmetric matrix (csc), ready to ``solve``.

    Ordered as symmetric and without pivoting it fills a third as much: four times as quick.
    """
    from scipy.sparse.linalg import splu

    return splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def rayleigh(ratio: float, slowest: float, fastest: float) -> Rayleigh:
    """α and β that damp two circular frequencies [rad/s] by the same ratio, those between by less."""
    both = slowest + fastest
    return Rayleigh(2 * ratio * slowest * fastest / both, 2 * ratio / both)
