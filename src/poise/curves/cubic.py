"""Interpolating cubics: the C² curve through values at keys. The coefficients are those values.

    φ_k(t_j) = δ_kj,   φ_k ∈ C²,   cubic between keys

The slopes m at the keys follow from the values y by one banded solve. Each interval of length h between keys
a, b adds to row a: (2 m_a + m_b)/h = 3 (y_b − y_a)/h², and to row b the same with a and b exchanged on the
left; the sums say that the second derivative is continuous, and at an end that it vanishes ("natural").

A cardinal function never quite vanishes, but fades at least by half from key to key (by 0.268 where keys are
even). Slopes whose curve stays below rounding, 1e-16, are left out, so φ_k is zero beyond some 30 keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, frozen
from poise.curves.basis import sparse
from poise.curves.hermite import Hermite
from poise.curves.keyed import Keyed

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NEGLIGIBLE = 1e-16  # a curve of this size beside values of size 1 is lost in rounding
_HUMP = 4.0 / 27.0  # the greatest value of s (1 − s)², the curve of a unit slope
_BLOCK = 256  # cardinal functions solved for at once, so that many keys need no square dense matrix


@dataclass(frozen=True, eq=False, repr=False)
class InterpolatingCubic(Keyed, kind="cubic"):
    """Smooth curves through keys.

    ``ends``: "natural" (no curvature at the first and last key); "clamped" (no slope); "zero" (value and
    slope vanish at the first and last key, which have no functions); "periodic" (the last key is the first
    one again, a period later, and has no function of its own).

    Raises:
        InputError: Keys do not increase, or there are too few.
        UnknownNameError: There is no such end.

    Examples:
        >>> basis = poise.curves.InterpolatingCubic([0.0, 0.4, 1.2])
        >>> height = basis.evaluate([0.2], [0, 1, 0])
    """

    keys: Array
    """Increasing [s] (n,)."""
    ends: str = "natural"
    """"natural", "clamped", "zero" or "periodic"."""

    ENDS: ClassVar[tuple[str, ...]] = ("natural", "clamped", "zero", "periodic")

    @property
    def size(self) -> int:
        """One function per key that has one."""
        return len(self.keys) - {"zero": 2, "periodic": 1}.get(self.ends, 0)

    @property
    def span(self) -> tuple[float, float]:
        """From the first key to the last."""
        return float(self.keys[0]), float(self.keys[-1])

    @property
    def continuity(self) -> int:
        """Two continuous derivatives."""
        return 2

    @property
    def end_continuity(self) -> int:
        """Value and slope where both are held at zero; everything where the curve wraps."""
        return {"zero": 1, "periodic": 2}.get(self.ends, -1)

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]: the keys around each key over which its cardinal function is above rounding."""
        from scipy.sparse import find

        node, function, _ = find(self._hermite_from_values)
        node = node // 2
        keys, n = self.keys, len(self.keys) - 1
        if self.ends == "periodic":
            offset = (node - function + n // 2) % n - n // 2  # how many keys away, the shorter way round
            first, last = _extremes(offset, function, self.size)
            whole = last - first + 2 >= n
            k = np.arange(self.size)
            left = _wrapped(keys, k + first - 1)
            right = _wrapped(keys, k + last + 1)
            supports = np.stack([np.where(whole, keys[0], left), np.where(whole, keys[-1], right)], axis=1)
        else:
            first, last = _extremes(node, function, self.size)
            supports = np.stack([keys[np.maximum(first - 1, 0)], keys[np.minimum(last + 1, n)]], axis=1)
        return frozen(supports)

    def matrix(self, times: ArrayLike, derivative: int = 0) -> csr_matrix:
        """(T, K): the cardinal functions, or their derivatives, at each time."""
        matrix = (self._hermite.matrix(times, derivative) @ self._hermite_from_values).tocsr()
        matrix.sort_indices()
        return matrix

    def evaluate(self, times: ArrayLike, coefficients: ArrayLike, derivative: int = 0) -> Array:
        """(T, m): the curve through values (K, m); four Hermite functions per time, not all cardinal ones."""
        values = self._checked_coefficients(coefficients)
        return self._hermite.evaluate(times, self._hermite_from_values @ values, derivative)

    @cached_property
    def _hermite(self) -> Hermite:
        return Hermite(self.keys, ends="periodic" if self.ends == "periodic" else "free")

    @cached_property
    def _hermite_from_values(self) -> csr_matrix:
        """(2n, K): values and slopes at the n keys from the coefficients."""
        from scipy.sparse import coo_matrix

        slopes = coo_matrix(self._slopes_from_values())
        n = slopes.shape[0]
        every = np.arange(n)
        matrix = sparse(
            np.concatenate([2 * every, 2 * slopes.row + 1]),
            np.concatenate([every, slopes.col]),
            np.concatenate([np.ones(n), slopes.data]),
            (2 * n, n),
        )
        return matrix[:, 1:-1] if self.ends == "zero" else matrix

    def _slopes_from_values(self) -> csr_matrix:
        """(n, n) [1/s]: the slopes at the keys from the values there, without what is negligible."""
        from scipy.sparse import csc_matrix, diags, hstack
        from scipy.sparse.linalg import splu

        h = np.diff(self.keys)
        columns = self._hermite.key_columns // 2
        a, b = columns[:-1], columns[1:]
        n = int(columns.max()) + 1
        rows, others = np.concatenate([a, a, b, b]), np.concatenate([a, b, a, b])
        left = sparse(rows, others, np.concatenate([2 / h, 1 / h, 1 / h, 2 / h]), (n, n))
        rise = 3 / h**2
        right = sparse(rows, others, np.concatenate([-rise, rise, -rise, rise]), (n, n))
        if self.ends in ("clamped", "zero"):  # the first and last row say: slope = 0
            inner = np.ones(n)
            inner[[0, -1]] = 0.0
            left = diags(inner) @ left + diags(1.0 - inner)
            right = diags(inner) @ right
        longest = np.zeros(n)  # [s] the longer interval beside each key
        np.maximum.at(longest, a, h)
        np.maximum.at(longest, b, h)
        least = NEGLIGIBLE / (_HUMP * longest[:, None])
        lu = splu(csc_matrix(left))
        right = right.tocsc()
        blocks = []
        for start in range(0, n, _BLOCK):
            slopes = lu.solve(right[:, start : start + _BLOCK].toarray())
            blocks.append(csc_matrix(np.where(np.abs(slopes) < least, 0.0, slopes)))
        return hstack(blocks, format="csr")


def _extremes(values: IntArray, group: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """The least and the greatest of the values of each group."""
    least, greatest = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(least, group, values)
    np.maximum.at(greatest, group, values)
    return least, greatest


def _wrapped(keys: Array, index: IntArray) -> Array:
    """The keys repeated with their period."""
    n = len(keys) - 1
    turns, place = np.divmod(index, n)
    wrapped: Array = keys[place] + turns * (keys[-1] - keys[0])
    return wrapped
