"""Corotated elasticity at the Gauss points of a lattice: linear material, any rotation.

With the deformation gradient F = R S (rotation times stretch)

    ψ = μ |F − R|² + λ/2 (tr S − 3)²,        P = ∂ψ/∂F = 2μ (F − R) + λ (tr S − 3) R
    ∂P/∂F = 2μ 1 + λ R⊗R + (λ (tr S − 3) − 2μ) D,   D = ∂R/∂F = Q (tr S 1 − S)⁻¹ Qᵀ,  Q_k = R [e_k]×

At rest this is Hooke's law; rotations cost nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.compilation import kernel


@kernel(inline=True)
def _inverse(a: Any, out: Any) -> float:
    """out = a⁻¹ (3 × 3); the determinant."""
    c00 = a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]
    c01 = a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]
    c02 = a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]
    det = a[0, 0] * c00 + a[0, 1] * c01 + a[0, 2] * c02
    f = 1.0 / det
    out[0, 0], out[1, 0], out[2, 0] = f * c00, f * c01, f * c02
    out[0, 1] = f * (a[0, 2] * a[2, 1] - a[0, 1] * a[2, 2])
    out[1, 1] = f * (a[0, 0] * a[2, 2] - a[0, 2] * a[2, 0])
    out[2, 1] = f * (a[0, 1] * a[2, 0] - a[0, 0] * a[2, 1])
    out[0, 2] = f * (a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1])
    out[1, 2] = f * (a[0, 2] * a[1, 0] - a[0, 0] * a[1, 2])
    out[2, 2] = f * (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])
    return det


@kernel(inline=True)
def _rotation(F: Any, R: Any, work: Any) -> None:
    """R: the rotation in F, by Newton's iteration R ← (R + R⁻ᵀ)/2."""
    R[:, :] = F
    for _ in range(30):
        _inverse(R, work)
        change = 0.0
        for i in range(3):
            for j in range(3):
                d = 0.5 * (work[j, i] - R[i, j])
                change += d * d
                R[i, j] += d
        if change < 1e-30:
            break


@kernel()
def gather_forces(
    u: Any,
    element_nodes: Any,
    fill: Any,
    weights: Any,
    gradients: Any,
    lam: float,
    mu: float,
    void: float,
    force: Any,
) -> float:
    """force (n, 3) += internal forces of displacements u (n, 3); the energy [J].

    ``fill`` (C, Q). What is outside (``void``) is taken as linear: it only keeps nodes in place.
    """
    points, shapes = gradients.shape[0], gradients.shape[1]
    F, R, work, P = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    own, local = np.empty((shapes, 3)), np.empty((shapes, 3))
    energy = 0.0
    for c in range(element_nodes.shape[0]):
        for a in range(shapes):
            for i in range(3):
                own[a, i] = u[element_nodes[c, a], i]
                local[a, i] = 0.0
        for q in range(points):
            for i in range(3):
                for j in range(3):
                    F[i, j] = 0.0
            for a in range(shapes):
                for i in range(3):
                    for j in range(3):
                        F[i, j] += own[a, i] * gradients[q, a, j]
            outside = void * (1 - fill[c, q]) * weights[q]
            inside = fill[c, q] * weights[q]
            trace = F[0, 0] + F[1, 1] + F[2, 2]
            for i in range(3):
                for j in range(3):
                    strain = 0.5 * (F[i, j] + F[j, i])
                    P[i, j] = outside * 2 * mu * strain
                    energy += outside * mu * strain * strain
                P[i, i] += outside * lam * trace
            energy += 0.5 * outside * lam * trace * trace
            if inside > 0.0:
                for i in range(3):
                    F[i, i] += 1.0
                _rotation(F, R, work)
                stretch = -3.0
                for i in range(3):
                    for j in range(3):
                        stretch += R[i, j] * F[i, j]
                for i in range(3):
                    for j in range(3):
                        d = F[i, j] - R[i, j]
                        energy += inside * mu * d * d
                        P[i, j] += inside * (2 * mu * d + lam * stretch * R[i, j])
                energy += 0.5 * inside * lam * stretch * stretch
            for a in range(shapes):
                for i in range(3):
                    s = 0.0
                    for j in range(3):
                        s += P[i, j] * gradients[q, a, j]
                    local[a, i] += s
        for a in range(shapes):
            for i in range(3):
                force[element_nodes[c, a], i] += local[a, i]
    return energy


@kernel()
def tangents(
    u: Any, element_nodes: Any, fill: Any, gradients: Any, lam: float, mu: float, void: float, out: Any
) -> None:
    """out (C, Q, 9, 9): ∂P/∂F at every Gauss point, inside and outside mixed by their shares."""
    points, shapes = gradients.shape[0], gradients.shape[1]
    F, R, work, S, B = (
        np.empty((3, 3)),
        np.empty((3, 3)),
        np.empty((3, 3)),
        np.empty((3, 3)),
        np.empty((3, 3)),
    )
    Q = np.empty((9, 3))
    for c in range(element_nodes.shape[0]):
        for q in range(points):
            F[:, :] = 0.0
            for a in range(shapes):
                for i in range(3):
                    for j in range(3):
                        F[i, j] += u[element_nodes[c, a], i] * gradients[q, a, j]
            outside, inside = void * (1 - fill[c, q]), fill[c, q]
            A = out[c, q]
            A[:, :] = 0.0
            for i in range(3):
                for j in range(3):
                    A[3 * i + j, 3 * i + j] += outside * mu
                    A[3 * i + j, 3 * j + i] += outside * mu
                    A[4 * i, 4 * j] += outside * lam
            if inside == 0.0:
                continue
            for i in range(3):
                F[i, i] += 1.0
            _rotation(F, R, work)
            for i in range(3):
                for j in range(3):
                    S[i, j] = R[0, i] * F[0, j] + R[1, i] * F[1, j] + R[2, i] * F[2, j]
            trace = S[0, 0] + S[1, 1] + S[2, 2]
            for i in range(3):
                for j in range(3):
                    B[i, j] = -0.5 * (S[i, j] + S[j, i])
                B[i, i] += trace
            _inverse(B, work)
            for i in range(3):  # Q_k = R [e_k]×: column j of it, by k
                Q[3 * i, 0], Q[3 * i + 1, 0], Q[3 * i + 2, 0] = 0.0, R[i, 2], -R[i, 1]
                Q[3 * i, 1], Q[3 * i + 1, 1], Q[3 * i + 2, 1] = -R[i, 2], 0.0, R[i, 0]
                Q[3 * i, 2], Q[3 * i + 1, 2], Q[3 * i + 2, 2] = R[i, 1], -R[i, 0], 0.0
            turning = lam * (trace - 3.0) - 2 * mu
            for i in range(9):
                A[i, i] += inside * 2 * mu
                for j in range(9):
                    s = 0.0
                    for k in range(3):
                        for m in range(3):
                            s += Q[i, k] * work[k, m] * Q[j, m]
                    A[i, j] += inside * (lam * R[i // 3, i % 3] * R[j // 3, j % 3] + turning * s)
