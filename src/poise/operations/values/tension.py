"""How loose a character is: the words of it, as data.

A joint's spring is given by the frequency f at which its limb swings, all else held (the slowest way it can),
and the damping ratio ζ of that swing; or directly by stiffness and damping. Tension may differ by joint or
limb ("left arm", "Right*", later entries win) and be keyed over time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Annotated, Any

import msgspec

from poise.errors import InputError, UnknownNameError
from poise.operations.declare import Value, about, unit
from poise.operations.frozen_data import freeze
from poise.operations.quantities import Damping, Ratio, Stiffness, Time

STRONGEST = 1e12
"""Larger numbers are mistakes."""


class Spring(Value, frozen=True):
    """One spring: by frequency and damping ratio, or by stiffness and damping.

    Examples:
        >>> loose = poise.loosen(poise.clips.get("walk"), {"*": "firm", "* arm": poise.Spring(frequency=1.5)})
    """

    frequency: Annotated[
        Annotated[float, unit("Hz", ge=0)] | None,
        about("Frequency of the limb's swing with everything else held.", slider=(0.3, 12)),
    ] = None
    ratio: Annotated[Ratio, about("Damping ratio; 1 does not overshoot.", slider=(0, 2))] = 0.45
    stiffness: Annotated[Stiffness | None, about("Stiffness (N/m for sliding joints).")] = None
    damping: Annotated[
        Damping | None, about("Damping, together with a stiffness. Default: from the damping ratio.")
    ] = None

    def __post_init__(self) -> None:
        if (self.frequency is None) == (self.stiffness is None):
            raise InputError("a tension is given either by a frequency [Hz] or by a stiffness [N·m/rad]")
        for name in ("frequency", "ratio", "stiffness", "damping"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= STRONGEST:
                raise InputError(
                    f"tension: {name} must be finite and not negative, at most {STRONGEST:g}, not {value}"
                )


LEGS = 3.0
"""Legs carry the body: in presets they are this much tenser."""
HEAD = 1.35
"""Heads balance on their necks: in presets they are this much tenser, or drunk ones would topple."""
TENSIONS: dict[str, Spring] = {
    "tense": Spring(7.5, 0.65),
    "firm": Spring(4.4, 0.5),
    "relaxed": Spring(2.8, 0.45),
    "loose": Spring(1.6, 0.32),
    "drunk": Spring(1.0, 0.22),
}
"""From held to hanging."""
KEYED = "keyed"
"""The word for a joint that stays exactly as animated."""
HELD = Spring(12.0, 0.65)
"""What holds a joint near the times at which it is keyed, where it is not at others."""
CHOICES = {
    KEYED: "exactly as animated",
    **{name: f"{spring.frequency:g} Hz" for name, spring in TENSIONS.items()},
}
"""What the words mean."""
Held = Annotated[str | float, unit("Hz")]
"""A preset, ``keyed``, or a frequency."""
Tension = Held | dict[str, Held | Spring]
"""A preset, a frequency, or either by joint or limb, later entries winning ("*" is the whole body)."""
Spec = str | float | Spring | Mapping[str, "str | float | Spring"]
Keyed = Sequence[tuple[float, Spec]]


class TensionKey(Value, frozen=True):
    """A tension at a time.

    Examples:
        >>> keys = [poise.TensionKey(time=0.0, tension="firm"), poise.TensionKey(time=0.6, tension="drunk")]
        >>> tiring = poise.loosen(poise.clips.get("walk"), keys)
    """

    time: Annotated[Time, about("Time.")]
    tension: Annotated[Tension, about("Tension.", editor="tension")]

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "tension", freeze(self.tension, "tension"))


def spring_of(value: str | float | Spring) -> Spring:
    """A preset by its name, a frequency [Hz] or a spring as one."""
    given: Any = value
    if isinstance(given, bool) or not isinstance(given, str | Real | Spring):
        raise InputError(f"a tension is a name, a frequency [Hz] or a Spring, not {given!r}")
    if isinstance(value, Spring):
        return value
    if isinstance(value, str):
        if value not in TENSIONS and value != KEYED:
            raise UnknownNameError("tension", value, [*TENSIONS, KEYED])
        return TENSIONS.get(value, HELD)
    return Spring(frequency=float(value))


def is_keyed(tension: Any) -> bool:
    """Whether a tension changes over time."""
    return not isinstance(tension, str | Real | Spring | Mapping)


def spec_of(tension: Any) -> Any:
    """A tension as the simulation takes it; a name that is none is refused."""
    if isinstance(tension, tuple):
        return [(key.time, spec_of(key.tension)) for key in tension]
    if isinstance(tension, Mapping):
        return {part: _known(value) for part, value in tension.items()}
    return _known(tension)


def _known(value: str | float | Spring) -> str | float | Spring:
    spring_of(value)
    return value


def plain_tension(tension: Any) -> Any:
    """A tension as Python callers write it, as it is declared: one spring for all, keys as pairs."""
    if isinstance(tension, Spring):
        return {"*": tension}
    if not isinstance(tension, list | tuple):
        return tension
    return [
        {"time": pair[0], "tension": plain_tension(pair[1])}
        if isinstance(pair, list | tuple) and len(pair) == 2
        else pair
        for pair in tension
    ]
