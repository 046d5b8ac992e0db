"""Partial key-frames: what one thing must do at one instant, and nothing about the rest of the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError, UnknownNameError
from poise.methods.plan.model.affine_figure import CENTRE
from poise.methods.plan.scene import checks as given

Partial = Sequence[float | None]
"""Three numbers; None leaves an axis free."""

PERSON = 75.0
"""Mass for which weights and tolerances are meant [kg]: effort and momentum are proportional to mass, and a
key must weigh as much on all scales.
"""

TOLERANCES = {
    "position": 1e-3,  # [m]
    "velocity": 0.01,  # [m/s]
    "orientation": 1e-3,  # [rad]
    "angular_velocity": 0.01,  # [rad/s]
    "angular_momentum": 0.15,  # [kg·m²/s] of a person, about 0.01 rad/s; of others by mass
}
"""When a key counts as met."""

WEIGHTS = {
    "position": 1.0,
    "velocity": 0.1,
    "orientation": 1.0,
    "angular_velocity": 0.1,
    "angular_momentum": 0.01,
}
"""A centimetre weighs as much as a decimetre per second: residuals per unit."""


@dataclass(frozen=True)
class PartialKey:
    """A key-frame of one body, point, or the whole (``"com"``). Give as much of it as matters."""

    of: str
    """Name of a body, of a point on a body, or ``"com"``: the body as a whole."""
    at: float | None = None
    """Seconds after the segment begins; its end by default."""
    position: Partial | None = None
    """[m] in the world; with ``relative``, from where it is in the segment's reference pose."""
    velocity: Partial | None = None
    """[m/s]"""
    orientation: Sequence[float] | None = None
    """Unit quaternion (w, x, y, z) of a body in the world; with ``relative``, a turn from the reference."""
    angular_velocity: Partial | None = None
    """[rad/s], world axes; of ``"com"``: J⁻¹L of the whole body."""
    angular_momentum: Partial | None = None
    """L about the centre of mass [kg·m²/s]; of ``"com"`` only."""
    relative: bool = False
    """Positions and orientations are told from the reference pose, along the figure's heading."""
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not any(getattr(self, name) is not None for name in TOLERANCES):
            raise InputError(f"the key of {self.of!r} sets nothing; give one of {', '.join(TOLERANCES)}")
        for name in TOLERANCES:
            value = getattr(self, name)
            if value is None:
                continue
            size = 4 if name == "orientation" else 3
            if not _numbers(value, size):
                free = "" if size == 4 else " (None leaves an axis free)"
                raise InputError(
                    f"{name} of the key of {self.of!r} must be {size} numbers{free}, not {value!r}"
                )
        if self.at is not None:
            given.number(self.at, f"time of the key of {self.of!r} [s]")
        given.number(self.weight, f"weight of the key of {self.of!r}", above=0)
        if self.angular_momentum is not None and self.of != CENTRE:
            raise InputError(f"angular_momentum is the whole body's: a key of 'com', not of {self.of!r}")
        if self.orientation is not None and self.of == CENTRE:
            raise InputError("the whole body has no orientation; give that of a body, or a flight's turn")

    def check(self, character: Character) -> None:
        """Refuse names that the character does not have."""
        if self.of != CENTRE and self.of not in character.points:
            raise UnknownNameError(
                "body or point", self.of, [*character.points, CENTRE], where=f"a key for {character.name}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain data without what was left out."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        defaults = {f.name: f.default for f in fields(self)}
        return {
            name: (list(value) if isinstance(value, (tuple, list, np.ndarray)) else value)
            for name, value in plain.items()
            if name == "of" or value is not defaults[name]
        }


def _numbers(value: Any, size: int) -> bool:
    """Whether these are so many numbers; of three, some may be left free."""
    try:
        told = np.array([np.nan if x is None else x for x in value], dtype=np.float64)
    except (TypeError, ValueError):
        return False
    free = np.array([x is None for x in value])
    enough = int((~free).sum()) >= (4 if size == 4 else 1)
    return len(told) == size and enough and bool(np.isfinite(told[~free]).all())


def split(value: Partial) -> tuple[Array, Array]:
    """Which axes are told (3, as 0 or 1), and the values with zeros elsewhere (3,)."""
    told = np.array([x is not None for x in value], dtype=np.float64)
    return told, np.array([0.0 if x is None else float(x) for x in value])
