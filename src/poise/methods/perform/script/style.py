"""The gains of an approach, which shape it: early and settled, or late and snappy.

With gains kp = A/s² and kd = B/s for a time left s, an error decays like s^p,

    p² − (1 + B) p + A = 0,    A = p₁ p₂,  B = p₁ + p₂ − 1;    critically damped: A = n², B = 2n

so arrival is exact for any style with p > 1 (n > 2); n, how many time constants there are in the time left
(those of ``control`` are s/n), only shapes the way. Torques stay bounded for p > 2
(n > 2 + √2), jerks for p > 3 (n > 3 + √3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.errors import InputError, UnknownNameError

STYLES = {"snappy": 3.5, "lively": 4.75, "smooth": 6.0, "settled": 9.5}
"""n by name: half of the way is done after 0.41, 0.31, 0.25, 0.17 of the time."""
MANUAL = 6.0
"""n of hand-tuned gains, which suit the first key: (1 + n) e^{−n} of the way is left then."""

Style = str | float | tuple[float, ...]
"""A name, n, or the two powers (p₁, p₂)."""


class Approach(NamedTuple):
    """Gains times powers of the time left."""

    stiff: float
    """A"""
    damp: float
    """B"""

    @property
    def powers(self) -> tuple[complex, complex]:
        """p₁ and p₂, the slower first."""
        root = np.sqrt(complex((1 + self.damp) ** 2 - 4 * self.stiff))
        return complex(1 + self.damp - root) / 2, complex(1 + self.damp + root) / 2


def approach(style: Style) -> Approach:
    """The gains of a style."""
    if isinstance(style, str):
        if style not in STYLES:
            raise UnknownNameError("style", style, STYLES)
        style = STYLES[style]
    try:
        numbers = np.asarray(style, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"a style is a name, a number n or two powers, not {style!r}") from None
    if numbers.shape == () and 2 < numbers < 100:
        n = float(numbers)
        return Approach(n * n, 2 * n)
    if numbers.shape == (2,) and (numbers > 1).all() and (numbers < 100).all():
        first, second = (float(x) for x in numbers)
        return Approach(first * second, first + second - 1)
    raise InputError(f"a style needs n above 2 or two powers above 1 to arrive (below 100), not {style!r}")
