"""How widely the mass is spread, keyed over time: tuck and stretch.

The measure is one of ``RotationalInertia``'s: "gyration" (one length, the usual handle), "planar", "radii",
"shape" or "tensor". The track acts strictly, from first key to last; only the centre of mass goes before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poise.errors import InputError
from poise.handles import RotationalInertia
from poise.methods.key.sheet.pin import space_of
from poise.methods.key.sheet.track import Track


@dataclass(frozen=True)
class InertiaTrack:
    """A measure of inertia and its values over time."""

    values: Track
    measure: str = "gyration"
    muted: bool = False

    def __post_init__(self) -> None:
        handle = self.handle  # an unknown measure is refused here
        if not self.values.keys:
            raise InputError("an inertia track needs at least one key")
        for key in self.values.keys:
            if key.value is None or len(key.value) != handle.size:
                raise InputError(f"the {handle.label} at {key.time:g} s must have {handle.size} numbers")
            if self.measure in ("gyration", "planar", "radii") and not np.all(np.asarray(key.value) > 0.0):
                raise InputError(f"the {handle.label} at {key.time:g} s must be positive, not {key.value}")

    @staticmethod
    def of(values: Any, *, measure: str = "gyration") -> InertiaTrack:
        """From ``{time: value}`` or keys, in the unit of the measure."""
        return InertiaTrack(Track.of(space_of(RotationalInertia(measure)), values), measure)

    @property
    def acts(self) -> bool:
        """Whether anything of it is heeded at all."""
        return not self.muted and bool(self.values.live)

    @property
    def handle(self) -> RotationalInertia:
        """What is measured."""
        return RotationalInertia(self.measure)

    def replaced(self, **changes: object) -> InertiaTrack:
        """A copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]  # each is checked
