"""Wiggly splines: the curves that a damped oscillator follows with the least effort between its keys.

    c = (value_0, slope_0, value_1, slope_1, …),       minimise ½ ∫ (ẍ + 2δ ẋ + λ x)² dt

Between keys the curve is x(t) = e^{At} x₀ + G(t) e^{Aᵀ(T−t)} G(T)⁻¹ (x₁ − e^{AT} x₀) with the Gramian G of
:mod:`poise.curves.oscillator`. With λ = δ = 0 these are the Hermite cubics; with λ > 0 curves swing into
and out of their keys, anticipating and following through.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.curves.basis import checked_query, sparse
from poise.curves.keyed import Keyed, value_and_slope_columns
from poise.curves.oscillator import Oscillation, oscillation, transition
from poise.curves.piecewise import lived
from poise.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False, repr=False)
class Wiggly(Keyed, kind="wiggly"):
    """Curves told by value and slope at each key, of least effort for an oscillator.

    ``ends``: "free"; "zero" (value and slope vanish at the first and last key, which have no functions);
    "periodic" (the last key is the first one again, a period later, and has no functions of its own).

    Raises:
        InputError: Keys do not increase, there are too few, or the damping is negative.
        UnknownNameError: There is no such end.

    Examples:
        >>> basis = poise.curves.Wiggly.swinging([0.0, 0.4, 1.2], hertz=2.0)
    """

    keys: Array
    """Increasing [s] (n,)."""
    stiffness: float = 0.0
    """λ [1/s²]; the curve swings at √λ / 2π hertz."""
    damping: float = 0.0
    """δ ≥ 0 [1/s]; swings die out as e^{−δt}."""
    ends: str = "free"
    """"free", "zero" or "periodic"."""

    PER_KEY: ClassVar[int] = 2  # value and slope

    def __post_init__(self) -> None:
        super().__post_init__()
        put = object.__setattr__
        put(self, "stiffness", float(checked(self.stiffness, "stiffness", ())))
        put(self, "damping", float(checked(self.damping, "damping", ())))
        if self.damping < 0:
            raise InputError(f"the damping of a wiggly spline must not be negative, not {self.damping:g}")

    @classmethod
    def swinging(cls, keys: ArrayLike, hertz: float, ratio: float = 0.2, ends: str = "free") -> Wiggly:
        """Curves that swing at ``hertz`` with a damping ratio (1: critical)."""
        omega = 2 * np.pi * hertz
        return cls(np.asarray(keys, dtype=np.float64), omega**2, ratio * omega, ends)

    @property
    def continuity(self) -> int:
        """Value and slope are continuous; curvature is too for coefficients from :meth:`natural`."""
        return 1

    @cached_property
    def pieces(self) -> Oscillation:
        """Φ, G and Γ from each key to the next, (n − 1, …)."""
        return oscillation(self.stiffness, self.damping, np.diff(self.keys))

    @cached_property
    def columns(self) -> IntArray:
        """Functions alive between each key and the next: two values and two slopes, (n − 1, 4); −1: none."""
        return value_and_slope_columns(self)

    def matrix(self, times: ArrayLike, derivative: int = 0) -> csr_matrix:
        """(T, K): each function, or its derivative, at each time; only functions alive there are computed."""
        t = checked_query(times, derivative)
        rows, local = lived(t, float(self.keys[0]), float(self.keys[-1]), self.period)
        index = np.clip(np.searchsorted(self.keys, local, side="right") - 1, 0, len(self.columns) - 1)
        values = self._shapes(local - self.keys[index], index)[derivative]  # (T', 4)
        columns = self.columns[index]
        alive = columns >= 0
        row_of_entry = np.broadcast_to(rows[:, None], columns.shape)
        return sparse(row_of_entry[alive], columns[alive], values[alive], (len(t), self.size))

    def _shapes(self, passed: Array, index: IntArray) -> tuple[Array, Array, Array, Array]:
        """Value and three derivatives of the four functions of a piece, each (T', 4)."""
        lam, delta = self.stiffness, self.damping
        whole = np.diff(self.keys)[index]
        so_far = oscillation(lam, delta, passed)
        to_go = transition(lam, delta, np.maximum(whole - passed, 0.0))
        wanted = np.concatenate(  # r = state(T) − Φ state(0) from the four coefficients
            [-self.pieces.transition[index], np.broadcast_to(np.eye(2), (len(index), 2, 2))], axis=2
        )  # (T', 2, 4)
        costate = np.swapaxes(to_go, 1, 2) @ np.linalg.solve(self.pieces.gramian[index], wanted)
        state = so_far.gramian @ costate
        state[:, :, :2] += so_far.transition
        force, drift = costate[:, 1], -costate[:, 0] + 2 * delta * costate[:, 1]  # f = Bᵀp, ṗ = −Aᵀp
        bend = force - 2 * delta * state[:, 1] - lam * state[:, 0]
        third = drift - 2 * delta * bend - lam * state[:, 1]
        return state[:, 0], state[:, 1], bend, third

    @cached_property
    def effort(self) -> Array:
        """H with ½ ∫ (ẍ + 2δẋ + λx)² dt = ½ cᵀ H c, (K, K)."""
        out = np.zeros((self.size, self.size))
        for i, columns in enumerate(self.columns):
            way = np.concatenate([-self.pieces.transition[i], np.eye(2)], axis=1)  # (2, 4)
            block = way.T @ np.linalg.solve(self.pieces.gramian[i], way)
            alive = columns >= 0
            np.add.at(out, np.ix_(columns[alive], columns[alive]), block[np.ix_(alive, alive)])
        return np.asarray(frozen(0.5 * (out + out.T)))

    def natural(self, values: ArrayLike) -> Array:
        """Coefficients (K, m) of the curve of least effort through values (K/2, m): slopes left free.

        Its curvature is continuous at every key.
        """
        given = checked(values, "values", (self.size // 2, None))
        effort = self.effort
        slopes = np.linalg.solve(effort[1::2, 1::2], -effort[1::2, ::2] @ given)
        return np.stack([given, slopes], axis=1).reshape(self.size, -1)
