"""Several bases side by side: one curve may be made of functions of different kinds.

f(t) = Σ_b Σ_k φ^b_k(t) c^b_k,   coefficients one basis after the other
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen
from poise.curves.basis import Basis, checked_query
from poise.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False, repr=False)
class Combined(Basis, kind="combined"):
    """The functions of all its bases, in order.

    Raises:
        InputError: There are no bases, or their periods differ.

    Examples:
        >>> coarse, fine = (poise.curves.BSpline.uniform(0, 1.2, spacing) for spacing in (0.4, 0.1))
        >>> both = poise.curves.Combined((coarse, fine))
    """

    bases: tuple[Basis, ...]
    """At least one; all with the same period, or none."""

    def __post_init__(self) -> None:
        if not isinstance(self.bases, (tuple, list)) or not all(isinstance(b, Basis) for b in self.bases):
            raise InputError("the bases of a combined basis must be a tuple of bases")
        object.__setattr__(self, "bases", tuple(self.bases))
        if not self.bases:
            raise InputError("a combined basis needs at least one basis")
        if len(periods := {basis.period for basis in self.bases}) > 1:
            shown = ", ".join(sorted("none" if p is None else f"{p:g} s" for p in periods))
            raise InputError(f"bases with different periods cannot be combined ({shown})")

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Self:
        if not isinstance(fields["bases"], list):
            raise InputError("the field 'bases' of a combined basis must be a list")
        return cls(tuple(Basis.from_dict(data) for data in fields["bases"]))

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]: those of all bases."""
        return frozen(np.concatenate([basis.supports for basis in self.bases]))

    @property
    def span(self) -> tuple[float, float]:
        """The hull of all spans."""
        spans = [basis.span for basis in self.bases]
        return min(t0 for t0, _ in spans), max(t1 for _, t1 in spans)

    @property
    def period(self) -> float | None:
        """The period that all bases share [s]."""
        return self.bases[0].period

    @property
    def continuity(self) -> int:
        """The least, also across the ends of each basis that lie inside the span."""
        inner = [basis.end_continuity for basis in self.bases if basis.span != self.span]
        return min([basis.continuity for basis in self.bases] + inner)

    @property
    def end_continuity(self) -> int:
        """The least."""
        return min(basis.end_continuity for basis in self.bases)

    def columns(self, basis: int) -> slice:
        """Which functions belong to that basis."""
        if not 0 <= basis < len(self.bases):
            raise InputError(f"basis {basis} does not exist: there are bases 0 … {len(self.bases) - 1}")
        start = sum(b.size for b in self.bases[:basis])
        return slice(start, start + self.bases[basis].size)

    def matrix(self, times: ArrayLike, derivative: int = 0) -> csr_matrix:
        """(T, K): the matrices of all bases side by side."""
        from scipy.sparse import hstack

        t = checked_query(times, derivative)
        return hstack([basis.matrix(t, derivative) for basis in self.bases], format="csr")

    def values(self, times: ArrayLike, derivative: int = 0) -> Array:
        """The same matrix, dense, (T, K)."""
        t = checked_query(times, derivative)
        return np.concatenate([basis.values(t, derivative) for basis in self.bases], axis=1)
