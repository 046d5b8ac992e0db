"""Obstacles of a loosened motion: boxes and balls that stand, or follow keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, TypedDict, Unpack

from poise.errors import InputError
from poise.operations.declare import PURE, Value, about, unit
from poise.operations.quantities import Length, Place, Ratio, Rotation, Time

SLAB = 50.0
"""Half the edge of a floor [m]."""


class PlaceKey(Value, frozen=True):
    """Where an obstacle is at a time."""

    time: Annotated[Time, about("When.")]
    position: Annotated[Place, about("Where its centre is then.", editor="place")]


class Matter(TypedDict, total=False):
    """What may be said of an obstacle beside its size and place; as the fields of ``Obstacle``."""

    turn: Rotation
    path: tuple[PlaceKey, ...]
    friction: float
    bounce: float
    muted: bool


class Obstacle(Value, frozen=True):
    """A solid in the world that yields to nothing: a box by its half edges, or a ball by its radius."""

    name: Annotated[str, about("What it is called.")]
    half: Annotated[tuple[Length, Length, Length] | None, about("Half edges of a box.")] = None
    radius: Annotated[Length | None, about("Of a ball.")] = None
    position: Annotated[Place, about("Its centre, where no keys say more.", editor="place")] = (0.0, 0.0, 0.0)
    turn: Annotated[
        Rotation, about("How it is turned, as a rotation vector; about the vertical: 0, 0, angle.")
    ] = (0.0, 0.0, 0.0)
    path: Annotated[
        tuple[PlaceKey, ...], about("Its centre over time: straight between keys, held before and after.")
    ] = ()
    friction: Annotated[Ratio, about("How hard it is to slide along.", slider=(0, 2))] = 0.8
    bounce: Annotated[
        Annotated[float, unit(PURE, ge=0.02, lt=1)],
        about("Speed that comes back over speed that came in.", slider=(0.02, 0.95)),
    ] = 0.1
    muted: Annotated[bool, about("Whether it is out of the way.")] = False

    @classmethod
    def box(
        cls, name: str, centre: Sequence[float], half: Sequence[float], **more: Unpack[Matter]
    ) -> Obstacle:
        """A box by its centre and half edges [m]: a wall, a table."""
        return cls(name, half=_triple(half), position=_triple(centre), **more)

    @classmethod
    def ball(cls, name: str, centre: Sequence[float], radius: float, **more: Unpack[Matter]) -> Obstacle:
        """A ball by its centre and radius [m]."""
        return cls(name, radius=float(radius), position=_triple(centre), **more)

    @classmethod
    def floor(
        cls, height: float = 0.0, *, name: str = "floor", half: float = SLAB, **more: Unpack[Matter]
    ) -> Obstacle:
        """Level ground: the top of a thick slab at ``height`` [m]."""
        return cls.box(name, (0.0, 0.0, height - 1.0), (half, half, 1.0), **more)

    def check(self) -> None:
        """That it has a size."""
        if not self.name:
            raise InputError("an obstacle needs a name")
        if (self.half is None) == (self.radius is None):
            raise InputError(f"obstacle {self.name!r} needs either half edges (a box) or a radius (a ball)")
        for size in self.half or (self.radius,):
            if size is None or not (math.isfinite(size) and size > 0):
                raise InputError(f"sizes of obstacle {self.name!r} must be positive and finite, not {size}")
        times = sorted(key.time for key in self.path)
        if any(a == b for a, b in pairwise(times)):
            raise InputError(f"path times of obstacle {self.name!r} must differ")


def _triple(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
