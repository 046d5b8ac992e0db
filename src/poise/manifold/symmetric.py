"""Symmetric 3 × 3 tensors as 6-vectors: xx, xy, xz, yy, yz, zz."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array

ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Row and column of each number."""
INDEX = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])
"""Which number stands at each row and column."""
_DIAGONAL = [k for k, (i, j) in enumerate(ENTRIES) if i == j]


def as_matrix(tensor: Array) -> Array:
    """6-vectors (…, 6) as symmetric matrices (…, 3, 3)."""
    return tensor[..., INDEX.ravel()].reshape(*tensor.shape[:-1], 3, 3)


def inertia_of_covariance(tensor: Array) -> Array:
    """I = tr(C) 1 − C on 6-vectors along axis 1: (F, 6) or, being linear, a Jacobian (F, 6, nv)."""
    inertia = -tensor
    inertia[:, _DIAGONAL] += tensor[:, _DIAGONAL].sum(axis=1, keepdims=True)
    return inertia
