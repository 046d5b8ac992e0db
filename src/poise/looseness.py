"""How loose a character is: the words of it and how it is simulated, as data.

A joint's spring is given by the frequency f at which the limb would swing on it and its damping ratio ζ, or
directly by stiffness [N·m/rad] and damping [N·m·s/rad]. Tension may differ by joint or limb ("left arm",
"Right*", later entries win) and be keyed over time. Nothing compiled is read here, so that a project can be
opened and checked without the methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from poise.arrays import FARTHEST, Array
from poise.errors import InputError, UnknownNameError

GRAVITIES = ("on", "off", "compensated")
ROOTS = ("prescribed", "driven")
DAMPINGS = ("rest", "reference")
SHORTEST_STEP = 1e-6
"""[s]: smaller ones would take for ever, and gain nothing."""


@dataclass(frozen=True)
class Tension:
    """One spring: by frequency and damping ratio, or by stiffness and damping."""

    frequency: float | None = None
    """[Hz]"""
    ratio: float = 0.7
    """Damping ratio; 1 is critical."""
    stiffness: float | None = None
    """[N·m/rad or N/m]"""
    damping: float | None = None
    """[N·m·s/rad or N·s/m]; with ``stiffness``, where not given it follows from ``ratio``."""

    def __post_init__(self) -> None:
        if (self.frequency is None) == (self.stiffness is None):
            raise InputError("a tension is given either by a frequency [Hz] or by a stiffness [N·m/rad]")
        for name in ("frequency", "ratio", "stiffness", "damping"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= FARTHEST:
                raise InputError(
                    f"tension: {name} must be finite and not negative, at most {FARTHEST:g}, not {value}"
                )

    def gains(self, inertia: Array) -> tuple[Array, Array]:
        """Kp and Kd for degrees of freedom with the given inertia, (n,) each."""
        if self.frequency is not None:
            omega = 2 * np.pi * self.frequency
            return inertia * omega**2, 2 * self.ratio * inertia * omega
        stiffness = np.full_like(inertia, float(self.stiffness or 0.0))
        if self.damping is not None:
            return stiffness, np.full_like(inertia, self.damping)
        return stiffness, 2 * self.ratio * np.sqrt(stiffness * inertia)


LEGS = 3.0
"""Legs carry the body: in presets they are this much tenser."""
PRESETS: dict[str, Tension] = {
    "tense": Tension(12.0, 1.0),
    "firm": Tension(7.0, 0.8),
    "relaxed": Tension(4.5, 0.7),
    "loose": Tension(2.5, 0.5),
    "drunk": Tension(1.6, 0.35),
}
"""From held to hanging."""

Spec = str | float | Tension | Mapping[str, "str | float | Tension"]
Keyed = Sequence[tuple[float, Spec]]


def tension_of(value: str | float | Tension) -> Tension:
    """A preset by its name, a frequency [Hz] or a tension as one."""
    given: Any = value
    if isinstance(given, bool) or not isinstance(given, str | Real | Tension):
        raise InputError(f"a tension is a name, a frequency [Hz] or a Tension, not {given!r}")
    if isinstance(value, Tension):
        return value
    if isinstance(value, str):
        if value not in PRESETS:
            raise UnknownNameError("tension", value, PRESETS)
        return PRESETS[value]
    return Tension(frequency=float(value))


def is_keyed(tension: Any) -> bool:
    """Whether a tension changes over time."""
    return not isinstance(tension, str | Real | Tension | Mapping)


@dataclass(frozen=True)
class Options:
    """How states are simulated."""

    gravity: str = "on"
    """"on"; "off"; "compensated": springs carry the weight of the kinematic pose."""
    root: str = "prescribed"
    """"prescribed": the root moves as animated, the rest feels it; "driven": by springs like any joint."""
    damping: str = "rest"
    """What dampers are fixed to: "rest", or the "reference" motion's velocity."""
    step: float = 0.01
    """Longest step of the simulation [s]; never the clip's."""
    order: int = 2
    """2: second order, L-stable; 1: backward Euler."""

    def __post_init__(self) -> None:
        for value, valid, what in (
            (self.gravity, GRAVITIES, "gravity"),
            (self.root, ROOTS, "root"),
            (self.damping, DAMPINGS, "damping reference"),
        ):
            if value not in valid:
                raise UnknownNameError(what, value, valid)
        if not SHORTEST_STEP <= self.step <= FARTHEST:
            raise InputError(f"the step must be positive, at least {SHORTEST_STEP:g} s, not {self.step} s")
        if self.order not in (1, 2):
            raise InputError(f"the order must be 1 or 2, not {self.order}")
