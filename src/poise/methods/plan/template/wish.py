"""What is asked of a template; what is left out follows from the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from poise.arrays import Array
from poise.world import World


@dataclass(frozen=True)
class Wish:
    """Options of all templates; each takes some of them."""

    over: float | None = None
    """How far [m]."""
    high: float | None = None
    """How high [m]."""
    angle: float | None = None
    """How far to turn, to the left [rad]."""
    route: Sequence[Sequence[float]] = ()
    """Places to go through [m] (2,) each."""
    footsteps: Sequence[Sequence[float]] = ()
    """Where feet are put in turn [m, rad]: x, y and yaw."""
    steps: int | None = None
    speed: float | None = None
    """[m/s]"""
    to: Sequence[float] | None = None
    """A place [m] (3,)."""
    side: str | None = None
    """``left`` or ``right``."""
    seconds: float | None = None
    """How long it lasts [s]."""
    tempo: float = 1.0
    """How many times as fast as the body would by itself."""
    world: World | None = None
    fps: float = 60.0

    @property
    def given(self) -> tuple[str, ...]:
        """Options that were said."""
        usual = Wish()
        return tuple(
            f.name
            for f in fields(self)
            if f.name not in ("fps", "tempo", "world") and getattr(self, f.name) != getattr(usual, f.name)
        )

    def times(self, duration: float) -> tuple[Array, float]:
        """Frames from 0 to the first at or after a duration [s], and the time between."""
        count = int(np.ceil(duration * self.fps - 1e-9)) + 1
        return np.arange(count) / self.fps, 1.0 / self.fps
