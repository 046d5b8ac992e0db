"""A marker capture: named points in the world over frames, some of them lost in some frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from poise.arrays import FARTHEST, Array, frozen
from poise.errors import InputError
from poise.markers.plates import ForcePlates
from poise.motion.frame_times import exact_rate
from poise.motion.source import Source

LATEST = 1e9
"""No recording begins later [s]."""


@dataclass(frozen=True, eq=False)
class Markers:
    """Positions of named markers, metres, z up, at a constant rate. Immutable."""

    names: tuple[str, ...]
    positions: Array
    """(F, M, 3) [m]; all three NaN where a marker is lost."""
    rate: Fraction | int | float | str
    """Frames per second, exact."""
    name: str = ""
    source: Source | None = None
    plates: ForcePlates | None = None
    """What force plates measured meanwhile, where the file tells."""
    start: float = 0.0
    """When the first frame was taken, on the clock of the recording [s]: that of its force plates, too."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", tuple(map(str, self.names)))
        put(self, "rate", exact_rate(self.rate))
        if not abs(self.start) <= LATEST:
            raise InputError(f"a capture cannot begin at {self.start} s")
        put(self, "start", float(self.start))
        places = np.array(self.positions, dtype=np.float64)
        if places.ndim != 3 or places.shape[1:] != (len(self.names), 3):
            raise InputError(
                f"positions of {len(self.names)} markers must have shape (…, {len(self.names)}, 3), "
                f"not {places.shape}"
            )
        if not len(places) or not self.names:
            raise InputError("a capture needs at least one marker and one frame")
        twice = next((n for k, n in enumerate(self.names) if n in self.names[:k]), None)
        if twice is not None:
            raise InputError(f"two markers are named {twice!r}")
        places[~np.isfinite(places).all(axis=2)] = np.nan
        if np.nanmax(np.abs(places), initial=0.0) > FARTHEST:
            raise InputError(f"markers lie farther than {FARTHEST:g} m away: the unit must be wrong")
        put(self, "positions", frozen(places))

    def __repr__(self) -> str:
        return f"Markers({self.name!r}, {len(self.names)} markers, {self.frames} frames at {self.fps:g} fps)"

    @property
    def frames(self) -> int:
        """How many."""
        return len(self.positions)

    @property
    def fps(self) -> float:
        """Frames per second."""
        return float(Fraction(self.rate))

    @property
    def duration(self) -> float:
        """From the first frame to the last [s]."""
        return (self.frames - 1) / self.fps

    @property
    def times(self) -> Array:
        """Of the frames, on the clock of the recording [s] (F,)."""
        return self.start + np.arange(self.frames) / self.fps

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Whether each marker is seen, (F, M)."""
        return np.isfinite(self.positions[:, :, 0])

    def only(self, names: Sequence[str]) -> Markers:
        """Some of the markers, in this order."""
        at = [self.names.index(n) for n in names]
        return replace(self, names=tuple(names), positions=self.positions[:, at])
