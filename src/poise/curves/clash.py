"""Why an interpolation has no single answer: which times and which functions stand in each other's way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array, IntArray
from poise.curves.basis import Basis
from poise.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_DENSE = 4_000_000  # [entries] beyond this no singular vectors are computed for the sake of a message
_SHOWN = 6
"""Entries named in a message; of more the number is told."""


class SingularInterpolationError(InputError):
    """Data that do not determine a curve; carries the equations and the functions that clash.

    Examples:
        >>> basis = poise.curves.Linear([0.0, 1.0])
        >>> try:
        ...     poise.curves.Interpolation(basis, [0.5, 0.5])
        ... except poise.curves.SingularInterpolationError as problem:
        ...     print(problem)
    """

    def __init__(self, reasons: list[str], equations: IntArray, functions: IntArray) -> None:
        self.equations, self.functions = equations, functions
        super().__init__("the data do not determine one curve: " + "; ".join(reasons))


def clash(
    basis: Basis, times: Array, derivatives: IntArray, matrix: csr_matrix
) -> SingularInterpolationError:
    """The error that says what is wrong with singular equations ``matrix`` (N, K)."""
    n, k = matrix.shape
    size = abs(matrix)
    reasons: list[str] = []
    equations, functions = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if n <= k:
        reached = np.asarray(size.max(axis=1).todense()).ravel() > 0
        if (unreached := np.flatnonzero(~reached)).size:
            t0, t1 = basis.span
            shown = _data(times, derivatives, unreached)
            reasons.append(f"no function of the basis ({t0:g} … {t1:g} s) acts on {shown}")
        equations = np.union1d(unreached, _repeated(times, derivatives, reasons))
        if not equations.size:
            equations = _dependent(matrix.T)
            if equations.size:
                reasons.append(f"these data depend on one another: {_data(times, derivatives, equations)}")
    if n >= k:
        touched = np.asarray(size.max(axis=0).todense()).ravel() > 0
        functions = np.flatnonzero(~touched)
        if functions.size:
            reasons.append(f"no datum determines {_functions(basis, functions)}")
        else:
            functions = _dependent(matrix)
            if functions.size:
                reasons.append(f"the data do not tell apart {_functions(basis, functions)}")
    if not reasons:
        reasons.append(f"{n} equations for {k} functions are singular to rounding")
    return SingularInterpolationError(reasons, equations, functions)


def _repeated(times: Array, derivatives: IntArray, reasons: list[str]) -> IntArray:
    """Data asked for twice at the same time; adds the reason."""
    _, inverse, counts = np.unique(
        np.stack([times, derivatives], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    twice = np.flatnonzero(counts[inverse.ravel()] > 1)
    if twice.size:
        first = twice[np.unique(inverse.ravel()[twice], return_index=True)[1]]
        reasons.append(f"more than one datum for {_data(times, derivatives, first)}")
    return twice


def _dependent(matrix: csr_matrix) -> IntArray:
    """The columns that take part in the combination of columns that is nearest to zero."""
    if matrix.shape[0] * matrix.shape[1] > _DENSE:
        return np.zeros(0, dtype=np.int64)
    dense = matrix.toarray()
    length = np.linalg.norm(dense, axis=0)
    _, _, vt = np.linalg.svd(dense / np.where(length > 0, length, 1.0), full_matrices=True)
    weight = np.abs(vt[-1])
    return np.flatnonzero(weight > 0.1 * weight.max())


def _data(times: Array, derivatives: IntArray, which: IntArray) -> str:
    names = ("value", "velocity", "acceleration", "jerk")
    parts = [f"{names[derivatives[i]]} at {times[i]:.6g} s" for i in which[:_SHOWN]]
    return ", ".join(parts) + _more(which)


def _functions(basis: Basis, which: IntArray) -> str:
    parts = [f"{k} ({basis.supports[k, 0]:.6g} … {basis.supports[k, 1]:.6g} s)" for k in which[:_SHOWN]]
    return f"function{'s' if len(which) > 1 else ''} " + ", ".join(parts) + _more(which)


def _more(which: IntArray) -> str:
    return f" and {len(which) - _SHOWN} more" if len(which) > _SHOWN else ""
