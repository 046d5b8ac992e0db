"""How fast a clip plays, by the gravity that its flights imply: r = √(g / 9.81).

Flights are weighted by what their fits are worth. A ratio counts as wrong when it is off by more than 8 %
(17 % of gravity, about what guessed masses may cost) and clearly beyond its own uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from poise.contacts.ballistics import Parabola
from poise.gravity import EARTH

TOLERANCE = 0.08
"""Ratios up to this far from 1 are not worth a word."""
MODEL = 0.04
"""What any implied gravity is uncertain by, over itself, as masses are guessed."""
ROUND = (2.0, 3.0, 4.0)
"""Ratios that wrong frame rates give."""


@dataclass(frozen=True)
class Pace:
    """Gravity implied by all flights of a clip."""

    gravity: float
    """[m/s²]"""
    uncertainty: float
    """[m/s²]"""
    flights: int

    @property
    def ratio(self) -> float:
        """How many times too fast the clip plays; below 1: too slow."""
        return math.sqrt(max(self.gravity, 0.0) / EARTH)

    @property
    def off(self) -> bool:
        """Whether the clip clearly does not play at the right speed."""
        return abs(self.ratio - 1) > TOLERANCE and abs(self.gravity - EARTH) > 2 * self.uncertainty

    @property
    def words(self) -> str:
        """ "plays about 2× too fast"."""
        if not self.off:
            return "plays at the right speed"
        return spoken(self.ratio, 0.5 * self.uncertainty / self.gravity)


def spoken(ratio: float, uncertainty: float = 0.0) -> str:
    """A ratio in words, rounded to what is likely meant; ``uncertainty`` is relative."""
    times, way = (ratio, "fast") if ratio > 1 else (1 / ratio, "slow")
    slack = max(0.06, min(2 * uncertainty, 0.12))
    near = next((n for n in ROUND if abs(times / n - 1) < slack), None)
    return f"plays about {near:.0f}× too {way}" if near else f"plays about {times:.1f}× too {way}"


def pace_of(fits: Sequence[Parabola]) -> Pace | None:
    """The pace that several flights agree on."""
    fits = [fit for fit in fits if math.isfinite(fit.uncertainty)]
    if not fits:
        return None
    doubts = [fit.uncertainty**2 + (MODEL * fit.gravity) ** 2 for fit in fits]
    total = sum(1 / d for d in doubts)
    mean = sum(fit.gravity / d for fit, d in zip(fits, doubts)) / total
    # Wrong masses are wrong in every flight: more flights do not make the mean surer.
    return Pace(mean, math.sqrt(len(fits) / total), len(fits))
