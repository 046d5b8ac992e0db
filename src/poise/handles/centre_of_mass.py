"""Centre of mass of the whole character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from poise.arrays import Array
from poise.character import Character
from poise.handles.form import CENTRE, Form
from poise.handles.handle import Handle
from poise.handles.place import along, as_axes, rows

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class CentreOfMass(Handle):
    """World position of the centre of mass [m], all axes or some.

    Examples:
        >>> over = poise.constraints.constrain(poise.handles.CentreOfMass("xy"), (0.0, 0.0), (0.2, 0.6))
    """

    kind: ClassVar[str] = "centre_of_mass"
    axes: str = "xyz"
    """World axes to keep: "xyz", "xz", "z" …"""

    def __post_init__(self) -> None:
        as_axes(self.axes)

    @property
    def label(self) -> str:
        """In words."""
        return f"centre of mass{along(self.axes)}"

    @property
    def units(self) -> tuple[str, ...]:
        """Metres."""
        return ("m",) * len(self.axes)

    def check(self, character: Character) -> None:
        """There must be mass."""
        character.require_mass("the centre of mass")

    def form(self, character: Character) -> Form | None:
        """The centre of mass."""
        return Form(CENTRE, index=rows(self.axes))

    def value(self, kin: Kinematics) -> Array:
        """(F, axes)"""
        return kin.com[:, rows(self.axes)]

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, axes, nv)"""
        return kin.com_jacobian[:, rows(self.axes)]
