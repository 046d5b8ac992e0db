"""The one kind of edit: a curve of tangent vectors, linear in its coefficients.

    f(t) = Σ_k φ_k(t) c_k ∈ R^nv,      applied to a motion as q(t) ⊕ f(t)

Corrections of a simulation, displacements of a captured motion and layers of a project are all this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, checked, frozen
from poise.curves.basis import Basis
from poise.errors import InputError


@dataclass(frozen=True, eq=False, repr=False)
class TangentCurve:
    """Basis × coefficients. Immutable; compares by value.

    ``mask`` says which degrees of freedom the curve may move (None: all). Coefficients of the others are set
    to zero when the curve is made, so no operation can move them.

    Raises:
        InputError: There is not one row of coefficients for each function.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> basis = poise.curves.GaussianBells([0.5], 0.6)
        >>> change = poise.curves.TangentCurve.zero(basis, walk.character.nv)
    """

    basis: Basis
    """Its K functions of time."""
    coefficients: Array
    """(K, nv) [m or rad]"""
    mask: NDArray[np.bool_] | None = None
    """Which degrees of freedom it may move (nv,). Default: all."""

    def __post_init__(self) -> None:
        values = checked(self.coefficients, "coefficients", (self.basis.size, None))
        if self.mask is not None:
            mask = _checked_mask(self.mask, values.shape[1])
            values = np.where(mask, values, 0.0)
            object.__setattr__(self, "mask", mask)
        object.__setattr__(self, "coefficients", frozen(values))

    @classmethod
    def zero(cls, basis: Basis, nv: int, *, mask: ArrayLike | None = None) -> TangentCurve:
        """The edit that changes nothing."""
        return cls(basis, np.zeros((basis.size, nv)), None if mask is None else _checked_mask(mask, nv))

    @property
    def nv(self) -> int:
        """Number of degrees of freedom."""
        return int(self.coefficients.shape[1])

    @property
    def support(self) -> tuple[float, float] | None:
        """The interval [s] outside which the curve is zero; None where it is zero throughout.

        For periodic bases this is the whole period unless the curve is zero.
        """
        acting = self.coefficients.any(axis=1)  # (K,)
        if not acting.any():
            return None
        if self.basis.period is not None:
            return self.basis.span
        supports = self.basis.supports[acting]
        return float(supports[:, 0].min()), float(supports[:, 1].max())

    def evaluate(self, times: ArrayLike, derivative: int = 0) -> Array:
        """(T, nv): the tangent vectors at the times [s], or their derivative of that order."""
        return self.basis.evaluate(times, self.coefficients, derivative)

    def with_coefficients(self, coefficients: ArrayLike) -> TangentCurve:
        """The same basis and mask with other coefficients (K, nv)."""
        values = checked(coefficients, "coefficients", (self.basis.size, self.nv))
        return TangentCurve(self.basis, values, self.mask)

    def to_dict(self) -> dict[str, Any]:
        """Plain data (JSON) from which :meth:`from_dict` makes an equal curve."""
        return {
            "basis": self.basis.to_dict(),
            "coefficients": self.coefficients.tolist(),
            "mask": None if self.mask is None else self.mask.tolist(),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> TangentCurve:
        """The curve that :meth:`to_dict` described."""
        for name in ("basis", "coefficients"):
            if not isinstance(data, Mapping) or name not in data:
                raise InputError(f"a tangent curve must be an object with a field {name!r}")
        return TangentCurve(Basis.from_dict(data["basis"]), data["coefficients"], data.get("mask"))

    def __add__(self, other: TangentCurve) -> TangentCurve:
        if not isinstance(other, TangentCurve):
            return NotImplemented
        if self.basis != other.basis:
            raise InputError(
                f"curves add on the same basis only, not {self.basis!r} + {other.basis!r}; "
                "put both bases in one Combined basis, or apply one curve after the other"
            )
        if self.nv != other.nv:
            raise InputError(f"curves of {self.nv} and {other.nv} degrees of freedom cannot be added")
        mask = None if self.mask is None or other.mask is None else self.mask | other.mask
        return TangentCurve(self.basis, self.coefficients + other.coefficients, mask)

    def __mul__(self, factor: float) -> TangentCurve:
        if not isinstance(factor, (int, float, np.number)):
            return NotImplemented
        return self.with_coefficients(float(factor) * self.coefficients)

    __rmul__ = __mul__

    def __neg__(self) -> TangentCurve:
        return self * -1.0

    def __sub__(self, other: TangentCurve) -> TangentCurve:
        return self + -other

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TangentCurve)
            and self.basis == other.basis
            and np.array_equal(self.coefficients, other.coefficients)
            and (self.mask is None) == (other.mask is None)
            and (self.mask is None or np.array_equal(self.mask, other.mask))  # type: ignore[arg-type]
        )

    def __hash__(self) -> int:
        return hash((self.basis, self.coefficients.tobytes()))

    def __repr__(self) -> str:
        moved = "" if self.mask is None else f", {int(self.mask.sum())} free"
        return f"TangentCurve({self.basis!r} × {self.nv} degrees of freedom{moved})"


def _checked_mask(mask: ArrayLike, nv: int) -> NDArray[np.bool_]:
    given = np.asarray(mask)
    if given.shape != (nv,) or given.dtype != np.bool_:
        raise InputError(f"mask must be {nv} booleans, not {given.dtype} of shape {given.shape}")
    return frozen(given, dtype=np.bool_)
