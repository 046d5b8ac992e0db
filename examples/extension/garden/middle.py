"""The middle between two points: of the hands, say, that hold something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from poise.arrays import Array
from poise.character import Character
from poise.handles import Handle

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class Middle(Handle):
    """World position of the middle between two points [m]."""

    kind: ClassVar[str] = "middle"
    a: str
    b: str

    @property
    def label(self) -> str:
        """In words."""
        return f"middle of {self.a} and {self.b}"

    @property
    def units(self) -> tuple[str, ...]:
        """Metres."""
        return ("m",) * 3

    def check(self, character: Character) -> None:
        """Both points must exist."""
        character.point(self.a)
        character.point(self.b)

    def value(self, kin: Kinematics) -> Array:
        """(F, 3)"""
        return (kin.point(self.a) + kin.point(self.b)) / 2

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, 3, nv)"""
        return (kin.point_jacobian(self.a) + kin.point_jacobian(self.b)) / 2
