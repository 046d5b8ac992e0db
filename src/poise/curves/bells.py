"""Bells: bases whose functions are separate bumps in time, each with its own place and width.

φ_k(t) = profile of (t, parameters of bell k),    zero outside [a_k, b_k]
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.curves.basis import Basis, checked_query, sparse
from poise.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Bells(Basis):
    """A basis that is told by the profile of one bell."""

    @abstractmethod
    def _profile(self, times: Array, bells: IntArray, derivative: int) -> Array:
        """(n,): bell ``bells[i]`` at ``times[i]``, which lies in its support."""

    @property
    def end_continuity(self) -> int:
        """Bells end in zero as smoothly as they are inside."""
        return self.continuity

    def matrix(self, times: ArrayLike, derivative: int = 0) -> csr_matrix:
        """(T, K): each bell, or its derivative, at each time; only pairs that meet are computed."""
        t = checked_query(times, derivative)
        rows, bells = meetings(t, self.supports)
        return sparse(rows, bells, self._profile(t[rows], bells, derivative), (len(t), self.size))

    def evaluate(self, times: ArrayLike, coefficients: ArrayLike, derivative: int = 0) -> Array:
        """(T, m): the curve, or its derivative; of one bell without a sparse matrix, to the same bits."""
        if self.size > 1:
            return super().evaluate(times, coefficients, derivative)
        value = self._checked_coefficients(coefficients)[0]
        t = checked_query(times, derivative)
        rows, bells = meetings(t, self.supports)
        out = np.zeros((len(t), *np.shape(value)))
        out[rows] += np.multiply.outer(self._profile(t[rows], bells, derivative), value)
        return out

    def values(self, times: ArrayLike, derivative: int = 0) -> Array:
        """The same matrix, dense, (T, K)."""
        t = checked_query(times, derivative)
        rows, bells = meetings(t, self.supports)
        out = np.zeros((len(t), self.size))
        out[rows, bells] = self._profile(t[rows], bells, derivative)
        return out


@dataclass(frozen=True, eq=False, repr=False)
class CentredBells(Bells):
    """Bells that are told by their centres and widths; zero from half a width on, unless they differ."""

    centres: Array
    """[s] (K,)"""
    widths: Array
    """Full widths [s, > 0] (K,); one number serves all."""

    def __post_init__(self) -> None:
        centres = instants(self.centres, "centres")
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "widths", durations(self.widths, "widths", len(centres)))

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]: centre ± width/2."""
        return frozen(np.stack([self.centres - self.widths / 2, self.centres + self.widths / 2], axis=1))


def meetings(times: Array, supports: Array) -> tuple[IntArray, IntArray]:
    """All pairs (index of a time, index of a support) such that the time lies in the support."""
    order = np.argsort(times, kind="stable")
    in_order = times[order]
    first = np.searchsorted(in_order, supports[:, 0], side="left")  # (K,)
    count = np.searchsorted(in_order, supports[:, 1], side="right") - first  # (K,)
    starts = np.cumsum(count) - count
    within = np.arange(count.sum()) - np.repeat(starts, count)
    bells = np.repeat(np.arange(len(supports)), count)
    return order[np.repeat(first, count) + within], bells


def instants(values: ArrayLike, name: str) -> Array:
    """The places (K,) [s] of the bells, in any order; a single number is one bell."""
    times = checked(np.atleast_1d(np.asarray(values)), name, (None,))
    if not len(times):
        raise InputError(f"{name} is empty: a basis needs at least one bell")
    return frozen(times)


def durations(values: ArrayLike, name: str, count: int, *, allow_zero: bool = False) -> Array:
    """Durations [s], one per bell or one for all, as a frozen (K,)."""
    one_for_all = np.ndim(values) == 0
    given = checked(np.full(count, values) if one_for_all else values, name, (count,))
    if (bad := np.flatnonzero(given < 0 if allow_zero else given <= 0)).size:
        wanted = "not be negative" if allow_zero else "be positive"
        raise InputError(f"{name} must {wanted}, but {name}[{bad[0]}] = {given[bad[0]]:g} s")
    return frozen(given)
