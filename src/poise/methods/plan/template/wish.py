"""What is asked of a template; what is left out follows from the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.world import World

MOST_STEPS = 1000
"""Of one motion."""
MOST_FRAMES = 36_000
"""Of one motion: ten minutes at 60 per second."""
MOST_ROUNDS = 100
"""Of one turn."""
FARTHEST = 10_000.0
"""No place that is asked for is farther away [m]."""


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

    def __post_init__(self) -> None:
        for name in ("over", "high", "route", "footsteps", "to"):
            place = getattr(self, name)
            each = () if place is None else place if isinstance(place, Sequence) else (place,)
            if not all(np.all(np.abs(part) <= FARTHEST) for part in each):
                raise InputError(f"field {name!r}: at most {FARTHEST:g} m can be asked for")
        if self.angle is not None and not abs(self.angle) <= 2 * np.pi * MOST_ROUNDS:
            raise InputError(f"field 'spin': at most {360 * MOST_ROUNDS}° can be asked for")
        for name, count in (("steps", self.steps or 0), ("footsteps", len(self.footsteps))):
            if count > MOST_STEPS:
                raise InputError(f"field {name!r}: {count:,} are too many; a template makes {MOST_STEPS:,}")

    def counted(self, steps: float) -> int:
        """So many steps, rounded up, at least one; refused where they are too many."""
        if not steps <= MOST_STEPS:
            raise InputError(
                f"{steps:,.0f} steps would be needed; a template makes {MOST_STEPS:,}: ask for a shorter way"
            )
        return max(1, int(np.ceil(steps - 1e-9)))

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
        """Frames from 0 to the first at or after a duration [s], two at least, and the time between."""
        frames = duration * self.fps
        if not frames <= MOST_FRAMES:
            raise InputError(
                f"the motion would have {frames:,.0f} frames; a template makes {MOST_FRAMES:,}: ask for less "
                "time, a shorter way or fewer frames per second"
            )
        count = max(int(np.ceil(frames - 1e-9)), 1) + 1
        return np.arange(count) / self.fps, 1.0 / self.fps
