"""A body: one rigid piece of a character, with its joint to the parent, its mass and its looks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.character.joint import Joint
from poise.character.shape import Shape, unit_quaternion
from poise.errors import InputError
from poise.manifold import so3


@dataclass(frozen=True, eq=False)
class Mass:
    """Mass, centre and rotational inertia of a rigid body, in the body's frame.

    Raises:
        InputError: The mass is negative, or no rigid body has such an inertia.

    Examples:
        >>> ball = poise.character.Mass(0.4, (0, 0, 0), (0.001, 0.001, 0.001))
    """

    mass: float = 0.0
    """[kg]"""
    centre: ArrayLike = (0.0, 0.0, 0.0)
    """Centre of mass [m], (3,)."""
    inertia: ArrayLike = field(default_factory=lambda: np.zeros((3, 3)))
    """About the centre, in the body's axes [kg·m²], (3, 3) symmetric, or three moments."""

    def __post_init__(self) -> None:
        if not np.isfinite(self.mass) or self.mass < 0:
            raise InputError(f"a mass must be finite and not negative, not {self.mass}")
        inertia = np.asarray(self.inertia, dtype=np.float64)
        inertia = checked(np.diag(inertia) if inertia.shape == (3,) else inertia, "inertia", (3, 3))
        if not np.allclose(inertia, inertia.T, rtol=1e-9, atol=1e-9 * float(np.abs(inertia).max())):
            raise InputError(f"an inertia must be symmetric, not {inertia.tolist()}")
        moments = np.linalg.eigvalsh(inertia)
        slack = 1e-9 * max(abs(moments[2]), 1e-12)
        if moments[0] < -slack or moments[0] + moments[1] < moments[2] - 1e-6 * abs(moments[2]) - slack:
            raise InputError(f"no rigid body has the principal moments {moments.tolist()}")
        put = object.__setattr__
        put(self, "mass", float(self.mass))
        put(self, "centre", frozen(checked(self.centre, "centre of mass", (3,))))
        put(self, "inertia", frozen(0.5 * (inertia + inertia.T)))

    @classmethod
    def of_shapes(
        cls, shapes: Iterable[Shape], *, density: float | None = None, mass: float | None = None
    ) -> Mass:
        """Uniform solids: by ``density`` [kg/m³], or scaled to a given total ``mass`` [kg]."""
        parts = [(s.volume, np.asarray(s.position), s.unit_inertia()) for s in shapes]
        volume = sum(v for v, _, _ in parts)
        if volume <= 0:
            raise InputError("a body needs at least one solid shape to estimate its mass from")
        if (density is None) == (mass is None):
            raise InputError("give either a density or a mass")
        rho = float(density) if density is not None else float(mass or 0.0) / volume
        return cls.combined(cls(v * rho, c, v * rho * k) for v, c, k in parts)

    @classmethod
    def combined(cls, parts: Iterable[Mass]) -> Mass:
        """Several masses of one frame as one (parallel-axis theorem)."""
        parts = list(parts)
        total = sum(p.mass for p in parts)
        if total <= 0:
            return cls()
        centre = sum((p.mass * np.asarray(p.centre) for p in parts), np.zeros(3)) / total
        inertia = np.zeros((3, 3))
        for part in parts:
            inertia += np.asarray(part.inertia) + part.mass * _spread(np.asarray(part.centre) - centre)
        return cls(total, centre, inertia)

    def moved(self, position: ArrayLike, rotation: ArrayLike = so3.IDENTITY) -> Mass:
        """The same mass seen from a frame in which this frame stands at position, rotation."""
        turn = so3.to_matrix(rotation)
        centre = np.asarray(position, dtype=np.float64) + turn @ np.asarray(self.centre)
        return Mass(self.mass, centre, turn @ np.asarray(self.inertia) @ turn.T)

    def scaled(self, factor: float) -> Mass:
        """The same geometry with ``factor`` times the mass."""
        return Mass(self.mass * factor, self.centre, np.asarray(self.inertia) * factor)

    def about_origin(self) -> Array:
        """Rotational inertia about the body frame's origin [kg·m²], (3, 3)."""
        return np.asarray(self.inertia) + self.mass * _spread(np.asarray(self.centre))


def _spread(d: Array) -> Array:
    """|d|² I − d dᵀ: inertia of a unit point mass at d."""
    return np.asarray(d @ d * np.eye(3) - np.outer(d, d))


@dataclass(frozen=True, eq=False)
class Body:
    """One rigid piece: name, parent, joint, placement, mass, shapes and named points.

    Raises:
        InputError: A name is missing, or a number does not fit.

    Examples:
        >>> pelvis, *others = poise.characters.humanoid().bodies
        >>> print(pelvis.name, pelvis.mass.mass, list(pelvis.points))
    """

    name: str
    """Not empty, and no other body's."""
    parent: str | None
    """Its parent's name; None: the root."""
    joint: Joint
    """How it may move in its parent's frame."""
    offset: ArrayLike = (0.0, 0.0, 0.0)
    """Joint origin in the parent's frame at rest [m], (3,); for free and planar joints the rest position."""
    rest: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    """Parent-from-joint rotation at rest, quaternion (4,)."""
    mass: Mass = field(default_factory=Mass)
    """In the body's frame."""
    shapes: tuple[Shape, ...] = ()
    """What it looks like, and what its mass is estimated from."""
    points: Mapping[str, ArrayLike] = field(default_factory=dict)
    """Named points in the body frame: fingertips, heels, ends of bones [m]."""
    side: str = "centre"
    """"left", "right" or "centre"."""
    limb: str = ""
    """"spine", "head", "arm", "hand", "leg", "foot", "tail" … or "" where unknown."""

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError("a body needs a name")
        if self.side not in ("left", "right", "centre"):
            raise InputError(f"side of {self.name!r} must be left, right or centre, not {self.side!r}")
        put = object.__setattr__
        put(self, "offset", frozen(checked(self.offset, f"offset of {self.name!r}", (3,), most=FARTHEST)))
        put(self, "rest", frozen(unit_quaternion(self.rest, f"rest rotation of {self.name!r}")))
        put(self, "shapes", tuple(self.shapes))
        points = {
            n: frozen(checked(p, f"point {n!r} of {self.name!r}", (3,), most=FARTHEST))
            for n, p in self.points.items()
        }
        put(self, "points", MappingProxyType(points))

    def __reduce__(self) -> Any:
        # Views of dictionaries cannot be sent to another process; plain fields can.
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return _rebuilt, ({**fields, "points": dict(self.points)},)

    def replaced(self, **changes: object) -> Body:
        """A copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]  # each is checked


def _rebuilt(fields: dict[str, Any]) -> Body:
    return Body(**fields)
