"""Directions that angles are measured between: of a body, of the world, or from place to place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.handles.form import BETWEEN, BODY_VECTOR, WORLD_VECTOR, Way, span
from poise.handles.place import (
    Place,
    Triple,
    as_direction,
    as_place,
    check_place,
    position,
    position_jacobian,
    text,
)
from poise.handles.point import spread
from poise.manifold import so3

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class Direction:
    """Build with ``world``, ``of_body`` or ``between``.

    Raises:
        InputError: The vector is zero, or there is not just one of a vector and two ends.

    Examples:
        >>> forearm = poise.handles.Direction.between("LeftElbow", "LeftWrist")
        >>> gaze = poise.handles.Direction.of_body("Head", (1, 0, 0))
    """

    vector: Triple | None = None
    """In the body's frame, or the world's; of any length."""
    body: str | None = None
    """The body in whose frame the vector is fixed. Default: the world."""
    start: Place | None = None
    """Where it leads from, instead of a vector: a point or a place [m]."""
    end: Place | None = None
    """Where it leads to."""

    def __post_init__(self) -> None:
        if (self.vector is None) == (self.start is None) or (self.start is None) != (self.end is None):
            raise InputError("a direction is a vector (in a body or the world) or leads from start to end")
        if self.vector is not None:
            object.__setattr__(self, "vector", as_direction(self.vector, "direction"))
        else:
            object.__setattr__(self, "start", as_place(self.start, "start"))
            object.__setattr__(self, "end", as_place(self.end, "end"))

    @classmethod
    def world(cls, vector: ArrayLike) -> Direction:
        """Fixed in the world."""
        return cls(vector=as_direction(vector, "direction"))

    @classmethod
    def of_body(cls, body: str, vector: ArrayLike) -> Direction:
        """Fixed in a body, given in its frame."""
        return cls(vector=as_direction(vector, f"direction in {body}"), body=body)

    @classmethod
    def between(cls, start: Place, end: Place) -> Direction:
        """From one place to another."""
        return cls(start=start, end=end)

    @classmethod
    def read(cls, item: Any, name: str) -> Direction:
        """As the user or a file wrote it: a direction, its fields, or a world vector."""
        if isinstance(item, cls):
            return item
        if isinstance(item, Mapping):
            try:
                return cls(**item)
            except TypeError as problem:
                raise InputError(f"{name} is not a direction: {problem}") from None
        return cls.world(item)

    @property
    def label(self) -> str:
        """In words."""
        if self.vector is None:
            return f"{text(self.start or '?')} → {text(self.end or '?')}"
        numbers = ", ".join(f"{x:g}" for x in self.vector)
        return f"({numbers})" if self.body is None else f"{self.body}'s ({numbers})"

    def check(self, character: Character) -> None:
        """Raise where it names what the character lacks."""
        for place in (self.start, self.end):
            if place is not None:
                check_place(character, place)
        if self.body is not None:
            character.index(self.body)

    def way(self, character: Character) -> Way | None:
        """As compiled rows read it; None where a place moves by itself."""
        if self.start is not None and self.end is not None:
            found = span(character, self.start, self.end)
            return None if found is None else Way(BETWEEN, -1, found.constant, found)
        body = -1 if self.body is None else character.index(self.body)
        return Way(WORLD_VECTOR if body < 0 else BODY_VECTOR, body, np.array(self.vector))

    def value(self, kin: Kinematics) -> Array:
        """World components (F, 3); of unit length unless it leads from place to place [m]."""
        if self.start is not None and self.end is not None:
            return spread(position(kin, self.end) - position(kin, self.start), kin)
        vector = np.array(self.vector)
        if self.body is None:
            return np.broadcast_to(vector, (kin.frames, 3))
        return kin.rotations[:, kin.character.index(self.body)] @ vector

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, 3, nv)"""
        if self.start is not None and self.end is not None:
            return position_jacobian(kin, self.end) - position_jacobian(kin, self.start)
        if self.body is None:
            return np.zeros((kin.frames, 3, kin.character.nv))
        return -so3.hat(self.value(kin)) @ kin.angular_jacobian(self.body)
