"""Levenberg–Marquardt for small problems: damped steps, of which only those that lessen the error are taken.

    x ← step(x, λ),   λ falls where the error does, and rises tenfold where it does not

Who calls it knows what x is (a pose, a momentum), measures it and makes the damped step; the loop, its bound
and its exits are here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

RISE = 10.0
"""By which damping grows when a step is refused."""

X = TypeVar("X")
Seen = TypeVar("Seen")


class Damping(NamedTuple):
    """How steps are damped, in whatever unit the step takes it."""

    first: float
    fall: float
    """Factor after a step that was taken."""
    least: float
    most: float
    """Damped by more than this no step is tried: none that is worth taking leads on."""


class Lessened(NamedTuple, Generic[X, Seen]):
    """Where it ended, the error there, and what was seen there."""

    x: X
    size: float
    seen: Seen


def lessen(
    start: X,
    look: Callable[[X], tuple[float, Seen]],
    step: Callable[[X, Seen, float], X],
    damping: Damping,
    *,
    iterations: int,
    enough: float,
    gain: float = 0.0,
    rounding: float = 0.0,
) -> Lessened[X, Seen]:
    """Lessen an error from ``start``: ``look`` tells it with what else is seen, ``step`` goes on from there.

    It ends below ``enough``; after a step that gained less than the share ``gain`` (a least miss, not a
    zero); at the first refusal below ``rounding``; or when damping is beyond its most.
    """
    x, by = start, damping.first
    size, seen = look(x)
    for _ in range(iterations):
        if size < enough:
            break
        trial = step(x, seen, by)
        ahead, found = look(trial)
        if ahead < size:
            hardly = size - ahead < gain * size
            x, size, seen = trial, ahead, found
            by = max(damping.fall * by, damping.least)
            if hardly:
                break
        else:
            by *= RISE
            if by > damping.most or size < rounding:
                break
    return Lessened(x, size, seen)
