"""Value of a joint, as the number or numbers an animator keys.

Angle of a hinge, distance of a slide, rotation vector of a ball, x, z, angle of a planar joint, place
and rotation vector of a free one: the exponential coordinates that joint limits are given in. For the
rotation vector w, ∂w/∂q = J_r(w)⁻¹; it jumps at |w| = π. To match an orientation use ``Pose``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.errors import InputError
from poise.handles.form import JOINT, Form
from poise.handles.handle import Handle
from poise.manifold import so3
from poise.manifold.product import ROTATION

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class JointValue(Handle):
    """Exponential coordinates of one joint [rad, m], all or some of its degrees of freedom.

    Examples:
        >>> knee = poise.handles.JointValue("LeftLeg")
    """

    kind: ClassVar[str] = "joint_value"
    joint: str
    """The body whose joint it is."""
    components: Sequence[int] | None = None
    """Which of the joint's degrees of freedom, counted from 0; None for all."""
    _units: tuple[str, ...] | None = field(default=None, init=False, repr=False, compare=False)
    """Known when bound."""

    def __post_init__(self) -> None:
        if self.components is not None:
            object.__setattr__(self, "components", tuple(int(c) for c in self.components))

    @property
    def label(self) -> str:
        """In words."""
        which = "" if self.components is None else f" {list(self.components)}"
        return f"value of joint {self.joint}{which}"

    @property
    def units(self) -> tuple[str, ...]:
        """Radians or metres, by the joint's kind."""
        if self._units is None:
            raise InputError(f"the size of the {self.label} depends on the character: bind it to one first")
        return self._units

    def check(self, character: Character) -> None:
        """The joint must exist and move."""
        self.bind(character)

    def bind(self, character: Character) -> JointValue:
        """The same handle, knowing the joint's kind."""
        units = dof_units(character, character.index(self.joint))
        if not units:
            raise InputError(f"joint {self.joint!r} of {character.name!r} is fixed and has no value")
        bound = JointValue(self.joint, self.components)
        object.__setattr__(bound, "_units", tuple(units[k] for k in self._rows(character)))
        return bound

    def _rows(self, character: Character) -> list[int]:
        span = character.dofs(self.joint)
        count = span.stop - span.start
        if self.components is None:
            return list(range(count))
        if not self.components or not all(0 <= c < count for c in self.components):
            raise InputError(
                f"joint {self.joint!r} has degrees of freedom 0 … {count - 1}, not {list(self.components)}"
            )
        return list(self.components)

    def form(self, character: Character) -> Form | None:
        """Coordinates of a joint."""
        first = character.dofs(self.joint).start
        return Form(JOINT, body=character.index(self.joint), index=[first + k for k in self._rows(character)])

    def value(self, kin: Kinematics) -> Array:
        """(F, components)"""
        character = kin.character
        q = kin.q[:, character.coordinates(self.joint)]
        parts: list[Array] = []
        at = 0
        for block in character.bodies[character.index(self.joint)].joint.kind.blocks:
            width = 4 if block == ROTATION else block
            part = q[:, at : at + width]
            parts.append(so3.log(part) if block == ROTATION else part)
            at += width
        return np.concatenate(parts, axis=1)[:, self._rows(character)]

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, components, nv)"""
        character = kin.character
        span, q = character.dofs(self.joint), kin.q[:, character.coordinates(self.joint)]
        whole = np.zeros((kin.frames, span.stop - span.start, character.nv))
        row = at = 0
        for block in character.bodies[character.index(self.joint)].joint.kind.blocks:
            if block == ROTATION:
                inverse = so3.right_jacobian_inverse(so3.log(q[:, at : at + 4]))
                whole[:, row : row + 3, span.start + row : span.start + row + 3] = inverse
                row, at = row + 3, at + 4
            else:
                for _ in range(block):
                    whole[:, row, span.start + row] = 1.0
                    row, at = row + 1, at + 1
        return whole[:, self._rows(character)]


_UNITS: dict[JointKind, tuple[str, ...]] = {
    JointKind.FIXED: (),
    JointKind.HINGE: ("rad",),
    JointKind.SLIDE: ("m",),
    JointKind.BALL: ("rad",) * 3,
    JointKind.PLANAR: ("m", "m", "rad"),
    JointKind.FREE: ("m",) * 3 + ("rad",) * 3,
}


def dof_units(character: Character, body: int) -> tuple[str, ...]:
    """Units of a joint's degrees of freedom."""
    return _UNITS[character.bodies[body].joint.kind]
