"""Solve for the coefficients of a curve through given data: one factorisation, any number of solves.

    Σ_k φ_k^{(d_i)}(t_i) c_k = y_i,   i = 1 … N:    A c = y

* as many equations as functions: sparse LU of A;
* fewer: the c of least norm;   more: the c of least (weighted) squares of the misfit. Both from the sparse LU
  of [[αI, B], [Bᵀ, 0]] with B = Aᵀ or A. Unlike the normal equations this need not square the condition:
  it is about B's own once α is about B's least singular value.

Rows and columns are scaled where that cannot change the answer, so that units do not pass for bad condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.curves.basis import MAX_DERIVATIVE, Basis
from poise.curves.clash import SingularInterpolationError, clash
from poise.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

REFINEMENTS = 10  # of α: each makes it a thousand times smaller
SINGULAR = 1e13  # a condition beyond this leaves no more than two or three true digits


class Interpolation:
    """The map from data at given times to the coefficients of a curve in a basis.

    Examples:
        >>> basis = poise.curves.BSpline.uniform(0.0, 1.2, 0.4)
        >>> through = poise.curves.Interpolation(basis, [0.0, 0.4, 0.8, 1.2])
        >>> coefficients = through.solve([0.0, 1.0, 0.5, 0.0])
        >>> print(through.kind)
    """

    def __init__(
        self,
        basis: Basis,
        times: ArrayLike,
        derivatives: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
    ) -> None:
        """Factorise.

        Args:
            basis: Of the curve.
            times: Of the data [s] (N,).
            derivatives: Of which order each datum is (N,): 0 a value, 1 a velocity … Default: all values.
            weights: Of the misfits (N,) [> 0], where there are more data than functions. Default: 1.

        Raises:
            SingularInterpolationError: The data do not determine one curve; the message says which clash.
        """
        self.basis = basis
        self.times: Array = frozen(checked(times, "times", (None,)))  # (N,) [s]
        self.derivatives: IntArray = _checked_orders(derivatives, len(self.times))  # (N,)
        self._weights = _checked_weights(weights, len(self.times))  # (N,)
        if not len(self.times):
            raise InputError("times is empty: there is nothing to interpolate")
        self._matrix = _equations(basis, self.times, self.derivatives)
        self._factorise()

    @property
    def kind(self) -> str:
        """What a solve gives: "exact", "minimum norm" or "least squares"."""
        n, k = self._matrix.shape
        return "exact" if n == k else "minimum norm" if n < k else "least squares"

    @property
    def matrix(self) -> csr_matrix:
        """(N, K): a copy of the equations A."""
        return self._matrix.copy()

    @property
    def condition(self) -> float:
        """An estimate of the condition number of the scaled equations; below 1e13, or they were refused."""
        return self._condition

    def solve(self, values: ArrayLike) -> Array:
        """(K, m): coefficients for data (N, m); (N,) gives (K,)."""
        n, k = self._matrix.shape
        shape = (n,) if np.ndim(values) == 1 else (n, None)
        data = checked(values, "values", shape)
        flat = data.reshape(n, -1) * self._row_scale[:, None]
        if n == k:
            scaled = self._lu.solve(flat)
        else:
            blank = np.zeros((k, flat.shape[1]))
            right = np.concatenate([flat, blank] if n > k else [blank, flat])
            both = self._lu.solve(right)
            both += self._lu.solve(right - self._augmented @ both)  # one refinement costs little, mends much
            scaled = both[n:] if n > k else both[:k]
        coefficients: Array = scaled * self._column_scale[:, None]
        return coefficients.reshape((k, *data.shape[1:]))

    def _factorise(self) -> None:
        n, k = self._matrix.shape
        size = abs(self._matrix)
        rows = np.asarray(size.max(axis=1).todense()).ravel()
        columns = np.asarray(size.max(axis=0).todense()).ravel()
        if (n <= k and not rows.all()) or (n >= k and not columns.all()):
            raise self._clash()
        self._row_scale = 1.0 / rows if n <= k else self._weights
        if n >= k:
            scaled = _scaled(size, self._row_scale, np.ones(k))
            self._column_scale = 1.0 / np.asarray(scaled.max(axis=0).todense()).ravel()
        else:
            self._column_scale = np.ones(k)
        scaled = _scaled(self._matrix, self._row_scale, self._column_scale)
        try:
            if n == k:
                self._lu, self._condition = _square(scaled)
            else:
                tall = (scaled if n > k else scaled.T).tocsc()
                self._lu, self._augmented, self._condition = _augmented(tall)
        except RuntimeError as problem:  # SuperLU met a zero pivot
            raise self._clash() from problem
        if not self._condition < SINGULAR:
            raise self._clash()

    def _clash(self) -> SingularInterpolationError:
        return clash(self.basis, self.times, self.derivatives, self._matrix)


def _equations(basis: Basis, times: Array, derivatives: IntArray) -> csr_matrix:
    """(N, K): row i is φ^{(d_i)}(t_i)."""
    from scipy.sparse import vstack

    orders = np.unique(derivatives)
    where = [np.flatnonzero(derivatives == d) for d in orders]
    stacked = vstack([basis.matrix(times[rows], int(d)) for d, rows in zip(orders, where)], format="csr")
    return stacked[np.argsort(np.concatenate(where))]


def _scaled(matrix: Any, rows: Array, columns: Array) -> csc_matrix:
    from scipy.sparse import diags

    return (diags(rows) @ matrix @ diags(columns)).tocsc()


def _square(matrix: csc_matrix) -> tuple[Any, float]:
    """LU of a square matrix and an estimate of its condition in the 1-norm."""
    from scipy.sparse.linalg import LinearOperator, norm, onenormest, splu

    lu = splu(matrix)
    inverse = LinearOperator(
        matrix.shape,
        matvec=lu.solve,
        rmatvec=lambda x: lu.solve(x, "T"),
        dtype=np.float64,
        matmat=lu.solve,
        rmatmat=lambda x: lu.solve(x, "T"),
    )
    return lu, float(norm(matrix, 1) * onenormest(inverse))


def _augmented(tall: csc_matrix) -> tuple[Any, csc_matrix, float]:
    """LU of [[αI, B], [Bᵀ, 0]], that matrix, and an estimate of B's condition."""
    from scipy.sparse import bmat, identity
    from scipy.sparse.linalg import LinearOperator, norm, onenormest, splu

    p, q = tall.shape
    largest = float(norm(tall.T @ tall, 1)) ** 0.5  # ≥ the largest singular value
    alpha = 1e-2 * largest
    for _ in range(REFINEMENTS):
        system = bmat([[alpha * identity(p), tall], [tall.T, None]], format="csc")
        lu = splu(system)

        def inverse_gram(y: Array, lu: Any = lu, alpha: float = alpha) -> Array:
            """(BᵀB)⁻¹ y."""
            right = np.concatenate([np.zeros((p, *y.shape[1:])), y])
            solution: Array = -lu.solve(right)[p:] / alpha
            return solution

        gram = LinearOperator((q, q), inverse_gram, inverse_gram, inverse_gram, np.float64, inverse_gram)
        least = float(onenormest(gram)) ** -0.5
        if least >= 1e-3 * alpha:
            return lu, system, largest / least
        if least < largest / SINGULAR:
            break
        alpha = least
    return lu, system, np.inf


def _checked_orders(derivatives: ArrayLike | None, count: int) -> IntArray:
    if derivatives is None:
        return frozen(np.zeros(count), dtype=np.int64)
    orders = checked(derivatives, "derivatives", (count,))
    if (bad := np.flatnonzero(~np.isin(orders, np.arange(MAX_DERIVATIVE + 1)))).size:
        i = int(bad[0])
        raise InputError(f"derivatives must be 0 … {MAX_DERIVATIVE}, but derivatives[{i}] = {orders[i]:g}")
    return frozen(orders, dtype=np.int64)


def _checked_weights(weights: ArrayLike | None, count: int) -> Array:
    if weights is None:
        return frozen(np.ones(count))
    given = checked(weights, "weights", (count,))
    if (bad := np.flatnonzero(given <= 0)).size:
        raise InputError(f"weights must be positive, but weights[{bad[0]}] = {given[bad[0]]:g}")
    return frozen(np.sqrt(given))
