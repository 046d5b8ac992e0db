"""Linear momentum, and angular momentum about the centre of mass. Both need velocities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from poise.arrays import Array
from poise.character import Character
from poise.handles.form import MOMENTUM, Form
from poise.handles.handle import Handle
from poise.handles.inertia import gyration_at_rest
from poise.handles.place import along, as_axes, rows

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class _Momentum(Handle):
    """Rows of the centroidal momentum h = A(q) v."""

    needs_velocity: ClassVar[bool] = True
    row_unit: ClassVar[str]
    word: ClassVar[str]
    first_row: ClassVar[int]
    axes: str = "xyz"
    """World axes to keep: "xyz", "xz", "z" …"""

    def __post_init__(self) -> None:
        as_axes(self.axes)

    @property
    def label(self) -> str:
        """In words."""
        return f"{self.word} momentum{along(self.axes)}"

    @property
    def units(self) -> tuple[str, ...]:
        """One for each axis."""
        return (self.row_unit,) * len(self.axes)

    def check(self, character: Character) -> None:
        """There must be mass."""
        character.require_mass("the momentum")

    def form(self, character: Character) -> Form | None:
        """Rows of A v, in metres per second of the whole."""
        scale = 1.0 / character.total_mass
        if self.first_row:
            scale = 1.0 / (character.total_mass * gyration_at_rest(character))
        return Form(MOMENTUM, index=self._rows(), scale=scale)

    def _rows(self) -> list[int]:
        return [self.first_row + r for r in rows(self.axes)]

    def value(self, kin: Kinematics) -> Array:
        """(F, axes)"""
        return kin.momentum[:, self._rows()]

    def jacobian(self, kin: Kinematics) -> Array:
        """∂(A(q) v)/∂q at fixed v, (F, axes, nv)."""
        return kin.momentum_jacobian[:, self._rows()]

    def velocity_jacobian(self, kin: Kinematics) -> Array:
        """A(q), (F, axes, nv)."""
        return kin.momentum_matrix[:, self._rows()]


@dataclass(frozen=True)
class LinearMomentum(_Momentum):
    """Mass times velocity of the centre of mass [kg·m/s].

    Args:
        axes: World axes to keep: "xyz", "xz", "z" …

    Examples:
        >>> rising = poise.handles.LinearMomentum("z")
    """

    kind: ClassVar[str] = "linear_momentum"
    row_unit: ClassVar[str] = "kg·m/s"
    word: ClassVar[str] = "linear"
    first_row: ClassVar[int] = 0


@dataclass(frozen=True)
class AngularMomentum(_Momentum):
    """Angular momentum about the centre of mass, world axes [kg·m²/s].

    Args:
        axes: World axes to keep: "xyz", "xz", "z" …

    Examples:
        >>> spin = poise.handles.AngularMomentum("z")
    """

    kind: ClassVar[str] = "angular_momentum"
    row_unit: ClassVar[str] = "kg·m²/s"
    word: ClassVar[str] = "angular"
    first_row: ClassVar[int] = 3
