"""The same work done by two: what is called, how much of it one call does, how far the results differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.errors import PoiseError


class DisagreementError(PoiseError):
    """Two that should give the same numbers do not: their times mean nothing."""


def _nothing_to_say() -> str:
    return ""


@dataclass(frozen=True)
class Duel:
    """Two jobs."""

    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    difference: Callable[[], float]
    """Largest difference of what they give; they may have to be called for it."""
    within: float
    """How large that may be."""
    items: tuple[float, float] = (1.0, 1.0)
    """How many items a call of ours does, and of theirs."""
    unit: str = ""
    """What an item is."""
    note: Callable[[], str] = _nothing_to_say
    """What else should be known, once both have run."""

    def agree(self) -> None:
        """Refuse to compare those who do different things."""
        found = self.difference()
        if not found <= self.within:  # also where it is not a number
            raise DisagreementError(f"results differ by {found:.1e}, more than {self.within:.0e}")


def apart(one: ArrayLike, other: ArrayLike) -> float:
    """The largest difference of two arrays, over their size where that is more than 1."""
    a, b = np.asarray(one), np.asarray(other)
    return float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(b))))
