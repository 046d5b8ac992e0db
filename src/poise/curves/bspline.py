"""Cubic B-splines on any nondecreasing knots: smooth, local, positive.

    φ_k is the B-spline of the knots x_k … x_{k+4};   Σ_k φ_k = 1 wherever four functions are alive

A knot that stands m times leaves 3 − m continuous derivatives there. So the ends are a matter of knots alone:
* "free": the knots go on three intervals beyond the first and last key: Σ φ = 1 between them, and beyond them
  the curve fades to zero over three intervals as smoothly (C²) as it is inside;
* "zero": the first and last key stand twice: value and slope vanish there, one function per interior key;
* "periodic": the last key is the first one again, a period later.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.curves.basis import checked_option, keys_of_a_curve
from poise.curves.piecewise import Pieces, PiecewiseCubics
from poise.errors import InputError


@dataclass(frozen=True, eq=False, repr=False)
class BSpline(PiecewiseCubics, kind="bspline"):
    """Cubic B-splines. Most often made by :meth:`uniform` or :meth:`at_keys`.

    Raises:
        InputError: Knots decrease, or there are too few.

    Examples:
        >>> basis = poise.curves.BSpline.uniform(0.0, 1.2, 0.1, ends="zero")
        >>> print(basis.size, basis.continuity)
    """

    knots: Array
    """[s] (K + 4,), not decreasing; periodic: (K + 1,), the last one closes the period."""
    periodic: bool = False
    """Whether curves repeat."""

    ENDS: ClassVar[tuple[str, ...]] = ("free", "zero", "periodic")

    def __post_init__(self) -> None:
        knots = frozen(checked(self.knots, "knots", (None,)))
        object.__setattr__(self, "knots", knots)
        if not isinstance(self.periodic, bool):
            raise InputError(f"periodic must be true or false, not {self.periodic!r}")
        at_least = 2 if self.periodic else 5
        if len(knots) < at_least:
            raise InputError(f"a cubic B-spline needs at least {at_least} knots, not {len(knots)}")
        if (bad := np.flatnonzero(np.diff(knots) < 0)).size:
            i = int(bad[0])
            raise InputError(f"knots must not decrease, but knots[{i + 1}] = {knots[i + 1]:g} < {knots[i]:g}")
        all_around = self._all_knots
        if (bad := np.flatnonzero(all_around[4:] <= all_around[:-4])).size:
            raise InputError(f"the knot {all_around[int(bad[0])]:g} s stands more than four times")

    @classmethod
    def at_keys(cls, keys: ArrayLike, *, ends: str = "free") -> BSpline:
        """Knots at the given instants (n,) [s]; n + 2 functions if free, n − 2 if zero, n − 1 if periodic."""
        checked_option(ends, "ends", cls.ENDS)
        times = keys_of_a_curve(keys, "keys", at_least=3 if ends == "zero" else 2)
        if ends == "periodic":
            return cls(times, periodic=True)
        first, last = times[0], times[-1]
        if ends == "zero":
            return cls(np.concatenate([[first], times, [last]]))
        before = first - (times[1] - first) * np.arange(3, 0, -1)
        after = last + (last - times[-2]) * np.arange(1, 4)
        return cls(np.concatenate([before, times, after]))

    @classmethod
    def uniform(cls, t0: float, t1: float, spacing: float, *, ends: str = "free") -> BSpline:
        """Even knots from t0 to t1 [s], as near to ``spacing`` [s] as divides the interval evenly."""
        if not (np.isfinite([t0, t1, spacing]).all() and t1 > t0 and spacing > 0):
            asked = f"even knots from {t0:g} to {t1:g} s every {spacing:g} s"
            raise InputError(f"{asked}: t1 must be after t0 and the spacing positive")
        intervals = max(2 if ends == "zero" else 1, round((t1 - t0) / spacing))
        return cls.at_keys(np.linspace(t0, t1, intervals + 1), ends=ends)

    @cached_property
    def supports(self) -> Array:
        """(K, 2) [s]: four intervals between knots each."""
        knots = self._all_knots[3:] if self.periodic else self._all_knots
        count = len(self.knots) - (1 if self.periodic else 4)
        supports = np.stack([knots[:count], knots[4 : count + 4]], axis=1)
        if self.period is not None:
            supports[supports[:, 1] - supports[:, 0] >= self.period] = self.knots[[0, -1]]
        return frozen(supports)

    @property
    def period(self) -> float | None:
        """From the first knot to the last, if periodic [s]."""
        return float(self.knots[-1] - self.knots[0]) if self.periodic else None

    @cached_property
    def centres(self) -> Array:
        """(K,) [s]: where each coefficient acts most (Greville): Σ centres_k φ_k(t) = t where Σ φ = 1."""
        knots = self._all_knots[3:] if self.periodic else self._all_knots
        k = np.arange(self.size)
        return frozen((knots[k + 1] + knots[k + 2] + knots[k + 3]) / 3)

    @property
    def unity(self) -> tuple[float, float] | None:
        """The interval [s] on which Σ φ = 1; None where the basis has none."""
        if self.periodic:
            return self.span
        if len(self.knots) < 8 or self.knots[-4] <= self.knots[3]:
            return None
        return float(self.knots[3]), float(self.knots[-4])

    @property
    def continuity(self) -> int:
        """Two, less where inner knots coincide."""
        inner = self.knots[:-1] if self.periodic else self.knots
        counts = np.unique(inner, return_counts=True)[1]
        if not self.periodic:
            counts = counts[1:-1]
        return 3 - int(counts.max(initial=1))

    @property
    def end_continuity(self) -> int:
        """Two, less where the first or last knot is repeated."""
        if self.periodic:
            return self.continuity
        first, last = np.sum(self.knots == self.knots[0]), np.sum(self.knots == self.knots[-1])
        return 3 - int(max(first, last))

    @cached_property
    def pieces(self) -> Pieces:
        """The four cubics alive on each interval between distinct knots, by the Cox–de Boor recursion."""
        count = self.size
        knots, first = self._all_knots, 3  # function k begins at knots[k + first]
        if not self.periodic:
            # Three knots beyond each end let four functions live everywhere; the strangers are dropped below.
            knots = np.concatenate([knots[0] - [3.0, 2.0, 1.0], knots, knots[-1] + [1.0, 2.0, 3.0]])
        inner = first + np.arange(len(self.knots) - 1)
        inner = inner[knots[inner + 1] > knots[inner]]
        h = knots[inner + 1] - knots[inner]
        alive = [np.zeros((len(inner), 4))]
        alive[0][:, 0] = 1.0
        for degree in range(1, 4):
            raised = [np.zeros((len(inner), 4)) for _ in range(degree + 1)]
            for r in range(degree):
                low, high = knots[inner + 1 - degree + r], knots[inner + 1 + r]
                part = alive[r] / (high - low)[:, None]
                raised[r] += _times_linear(part, high - knots[inner], -h)
                raised[r + 1] += _times_linear(part, knots[inner] - low, h)
            alive = raised
        columns = inner[:, None] + np.arange(-3, 1) - first
        if self.periodic:
            columns %= count
        columns = np.where((columns >= 0) & (columns < count), columns, -1)
        return Pieces(frozen(np.append(knots[inner], self.knots[-1])), columns, np.stack(alive, axis=1))

    @cached_property
    def _all_knots(self) -> Array:
        """The knots; if periodic, with three more before and four more after the period's own."""
        if not self.periodic:
            return self.knots
        count = len(self.knots) - 1
        turns, place = np.divmod(np.arange(-3, count + 5), count)
        return frozen(self.knots[place] + turns * (self.knots[-1] - self.knots[0]))


def _times_linear(polynomials: Array, constant: Array, slope: Array) -> Array:
    """(n, 4): polynomials in s (n, 4), the last power vacant, times constant + slope·s."""
    product = polynomials * constant[:, None]
    product[:, 1:] += polynomials[:, :-1] * slope[:, None]
    return product
