"""A joint: how a body may move relative to its parent.

| kind   | q                                  | v                                           |
|--------|------------------------------------|---------------------------------------------|
| fixed  | –                                  | –                                           |
| hinge  | angle about ``axis``               | its rate                                    |
| slide  | distance along ``axis``            | its rate                                    |
| ball   | unit quaternion                    | angular velocity, child frame               |
| planar | x, z, angle about y                | their rates                                 |
| free   | x, y, z in the parent's frame, quaternion | linear velocity there, angular, child frame |

Limits are per degree of freedom, on the exponential coordinates measured from the neutral pose:
the angle of a hinge, the rotation vector of a ball, the coordinates of a translation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.errors import InputError, UnknownNameError
from poise.manifold.product import ROTATION


class JointKind(IntEnum):
    """What a joint lets its body do."""

    FIXED = 0
    HINGE = 1
    SLIDE = 2
    BALL = 3
    PLANAR = 4
    FREE = 5

    @property
    def blocks(self) -> tuple[int, ...]:
        """The joint's blocks in the product manifold."""
        return _BLOCKS[self]

    @property
    def nq(self) -> int:
        """How many numbers of a configuration it takes."""
        return sum(4 if b == ROTATION else b for b in self.blocks)

    @property
    def nv(self) -> int:
        """Its degrees of freedom."""
        return sum(3 if b == ROTATION else b for b in self.blocks)

    @property
    def dof_labels(self) -> tuple[str, ...]:
        """Short names of its degrees of freedom, for reports."""
        return _LABELS[self]

    @classmethod
    def named(cls, name: str) -> JointKind:
        """The kind called ``name`` (lower case)."""
        try:
            return cls[name.upper()]
        except (KeyError, AttributeError):
            raise UnknownNameError("joint kind", name, [k.name.lower() for k in cls]) from None


_BLOCKS: dict[JointKind, tuple[int, ...]] = {
    JointKind.FIXED: (),
    JointKind.HINGE: (1,),
    JointKind.SLIDE: (1,),
    JointKind.BALL: (ROTATION,),
    JointKind.PLANAR: (3,),
    JointKind.FREE: (3, ROTATION),
}
_LABELS: dict[JointKind, tuple[str, ...]] = {
    JointKind.FIXED: (),
    JointKind.HINGE: ("",),
    JointKind.SLIDE: ("",),
    JointKind.BALL: (".rx", ".ry", ".rz"),
    JointKind.PLANAR: (".x", ".z", ".ry"),
    JointKind.FREE: (".x", ".y", ".z", ".rx", ".ry", ".rz"),
}


class Properties(TypedDict, total=False):
    """What a joint may have beside its limits; as in ``Joint``."""

    stiffness: ArrayLike
    damping: ArrayLike
    armature: ArrayLike
    speed: ArrayLike
    effort: ArrayLike
    name: str


class WithLimits(Properties, total=False):
    """The same with limits."""

    lower: ArrayLike
    upper: ArrayLike


