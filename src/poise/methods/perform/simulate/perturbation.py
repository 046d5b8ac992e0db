"""What happens to a performer: a hit, a push, a thrown body, a weight put on. Times in seconds, world axes.

A *thrown body* flies and collides for real, in MuJoCo. The others need no contact and run compiled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import checked, frozen
from poise.character import Character, Mass, Shape, ShapeKind
from poise.errors import InputError


@dataclass(frozen=True, eq=False)
class Impulse:
    """A hit: momentum given to a point at once."""

    time: float
    point: str
    """A body or a named point."""
    impulse: ArrayLike
    """[N·s], (3,)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "impulse", frozen(checked(self.impulse, "impulse", (3,))))
        _require_time(self.time, "an impulse")


@dataclass(frozen=True, eq=False)
class Push:
    """A constant force on a point for a while."""

    start: float
    end: float
    point: str
    force: ArrayLike
    """[N], (3,)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", frozen(checked(self.force, "force", (3,))))
        _require_time(self.start, "a push")
        if not (math.isfinite(self.end) and self.end > self.start):
            raise InputError(f"a push must end after it starts, not from {self.start} to {self.end} s")


@dataclass(frozen=True, eq=False)
class Throw:
    """A body thrown into the scene; it flies freely from its release on and collides."""

    time: float
    """Of its release; before, it is not there."""
    position: ArrayLike
    """Then [m], (3,)."""
    velocity: ArrayLike
    """Then [m/s], (3,)."""
    mass: float = 1.0
    radius: float = 0.08
    """Of a ball [m]; unused where a shape is given."""
    shape: Shape | None = None
    bounce: float = 0.3
    friction: float = 0.6
    name: str = "ball"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "position", frozen(checked(self.position, f"position of {self.name!r}", (3,))))
        put(self, "velocity", frozen(checked(self.velocity, f"velocity of {self.name!r}", (3,))))
        _require_time(self.time, f"throw {self.name!r}")
        if not (self.mass > 0 and self.radius > 0 and 0 <= self.bounce <= 0.9 and self.friction >= 0):
            raise InputError(
                f"{self.name!r} needs a positive mass and radius, a bounce from 0 to 0.9 and a friction ≥ 0"
            )

    @property
    def solid(self) -> Shape:
        """What collides."""
        return self.shape or Shape(ShapeKind.SPHERE, (self.radius, 0, 0), material="target")

    @classmethod
    def to_meet(
        cls, place: ArrayLike, at: float, velocity: ArrayLike, *, flight: float = 0.5,
        gravity: ArrayLike = (0.0, 0.0, -9.81), **more: object,
    ) -> Throw:  # fmt: skip
        """Thrown so that it would be at ``place`` with ``velocity`` at a time, after ``flight`` seconds."""
        there, v = checked(place, "place", (3,)), checked(velocity, "velocity", (3,))
        g = checked(gravity, "gravity", (3,))
        flight = min(flight, at)
        start = there - v * flight + 0.5 * g * flight**2
        return cls(at - flight, start, v - g * flight, **more)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Load:
    """A weight put on a body at a time, a backpack say; it moves with the body from then on."""

    time: float
    body: str
    mass: float
    """[kg]"""
    place: ArrayLike = (0.0, 0.0, 0.0)
    """Its centre in the body's frame [m], (3,)."""
    radius: float = 0.1
    """Of the ball that stands for its inertia [m]."""
    known: bool = True
    """Whether the controller knows; what a character carries it normally does."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", frozen(checked(self.place, "place of a load", (3,))))
        _require_time(self.time, "a load")
        if not (math.isfinite(self.mass) and self.mass > 0 and self.radius > 0):
            raise InputError(f"a load needs a positive mass and radius, not {self.mass} kg, {self.radius} m")

    def on(self, character: Character) -> Character:
        """The character with it."""
        i = character.index(self.body)
        added = Mass(self.mass, self.place, np.full(3, 0.4 * self.mass * self.radius**2))
        masses = [b.mass for b in character.bodies]
        masses[i] = Mass.combined([masses[i], added])
        return character.with_masses(masses, character.mass_source)


Perturbation = Impulse | Push | Throw | Load


def laden(character: Character, loads: Sequence[Load], time: float, *, known: bool) -> Character:
    """The character with what it carries at a time; ``known``: only what its controller knows of."""
    for load in loads:
        if load.time <= time + 1e-9 and (load.known or not known):
            character = load.on(character)
    return character


def _require_time(time: float, what: str) -> None:
    if not (math.isfinite(time) and time >= 0):
        raise InputError(f"{what} must be at a time of at least 0 s, not {time}")
