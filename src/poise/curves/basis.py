"""The contract of every curve basis: a family of functions of time, linear in its parameters.

    f(t) = Σ_k φ_k(t) c_k,      φ_k(t) = 0 outside [a_k, b_k],      derivatives of order 0 … 3

A basis is immutable, compares by value and knows nothing of characters: a coefficient c_k is a number or a
vector of any length. Where a derivative jumps, its value is the limit from the right (at the last instant of
the span, from the left). Periodic bases repeat with their `period`; their supports are meant modulo it.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.errors import InputError, UnknownNameError
from poise.extensions import extensions

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_DERIVATIVE = 3
"""Jerk is the highest that anything asks of a curve."""

_KINDS: dict[str, type[Basis]] = {}


class Basis(ABC):
    """K functions φ_k(t). A subclass is a frozen dataclass whose fields are all there is to know of it.

    Examples:
        >>> basis = poise.curves.Linear([0.0, 0.5, 1.0])
        >>> assert poise.curves.Basis.from_dict(basis.to_dict()) == basis
    """

    kind: ClassVar[str]  # the name in files

    def __init_subclass__(cls, *, kind: str | None = None) -> None:
        """Enter the subclass in the table of kinds, so that files can name it."""
        super().__init_subclass__()
        if kind is not None:
            cls.kind = kind
            _KINDS[kind] = cls

    @property
    @abstractmethod
    def supports(self) -> Array:
        """(K, 2): the interval [s] outside which each function is exactly zero."""

    @property
    @abstractmethod
    def continuity(self) -> int:
        """How many derivatives are continuous inside the span (0: only the value)."""

    @property
    @abstractmethod
    def end_continuity(self) -> int:
        """How many derivatives are continuous across the ends of the span (−1: the value jumps to zero)."""

    @abstractmethod
    def matrix(self, times: ArrayLike, derivative: int = 0) -> csr_matrix:
        """(T, K): φ_k, or its derivative of that order [1/s^derivative], at each time [s]."""

    def values(self, times: ArrayLike, derivative: int = 0) -> Array:
        """The same matrix, dense, (T, K): where functions are few it is the quicker one."""
        return np.ascontiguousarray(self.matrix(times, derivative).toarray())

    @property
    def period(self) -> float | None:
        """The period [s] with which all functions repeat, if they do."""
        return None

    @property
    def size(self) -> int:
        """K, the number of functions."""
        return len(self.supports)

    @property
    def span(self) -> tuple[float, float]:
        """The interval [s] outside which every curve is zero; for periodic bases, one period."""
        return float(self.supports[:, 0].min()), float(self.supports[:, 1].max())

    def support(self, k: int) -> tuple[float, float]:
        """The interval [s] outside which φ_k is exactly zero."""
        if not 0 <= k < self.size:
            raise InputError(f"function {k} does not exist: this basis has functions 0 … {self.size - 1}")
        return float(self.supports[k, 0]), float(self.supports[k, 1])

    def evaluate(self, times: ArrayLike, coefficients: ArrayLike, derivative: int = 0) -> Array:
        """(T, m): the curve with coefficients (K, m), or its derivative of that order. (K,) gives (T,)."""
        values = self._checked_coefficients(coefficients)
        curve: Array = self.matrix(times, derivative) @ values
        return curve

    def to_dict(self) -> dict[str, Any]:
        """Plain data (JSON) from which :meth:`from_dict` makes an equal basis."""
        return {"kind": self.kind} | {name: _plain(value) for name, value in self._fields()}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Basis:
        """The basis that :meth:`to_dict` described."""
        if not isinstance(data, Mapping) or not isinstance(data.get("kind"), str):
            raise InputError("a curve basis must be an object with a text field 'kind'")
        if data["kind"] not in _KINDS and data["kind"] not in basis_kinds():
            raise UnknownNameError("curve basis", data["kind"], basis_kinds())
        cls = _KINDS[data["kind"]]
        names = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        given = set(data) - {"kind"}
        if unknown := given - names:
            raise UnknownNameError("field", min(unknown), sorted(names), where=f"curve basis {cls.kind!r}")
        if missing := names - given:
            raise InputError(f"curve basis {cls.kind!r} lacks its field {min(missing)!r}")
        return cls._from_fields({name: data[name] for name in names})

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Self:
        return cls(**fields)

    def _fields(self) -> list[tuple[str, Any]]:
        return [(f.name, getattr(self, f.name)) for f in dataclasses.fields(self)]  # type: ignore[arg-type]

    def _checked_coefficients(self, coefficients: ArrayLike) -> Array:
        shape = (self.size,) if np.ndim(coefficients) == 1 else (self.size, None)
        return checked(coefficients, "coefficients", shape)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        values = (value for _, value in self._fields())
        return (self.kind, *(v.tobytes() if isinstance(v, np.ndarray) else v for v in values))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Basis) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        t0, t1 = self.span
        loop = ", periodic" if self.period is not None else ""
        return f"{type(self).__name__}({self.size} functions, {t0:g} … {t1:g} s{loop})"


def basis_kinds() -> tuple[str, ...]:
    """The names of all kinds of basis, those of other packages too.

    Returns:
        The names, in alphabetical order.

    Examples:
        >>> print(poise.curves.basis_kinds())
    """
    extensions("poise.curves")  # a class is known once it is there
    return tuple(sorted(_KINDS))


def checked_query(times: ArrayLike, derivative: int) -> Array:
    """The times of a query (T,), once both it and the order of the derivative make sense."""
    if not isinstance(derivative, (int, np.integer)) or not 0 <= derivative <= MAX_DERIVATIVE:
        raise InputError(f"derivative must be 0 … {MAX_DERIVATIVE}, not {derivative!r}")
    return checked(times, "times", (None,))


def checked_option(value: str, name: str, valid: tuple[str, ...]) -> None:
    """Refuse an option that is not one of the valid words."""
    if value not in valid:
        raise UnknownNameError(f"option of {name!r}", str(value), valid)


def keys_of_a_curve(keys: ArrayLike, name: str, *, at_least: int) -> Array:
    """Strictly increasing instants (K,) [s], frozen."""
    times = checked(keys, name, (None,))
    if len(times) < at_least:
        raise InputError(f"{name} must hold at least {at_least} instants, not {len(times)}")
    if (bad := np.flatnonzero(np.diff(times) <= 0)).size:
        i = int(bad[0])
        raise InputError(f"{name} must increase, but {name}[{i + 1}] = {times[i + 1]:g} ≤ {times[i]:g}")
    return frozen(times)


def sparse(rows: IntArray, columns: IntArray, values: Array, shape: tuple[int, int]) -> csr_matrix:
    """A matrix from its entries; entries at the same place add."""
    from scipy.sparse import coo_matrix

    return coo_matrix((values, (rows, columns)), shape=shape).tocsr()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [item.to_dict() if isinstance(item, Basis) else item for item in value]
    return value