@dataclass(frozen=True, eq=False)
class Joint:
    """Kind, axis and per-degree-of-freedom properties of one joint.

    Raises:
        InputError: The axis is zero, or there are not as many numbers as degrees of freedom.

    Examples:
        >>> knee = poise.character.Joint.hinge((0, 1, 0), lower=0.0, upper=2.4)
    """

    kind: JointKind
    """Fixed, hinge, slide, ball, planar or free."""
    axis: ArrayLike = (0.0, 0.0, 1.0)
    """Unit axis of a hinge or slide, in the joint frame."""
    lower: ArrayLike = -np.inf
    """Lower limits of the exponential coordinates [rad or m], (nv,). Default: none."""
    upper: ArrayLike = np.inf
    """Upper limits of the exponential coordinates [rad or m], (nv,). Default: none."""
    stiffness: ArrayLike = 0.0
    """Natural passive stiffness [N·m/rad or N/m], (nv,)."""
    damping: ArrayLike = 0.0
    """Natural passive damping [N·m·s/rad or N·s/m], (nv,)."""
    armature: ArrayLike = 0.0
    """Inertia added on the degree of freedom itself [kg·m² or kg], (nv,)."""
    speed: ArrayLike = np.inf
    """The fastest that its motor turns [rad/s or m/s], (nv,)."""
    effort: ArrayLike = np.inf
    """The most that its motor gives [N·m or N], (nv,)."""
    name: str = ""
    """Its own, where a file says one that is not its body's: robots name joints beside links."""
    nq: int = field(init=False)
    nv: int = field(init=False)

    def __post_init__(self) -> None:
        try:
            kind = JointKind(self.kind)
        except ValueError:
            kinds = [f"JointKind.{k.name}" for k in JointKind]
            raise UnknownNameError("joint kind", self.kind, kinds) from None
        axis = checked(self.axis, "joint axis", (3,))
        length = float(np.linalg.norm(axis))
        if length < 1e-12:
            raise InputError("a joint axis must not be zero")
        put = object.__setattr__
        put(self, "kind", kind)
        put(self, "nq", kind.nq)
        put(self, "nv", kind.nv)
        put(self, "axis", frozen(axis if abs(length - 1.0) < 1e-14 else axis / length))
        for name in ("lower", "upper", "stiffness", "damping", "armature", "speed", "effort"):
            put(self, name, frozen(_per_dof(getattr(self, name), name, kind)))
        lower, upper = as_array(self.lower), as_array(self.upper)
        if (lower > upper).any() or (lower == np.inf).any() or (upper == -np.inf).any():
            raise InputError(f"joint limits are the wrong way round: {lower} > {upper}")
        for name in ("stiffness", "damping", "armature"):
            values = as_array(getattr(self, name))
            if not (np.isfinite(values) & (values >= 0)).all():
                raise InputError(f"joint {name} must be finite and not negative, not {values.tolist()}")

        for name in ("speed", "effort"):
            values = as_array(getattr(self, name))
            if not (values > 0).all():
                raise InputError(f"joint {name} must be positive, not {values.tolist()}")

    @property
    def limited(self) -> bool:
        """Whether any degree of freedom has a finite limit."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @classmethod
    def fixed(cls) -> Joint:
        """No motion at all."""
        return cls(JointKind.FIXED)

    @classmethod
    def hinge(
        cls, axis: ArrayLike, lower: float = -np.inf, upper: float = np.inf, **more: Unpack[Properties]
    ) -> Joint:
        """Rotation about one axis."""
        return cls(JointKind.HINGE, axis, lower, upper, **more)

    @classmethod
    def slide(
        cls, axis: ArrayLike, lower: float = -np.inf, upper: float = np.inf, **more: Unpack[Properties]
    ) -> Joint:
        """Translation along one axis."""
        return cls(JointKind.SLIDE, axis, lower, upper, **more)

    @classmethod
    def ball(cls, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf, **more: Unpack[Properties]) -> Joint:
        """Any rotation."""
        return cls(JointKind.BALL, (0.0, 0.0, 1.0), lower, upper, **more)

    @classmethod
    def planar(cls, **more: Unpack[WithLimits]) -> Joint:
        """Motion in the parent's x–z plane."""
        return cls(JointKind.PLANAR, (0.0, 1.0, 0.0), **more)

    @classmethod
    def free(cls, **more: Unpack[WithLimits]) -> Joint:
        """Any translation and rotation."""
        return cls(JointKind.FREE, **more)


def _per_dof(values: ArrayLike, name: str, kind: JointKind) -> Array:
    """One number for all degrees of freedom or one for each, (nv,)."""
    wanted = f"joint {name} must be one number or {kind.nv} (a {kind.name.lower()} joint)"
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{wanted}, not {values!r}") from None
    if array.shape not in ((), (kind.nv,)) or np.isnan(array).any():
        raise InputError(f"{wanted}, not {array.tolist()}")
    return np.broadcast_to(array, (kind.nv,))


def as_array(values: ArrayLike) -> Array:
    """A joint property as the array that ``Joint`` made of it."""
    return np.asarray(values, dtype=np.float64)
