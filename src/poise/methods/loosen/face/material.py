"""What a face is made of: how fast it follows the animation, and how firmly it keeps its shape.

    d̈ + C ḋ + ω² d + k (1 − P) d = −Ÿ ,   d = x − Y

ω: the springs to the animated place Y of each vertex. k: shape matching, which acts on what is left of d
when its clusters have moved rigidly (P d). Rigid motions so vibrate at ω, all else at ω_s = √(ω² + k), both
with the damping ratio ζ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from poise.errors import InputError, UnknownNameError
from poise.operations.values.face_target import WHOLE
from poise.operations.values.tension import Spring, is_keyed


@dataclass(frozen=True)
class Flesh:
    """Springs, dampers and shape matching in numbers a person can read."""

    frequency: float = 3.0
    """Of the springs to the animation [Hz]."""
    damping: float = 0.2
    """Damping ratio: 0 rings for ever, 1 does not ring."""
    firmness: float = 6.0
    """Frequency of shape matching alone [Hz]; 0: none, every vertex is for itself."""

    def __post_init__(self) -> None:
        for name, least in (("frequency", 1e-3), ("damping", 0.0), ("firmness", 0.0)):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not np.isfinite(value) or value < least:
                bound = "positive" if least else "not negative"
                raise InputError(f"the {name} of flesh must be finite and {bound}, not {value!r}")

    @property
    def omegas(self) -> tuple[float, float]:
        """Of rigid motions of clusters and of all else [rad/s]."""
        slow = 2 * np.pi * self.frequency
        return slow, float(np.hypot(slow, 2 * np.pi * self.firmness))

    def window(self, left: float = 0.01) -> float:
        """How long it takes until only ``left`` of a blow is left [s]."""
        slow, _ = self.omegas
        # The slowest decay: of oscillation, or beyond critical damping of its slower exponential.
        z = self.damping
        share = z if z <= 1 else z - np.sqrt(z * z - 1)
        if share * slow == 0:
            raise InputError("flesh without damping rings for ever: give a window in seconds")
        return float(min(-np.log(left) / (share * slow), 60.0))


FLESHES: Mapping[str, Flesh] = MappingProxyType(
    {
        "tense": Flesh(8.0, 0.35, 14.0),
        "firm": Flesh(5.0, 0.25, 9.0),
        "relaxed": Flesh(),
        "loose": Flesh(2.4, 0.15, 5.0),
        "drunk": Flesh(1.6, 0.12, 3.5),
    }
)
"""Flesh by the names that tensions have."""

Kind = Flesh | Spring | float | str
Spec = Kind | Mapping[str, Kind]
"""Flesh, its frequency [Hz], a spring or the name of a preset, for the whole face or by region."""


def as_flesh(given: Kind) -> Flesh:
    """Flesh from a frequency [Hz], a preset's name or itself."""
    if isinstance(given, Flesh):
        return given
    if isinstance(given, Spring):
        if given.frequency is None:
            raise InputError("flesh has no stiffness of its own: give its springs by a frequency in hertz")
        return Flesh(given.frequency, given.ratio)
    if isinstance(given, str):
        if given not in FLESHES:
            raise UnknownNameError("flesh", given, FLESHES)
        return FLESHES[given]
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InputError(f"flesh is a Flesh, a frequency in hertz or a preset, not {given!r}")
    return Flesh(frequency=float(given))


def fleshes(tension: Any, ratio: float | None = None, firmness: float | None = None) -> dict[str, Flesh]:
    """Flesh by region from a tension, with damping ratio and firmness [Hz] where these are given."""
    if is_keyed(tension):
        raise InputError("the tension of a face cannot be keyed over time: give one, or one by region")
    parts = tension if isinstance(tension, Mapping) else {WHOLE: tension}
    changes = {k: v for k, v in (("damping", ratio), ("firmness", firmness)) if v is not None}
    return {region: replace(as_flesh(value), **changes) for region, value in parts.items()}
