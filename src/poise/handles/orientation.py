"""Orientation of a body.

A value is a unit quaternion R (world from body); with target T

    error = log(T⁻¹ R)   [rad], the rotation from T to R in T's axes, |error| ≤ π
    ∂error/∂q = J_r(error)⁻¹ Rᵀ J_ω

Singular only at half a turn from the target, where the shorter way round changes sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.handles.form import ORIENTATION, Form
from poise.handles.handle import Handle
from poise.manifold import so3
from poise.manifold.product import ROTATION

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class BodyOrientation(Handle):
    """World orientation of a body: a quaternion, with errors as rotation vectors [rad].

    Examples:
        >>> gaze = poise.handles.BodyOrientation("Head")
    """

    kind: ClassVar[str] = "body_orientation"
    body: str
    """A body of the character."""

    @property
    def label(self) -> str:
        """In words."""
        return f"orientation of {self.body}"

    @property
    def units(self) -> tuple[str, ...]:
        """Radians about three axes."""
        return ("rad",) * 3

    def check(self, character: Character) -> None:
        """The body must exist."""
        character.index(self.body)

    @property
    def size(self) -> int:
        """A quaternion."""
        return 4

    @property
    def blocks(self) -> tuple[int, ...]:
        """A rotation."""
        return (ROTATION,)

    def form(self, character: Character) -> Form | None:
        """A body's rotation."""
        return Form(ORIENTATION, body=character.index(self.body), goal=_unit)

    def value(self, kin: Kinematics) -> Array:
        """(F, 4)"""
        return so3.from_matrix(kin.rotations[:, kin.character.index(self.body)])

    def error(self, value: Array, target: ArrayLike) -> Array:
        """(F, 3)"""
        goal = self.as_target(target, value)
        length = np.linalg.norm(goal, axis=-1)
        if not np.allclose(length, 1.0, atol=1e-6):
            raise InputError(
                f"the target of the {self.label} must be a unit quaternion (w, x, y, z), not {target!r}"
            )
        return so3.difference(value, so3.normalise(goal))

    def between(self, a: Array, b: Array, s: Array) -> Array:
        """The shorter way round."""
        return so3.slerp(so3.normalise(a), so3.normalise(b), s)

    def jacobian(self, kin: Kinematics) -> Array:
        """Angular velocity in the body's own axes, (F, 3, nv)."""
        i = kin.character.index(self.body)
        return np.swapaxes(kin.rotations[:, i], 1, 2) @ kin.angular_jacobian(i)

    def error_jacobian(self, kin: Kinematics, target: ArrayLike) -> Array:
        """(F, 3, nv)"""
        return so3.right_jacobian_inverse(self.error(self.value(kin), target)) @ self.jacobian(kin)


def _unit(targets: Array, name: str) -> Array:
    """Quaternions of length one (F, 4)."""
    length = np.linalg.norm(targets, axis=1, keepdims=True)
    if not np.allclose(length, 1.0, atol=1e-6):
        raise InputError(f"{name} must be a unit quaternion (w, x, y, z), not {targets[0].tolist()}")
    return np.asarray(targets / length)
