"""A few Gauss points that stand for all: cubature of the nonlinear part of reduced forces.

    g(x) = Σ_p w_p B_pᵀ [P(F_p(x)) − P(F_p(0)) − A_p B_p x]        B_p = ∂F_p/∂x,  A_p = ∂P/∂F at rest

is summed over the points of a lattice. Non-negative weights on a few of them reproduce the sum over training
shapes (An, Kim & James 2008): principal components of the training forces are the equations, so that there
are no more points than components.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.dynamics.elastic.body import ElasticBody
from poise.dynamics.elastic.corotational import tangents
from poise.manifold import so3

COMPONENTS = 120
"""Principal components of the training forces that are matched: at most so many points."""
CANDIDATES = 1600
"""Cells among which points are looked for; drawn at random where there are more."""


class Cubature(NamedTuple):
    """Points and what is needed of them, points last."""

    weights: Array
    """With the filled share and volume of the point [m³], (P,)."""
    at_rest: Array
    """F at rest, (9, P)."""
    gradients: Array
    """∂F/∂x, (n, 9, P)."""
    moduli: Array
    """A, (9, 9, P)."""
    error: float
    """Root mean square error over the training shapes, as a part of the forces."""


def stress(lam: float, mu: float, F: Array) -> Array:
    """P(F) of many deformation gradients (…, 3, 3)."""
    R = so3.nearest(F)
    trace = np.einsum("...ij,...ij->...", R, F) - 3
    return np.asarray(2 * mu * (F - R) + lam * trace[..., None, None] * R)


def cubature(body: ElasticBody, rest: Array, basis: Array, training: Array) -> Cubature:
    """Points for displacements rest + Σ x basis; basis (n, free, 3), training shapes x (T, n)."""
    from scipy.optimize import nnls

    lattice, (lam, mu) = body.lattice, body.material.lame
    cell, point = np.nonzero(lattice.fill > 0.02)
    rng = np.random.default_rng(0)  # the same body gets the same points
    some = np.sort(rng.permutation(len(cell))[:CANDIDATES])
    weight = lattice.fill[cell, point][some] * lattice.weights[point[some]]
    at, grad, moduli = _points(body, rest, basis, cell[some], point[some], lam, mu)
    still, tangent = stress(lam, mu, at), body.stiffness(rest)
    begin = body.force(rest)[body.free]
    rows, wanted = [], []
    for x in training:
        change = np.einsum("n,npij->pij", x, grad)
        off = stress(lam, mu, at + change) - still - np.einsum("pijkl,pkl->pij", moduli, change)
        u = rest.copy()
        u[body.free] += (moved := np.tensordot(x, basis, 1))
        total = body.force(u)[body.free] - begin - (tangent @ moved.ravel()).reshape(-1, 3)
        whole = np.einsum("nai,ai->n", basis, total)
        size = float(np.linalg.norm(whole))
        rows.append(np.einsum("npij,pij->np", grad, off) * (weight / size))
        wanted.append(whole / size)
    forces, total = np.concatenate(rows), np.concatenate(wanted)  # (T n, P), (T n,)
    left = np.linalg.svd(np.column_stack([forces, total]), full_matrices=False)[0]
    keep = left[:, : min(COMPONENTS, left.shape[1])].T
    found = nnls(keep @ forces, keep @ total)[0]
    use = np.flatnonzero(found > 1e-9)
    error = float(np.linalg.norm(forces[:, use] @ found[use] - total) / np.linalg.norm(total))
    return Cubature(
        found[use] * weight[use],
        np.ascontiguousarray(at[use].reshape(len(use), 9).T),
        np.ascontiguousarray(np.moveaxis(grad[:, use].reshape(len(basis), len(use), 9), 1, 2)),
        np.ascontiguousarray(np.moveaxis(moduli[use].reshape(len(use), 9, 9), 0, 2)),
        error,
    )


def _points(
    body: ElasticBody, rest: Array, basis: Array, cell: IntArray, point: IntArray, lam: float, mu: float
) -> tuple[Array, Array, Array]:
    """F (P, 3, 3), ∂F/∂x (n, P, 3, 3) and ∂P/∂F (P, 3, 3, 3, 3) at Gauss points."""
    lattice = body.lattice
    gradients, nodes = lattice.gradients[point], lattice.element_nodes[cell]

    def at(u: Array) -> Array:
        return np.einsum("pai,paj->pij", u[nodes], gradients)

    moved = np.zeros(rest.shape)
    grad = np.empty((len(basis), len(cell), 3, 3))
    for k, field in enumerate(basis):
        moved[body.free] = field
        grad[k] = at(moved)
    moduli = np.empty((*lattice.fill.shape, 9, 9))
    tangents(rest, lattice.element_nodes, np.ones_like(lattice.fill), lattice.gradients, lam, mu, 0.0, moduli)
    return np.eye(3) + at(rest), grad, moduli[cell, point].reshape(-1, 3, 3, 3, 3)
