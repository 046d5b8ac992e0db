"""Symmetric matrices stored as a band: entry (i + k, i) stands at ``band[i, k]``."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError


def multiply(band: Array, x: Array) -> Array:
    """A x (n,)."""
    from scipy.linalg.blas import dsbmv

    return np.asarray(dsbmv(band.shape[1] - 1, 1.0, band.T, x, lower=1))


def factorise(band: Array) -> Array:
    """Cholesky factor of a band, in its place; an error where the matrix is not positive definite."""
    from scipy.linalg.lapack import dpbtrf

    factor, problem = dpbtrf(band.T, lower=1, overwrite_ab=1)
    if problem:
        raise PoiseError(f"the change is not determined: unknown {problem - 1} has no price")
    return np.asarray(factor)


def solve(factor: Array, right: Array) -> Array:
    """x with A x = right (n,) or (n, k)."""
    from scipy.linalg.lapack import dpbtrs

    return np.asarray(dpbtrs(factor, right, lower=1)[0])
