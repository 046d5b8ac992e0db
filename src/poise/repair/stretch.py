"""A stretch: frames that a repair makes anew, with what it is about."""

from __future__ import annotations

from dataclasses import dataclass

from poise.arrays import Array
from poise.plausibility.finding import Finding


@dataclass(frozen=True, eq=False)
class Stretch:
    """Frames first … last of a clip, as they are to be."""

    first: int
    last: int
    q: Array
    """(last − first + 1, nq)"""
    findings: tuple[Finding, ...]
    """What it mends."""
    words: str
    """What is done."""


def put(q: Array, stretches: list[Stretch]) -> Array:
    """Frames (F, nq) with the stretches in them."""
    out = q.copy()
    for s in stretches:
        out[s.first : s.last + 1] = s.q
    return out
