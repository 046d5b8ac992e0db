"""How much of the loose motion is shown, as data: 0 is the animation, 1 the simulation."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from poise.operations.declare import Value, about
from poise.operations.frozen_data import freeze
from poise.operations.quantities import Share, Time

Amplitude = Share | dict[str, Share]
"""One for all, or by joint or limb, later entries winning ("*" is the whole body)."""


class AmplitudeKey(Value, frozen=True):
    """An amplitude at a time."""

    time: Annotated[Time, about("Time.")]
    amplitude: Annotated[Amplitude, about("Amplitude.", editor="factors")]

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "amplitude", freeze(self.amplitude, "amplitude"))


def plain_amplitude(amplitude: Any) -> Any:
    """An amplitude as Python callers write it, as it is declared: keys may be pairs."""
    if not isinstance(amplitude, list | tuple):
        return amplitude
    return [
        {"time": pair[0], "amplitude": pair[1]} if isinstance(pair, list | tuple) and len(pair) == 2 else pair
        for pair in amplitude
    ]
