"""The pose, whole or in part.

A value is the chosen joints' part of q; with a target pose

    error = q ⊖ target  (coordinates: difference; rotations: log(T⁻¹ R))
    ∂error/∂q = 1 for coordinates, J_r(error)⁻¹ for rotations
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, frozen
from poise.character import Character
from poise.errors import InputError
from poise.handles.handle import Handle
from poise.handles.joint import dof_units
from poise.manifold import ProductManifold, so3

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


class _Selection(NamedTuple):
    coordinates: IntArray
    dofs: IntArray
    manifold: ProductManifold
    units: tuple[str, ...]


@lru_cache(maxsize=64)
def _select(character: Character, joints: tuple[str, ...]) -> _Selection:
    bodies = sorted({i for pattern in joints for i in _meant(character, pattern)})
    blocks = [size for i in bodies for size in character.bodies[i].joint.kind.blocks]
    coordinates = [k for i in bodies for k in range(*character.coordinates(i).indices(character.nq))]
    dofs = [k for i in bodies for k in range(*character.dofs(i).indices(character.nv))]
    if not dofs:
        raise InputError(f"the joints {', '.join(joints)} of {character.name!r} are all fixed")
    units = tuple(unit for i in bodies for unit in dof_units(character, i))
    return _Selection(
        frozen(coordinates, dtype=np.int64), frozen(dofs, dtype=np.int64), ProductManifold(blocks), units
    )


def _meant(character: Character, pattern: str) -> list[int]:
    """A joint by its name as it is written, also where a limb is called the same; else all that match."""
    return [character.index(pattern)] if pattern in character.names else character.select(pattern)


@dataclass(frozen=True)
class Pose(Handle):
    """Configuration of all joints, or of those that match the patterns ("left arm", "Spine*"); a joint's name
    as it is written is that joint alone.

    Raises:
        InputError: There are no patterns.

    Examples:
        >>> arm = poise.handles.Pose(("right arm",))
    """

    kind: ClassVar[str] = "pose"
    joints: Sequence[str] = ("*",)
    """Names, limbs or patterns. Default: all."""
    _bound: _Selection | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        joints = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        if not joints:
            raise InputError('a pose needs at least one joint pattern; "*" is all joints')
        object.__setattr__(self, "joints", joints)

    @property
    def label(self) -> str:
        """In words."""
        return "pose" if self.joints == ("*",) else f"pose of {', '.join(self.joints)}"

    def check(self, character: Character) -> None:
        """The patterns must match joints that move."""
        self._chosen(character)

    def bind(self, character: Character) -> Pose:
        """The same handle, knowing which joints are meant."""
        bound = Pose(self.joints)
        object.__setattr__(bound, "_bound", self._chosen(character))
        return bound

    def target(self, character: Character, q: ArrayLike) -> Array:
        """The chosen joints' part of whole configurations q (…, nq), to aim at."""
        return np.asarray(q, dtype=np.float64)[..., self._chosen(character).coordinates]

    def _chosen(self, character: Character) -> _Selection:
        return _select(character, tuple(self.joints))

    def _known(self) -> _Selection:
        if self._bound is None:
            raise InputError(f"the size of the {self.label} depends on the character: bind it to one first")
        return self._bound

    @property
    def units(self) -> tuple[str, ...]:
        """One for each chosen degree of freedom."""
        return self._known().units

    @property
    def size(self) -> int:
        """Numbers of q chosen."""
        return len(self._known().coordinates)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Those of the chosen joints."""
        return tuple(self._known().manifold.blocks)

    def value(self, kin: Kinematics) -> Array:
        """(F, size)"""
        return self.target(kin.character, kin.q)

    def error(self, value: Array, target: ArrayLike) -> Array:
        """(F, dim), of a bound handle."""
        manifold, goal = self._known().manifold, self.as_target(target, value)
        slots = manifold.rotation_slots[0]
        if slots.size and not (np.abs(np.square(goal[..., slots]).sum(axis=-1) - 1.0) < 2e-5).all():
            raise InputError(f"the target of the {self.label} holds a rotation that is not a unit quaternion")
        return manifold.minus(value, goal)

    def between(self, a: Array, b: Array, s: Array) -> Array:
        """Geodesics on the joints' manifold, of a bound handle."""
        return self._known().manifold.interpolate(a, b, s)

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, dim, nv): a selection of degrees of freedom."""
        dofs = self._chosen(kin.character).dofs
        out = np.zeros((kin.frames, len(dofs), kin.character.nv))
        out[:, np.arange(len(dofs)), dofs] = 1.0
        return out

    def error_jacobian(self, kin: Kinematics, target: ArrayLike) -> Array:
        """(F, dim, nv)"""
        chosen, out = self._chosen(kin.character), self.jacobian(kin)
        slots = chosen.manifold.rotation_slots[1]  # (r, 3)
        if slots.size:
            turn = so3.right_jacobian_inverse(
                self.bind(kin.character).error(self.value(kin), target)[:, slots]
            )  # (F, r, 3, 3)
            out[:, slots[:, :, None], chosen.dofs[slots][:, None, :]] = turn
        return out
