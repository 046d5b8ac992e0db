"""A few vibration modes in place of all nodes: the small model of an elastic body on a moving bone.

About the shape u₀ in which the body rests (sagged under its weight), with modes K φ = λ M φ, φᵀMφ = 1,

    u = u₀ + Σ φᵢ qᵢ + ½ Σ Θᵢⱼ qᵢ qⱼ

    q̈ + c q̇ + λ q + 2 E(ω) q̇ + P(d) q + f(q) = −G d,      d = drive − drive at rest,  c = α + βλ

P(d) = E(α) + C(S) + Θᵀ M B d : inertia turns with the displaced body, and a load that acts on a shape which
has changed is another load. Θ are *modal derivatives*: what stiff modes do when soft ones bend (a bent rod is
shorter), Θᵢⱼ = −K⁻¹ f″(φᵢ, φⱼ), without what the modes themselves can do. They do f(q) = ½ φᵀf″(q, q).
Without f the equation is linear in q with coefficients that follow the bone: any step of it is a matrix; f
acts as a force that is known when the linear motion is (``chains``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.dynamics.elastic.body import ElasticBody, factorised, rayleigh
from poise.dynamics.elastic.inertia import SYMMETRIC, fields
from poise.dynamics.modal import Rayleigh
from poise.errors import InputError

BENDING = 4
"""So many of the slowest modes have derivatives."""
PULLING = 6
"""So many have quadratic forces."""
PROBE = 1e-3
"""How far nodes are moved to measure derivatives, as a part of the body's size."""
WORTH = 1e-4
"""Directions of derivatives weaker than this part of the strongest are dropped."""


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """m modes of a body, and what drives them."""

    body: ElasticBody
    rest: Array
    """u₀ [m], (n, 3)."""
    load: Array
    """The drive at rest, s₀ [m/s²], (3,)."""
    eigenvalues: Array
    """λ [1/s²], (m,)."""
    damping: Rayleigh
    shapes: Array
    """φ over the free nodes, (m, free, 3)."""
    bends: Array
    """Orthonormal directions of derivatives over the free nodes, (r, free, 3)."""
    bending: Array
    """Θᵢⱼ in them, (r, b, b): the first b modes have derivatives."""
    gains: Array
    """G, (12, m)."""
    couplings: Array
    """P by channel, (12, m, m)."""
    coriolis: Array
    """2 E by axis, (3, m, m)."""
    pulls: Array
    """f by pairs qᵢqⱼ (i = 0, …; j ≤ i) of the first modes, (pairs, m)."""

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def frequencies(self) -> Array:
        """[Hz], (m,)."""
        return np.sqrt(self.eigenvalues) / (2 * np.pi)

    @property
    def drag(self) -> Array:
        """c [1/s], (m,)."""
        return self.damping.mass + self.damping.stiffness * self.eigenvalues

    @cached_property
    def decay(self) -> float:
        """Slowest rate at which vibrations die out [1/s]."""
        half = 0.5 * self.drag
        return float((half - np.sqrt(np.maximum(half**2 - self.eigenvalues, 0.0))).min())

    def displacement(self, q: Array) -> Array:
        """u of modal coordinates (m,), all nodes, (n, 3)."""
        out = self.rest.copy()
        b = self.bending.shape[1]
        second = 0.5 * np.einsum("rij,i,j->r", self.bending, q[:b], q[:b])
        out[self.body.free] += np.tensordot(q, self.shapes, 1) + np.tensordot(second, self.bends, 1)
        return out

    def at(
        self, points: Array, shapes: Array | None = None, bends: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """Embedded points: at rest (P, 3), by mode (m, P, 3), by direction of derivatives (r, P, 3).

        Other fields over the free nodes may stand for modes and directions.
        """
        shapes = self.shapes if shapes is None else shapes
        bends = self.bends if bends is None else bends
        cell, weights = self.body.lattice.embed(points)
        nodes = self.body.lattice.element_nodes[cell]  # (P, 20)

        def moved(u: Array) -> Array:
            return np.einsum("pa,pai->pi", weights, u[nodes])

        def spread(free: Array) -> Array:
            full = np.zeros(self.rest.shape)
            full[self.body.free] = free
            return moved(full)

        none = np.zeros((0, len(points), 3))
        by_mode = np.array([spread(s) for s in shapes])
        by_bend = np.array([spread(s) for s in bends]) if len(bends) else none
        return points + moved(self.rest), by_mode, by_bend


def reduced(
    body: ElasticBody, *, count: int, load: Array, rest: Array, ratio: float | None = None, answers: int = 0
) -> ReducedModel:
    """The ``count`` slowest modes about the shape ``rest``, which balances ``load`` (s₀).

    The last ``answers`` of them, three at most, are instead what the body does under even acceleration and
    other modes do not: many quick modes hardly swing, they follow, and these shapes follow for them all.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    free, size = body.free, 3 * len(body.free)
    if count < 1 or count > size - 2:
        raise InputError(f"the number of modes must lie between 1 and {size - 2}, not {count}")
    stiffness, mass = body.stiffness(rest), body.free_mass
    factors = factorised(stiffness)
    inverse = LinearOperator((size, size), matvec=factors.solve)
    # A fixed start: the same body has the same modes to the bit.
    start = np.random.default_rng(0).normal(size=size)
    kept = count - min(answers, 3)
    eigenvalues, vectors = eigsh(stiffness, k=kept, M=mass, sigma=0.0, OPinv=inverse, v0=start, tol=1e-12)
    order = np.argsort(eigenvalues)
    eigenvalues, vectors = eigenvalues[order], vectors[:, order]
    if eigenvalues[0] <= 0:
        raise InputError(
            "the soft body buckles under its own weight: give a larger Young's modulus than "
            f"{body.material.young:g} Pa, or less density"
        )
    momentum = np.stack([(body.mass @ f)[free] for f in fields(body.nodes + rest)])  # M B, (12, free, 3)
    if count > kept:
        pushed = np.stack([factors.solve(even.ravel()) for even in momentum[:3]], axis=1)
        eigenvalues, vectors = _with_answers(vectors, pushed, stiffness, mass, count - kept)
        count = len(eigenvalues)
    vectors *= np.sign(vectors[np.argmax(np.abs(vectors), axis=0), np.arange(count)])  # one sign for all time
    shapes = np.ascontiguousarray(vectors.T.reshape(count, -1, 3))
    first = float(np.sqrt(eigenvalues[0]))
    ratio = body.material.damping if ratio is None else ratio
    bends, bending, pulls = _derivatives(body, rest, shapes, eigenvalues, factors, mass)
    gains = np.einsum("cni,mni->cm", momentum, shapes)
    coriolis, couplings = turned(body, shapes)
    b = bending.shape[1]
    couplings[:, :b, :b] += np.einsum("cni,rni,rjk->cjk", momentum, bends, bending, optimize=True)
    return ReducedModel(
        body, rest, load, eigenvalues, rayleigh(ratio, first, 4 * first), shapes, bends, bending, gains,
        couplings, coriolis, pulls,
    )  # fmt: skip


def _with_answers(modes: Array, pushed: Array, stiffness: Any, mass: Any, count: int) -> tuple[Array, Array]:
    """Eigenvalues and vectors of modes, as they are, and of ``count`` directions of ``pushed`` (size, 3).

    What modes can do is taken out of the answers; the largest directions of the rest, by their mass, stay.
    """
    left = pushed - modes @ (modes.T @ (mass @ pushed))
    sizes, turn = np.linalg.eigh(left.T @ (mass @ left))
    strong = np.flatnonzero(sizes > 1e-12 * max(float(np.trace(pushed.T @ (mass @ pushed))), 1e-300))[::-1]
    left = left @ turn[:, strong[:count]] / np.sqrt(sizes[strong[:count]])
    values, turn = np.linalg.eigh(left.T @ (stiffness @ left))
    vectors = np.concatenate([modes, left @ turn], axis=1)
    return np.concatenate([np.einsum("ni,ni->i", modes, stiffness @ modes), values]), vectors


def turned(body: ElasticBody, shapes: Array) -> tuple[Array, Array]:
    """2 E (3, m, m) and the inertial couplings (12, m, m) of modes."""
    mass = body.mass[body.free][:, body.free]
    heavy = np.stack([mass @ s for s in shapes])  # M φ
    moments = np.einsum("jni,knl->jkil", shapes, heavy)  # Σ φ_j,i (M φ_k)_l
    m = len(shapes)
    couplings, coriolis = np.zeros((12, m, m)), np.zeros((3, m, m))
    for axis in range(3):
        y, z = (axis + 1) % 3, (axis + 2) % 3
        cross = moments[:, :, z, y] - moments[:, :, y, z]  # φ_j · (e × φ_k)
        couplings[3 + axis] = cross
        coriolis[axis] = 2 * cross
    for c, (i, j) in enumerate(SYMMETRIC):
        couplings[6 + c] = moments[:, :, i, j] + (moments[:, :, j, i] if i != j else 0.0)
    return coriolis, couplings


def _derivatives(
    body: ElasticBody, rest: Array, shapes: Array, eigenvalues: Array, factors: Any, mass: Any
) -> tuple[Array, Array, Array]:
    """Directions (r, free, 3), Θ in them (r, b, b) and f of the modes, from second differences of forces."""
    b, most = min(BENDING, len(shapes)), min(PULLING, len(shapes))
    extent = float(np.ptp(body.nodes, axis=0).max())
    still = body.force(rest)

    def curvature(along: Array) -> Array:
        """f″(along, along)"""
        step = PROBE * extent / float(np.abs(along).max())
        ahead, back = rest.copy(), rest.copy()
        ahead[body.free] += step * along
        back[body.free] -= step * along
        return np.asarray((body.force(ahead) - 2 * still + body.force(back))[body.free] / step**2)

    own = [curvature(shapes[i]) for i in range(most)]
    pairs = [(i, j) for i in range(b) for j in range(i + 1)]
    flat = shapes.reshape(len(shapes), -1)
    found, pulls = [], []
    for i, j in [(a, b) for a in range(most) for b in range(a + 1)]:
        # Of unlike modes: scaled to the same size, so that neither drowns in the other's rounding.
        w = np.abs(shapes[i]).max() / np.abs(shapes[j]).max()
        f = own[i] if i == j else (
            0.5 / w * (curvature(shapes[i] + w * shapes[j]) - own[i] - w * w * own[j])
        )  # fmt: skip
        f = f.ravel()
        pulls.append((0.5 if i == j else 1.0) * (flat @ f))
        if i < b:
            found.append(-factors.solve(f) + flat.T @ ((flat @ f) / eigenvalues))
    theta = np.array(found)  # (pairs, 3 free)
    gram = theta @ (mass @ theta.T)
    scale = 1 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    sizes, turn = np.linalg.eigh(scale[:, None] * gram * scale)
    keep = sizes > WORTH**2 * sizes[-1]
    directions = (turn[:, keep] / np.sqrt(sizes[keep])).T @ (scale[:, None] * theta)  # (r, 3 free)
    parts = directions @ (mass @ theta.T)  # (r, pairs)
    bending = np.zeros((len(directions), b, b))
    for k, (i, j) in enumerate(pairs):
        bending[:, i, j] = bending[:, j, i] = parts[:, k]
    return directions.reshape(len(directions), -1, 3), bending, np.array(pulls)
