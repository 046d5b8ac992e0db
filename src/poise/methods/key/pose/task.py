"""A task: a handle that a pose should bring to its target, and how strictly.

Strict tasks have a level, 0, 1, 2 …: each level is met as well as those with lower numbers allow, whatever
the ones below ask. Tasks without a level share the *soft level*, where each pulls with a weight against the
desired pose. There a gain g ∈ [0, 1] says how firmly:

    weight = W g / (1 − g),   0: absent,   ½: W,   1: as good as exact (the weight is capped)

so that a gain that fades, fades smoothly. A soft task may have a bound on its pull: beyond it, out of reach,
only the direction of its target counts (``grip``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.errors import InputError
from poise.handles import Handle

FIRMEST = 1e5
"""The largest weight a gain can give, relative to the task's own."""


@dataclass(frozen=True)
class Task:
    """What to hold on to, at which level."""

    handle: Handle
    level: int | None = None
    """0, 1, 2 …: strict, lower numbers first. None: the soft level."""
    weight: float = 1.0
    """W: in the soft level, of the squared error [m⁻² or rad⁻²]; among strict tasks, only relative to others
    of the same level, where they cannot all be met."""
    most: float = float("inf")
    """Of a soft task: the pull w |e| [m⁻¹, rad⁻¹] from which on it gives way; at no distance is it twice as
    much."""

    def __post_init__(self) -> None:
        if not isinstance(self.handle, Handle):
            raise InputError(f"a task holds a handle of poise.handles, not {self.handle!r}")
        if self.level is not None and (not isinstance(self.level, int) or self.level < 0):
            raise InputError(f"{self.handle.label}: a level is 0, 1, 2 … or None (soft), not {self.level!r}")
        if not (np.isfinite(self.weight) and self.weight > 0):
            raise InputError(f"{self.handle.label}: a weight must be positive and finite, not {self.weight}")
        if not self.most > 0:
            raise InputError(f"{self.handle.label}: the most it pulls must be positive, not {self.most}")


class Grips(NamedTuple):
    """Tasks whose pull is bounded, as compiled code reads them; read-only, (G,)."""

    first: IntArray
    last: IntArray
    """Their rows are first … last − 1."""
    most: Array


def grips_of(tasks: Sequence[Task], rows: Sequence[slice]) -> Grips:
    """Those of the tasks that are soft and bounded."""
    bounded = [(own, t.most) for t, own in zip(tasks, rows) if t.level is None and np.isfinite(t.most)]
    return Grips(
        frozen([own.start for own, _ in bounded], dtype=np.int64),
        frozen([own.stop for own, _ in bounded], dtype=np.int64),
        frozen([most for _, most in bounded]),
    )


def weight_of_gain(gain: Array) -> Array:
    """g / (1 − g), capped."""
    return np.minimum(gain / np.maximum(1.0 - gain, 1e-300), FIRMEST)
