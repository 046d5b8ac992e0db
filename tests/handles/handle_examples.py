"""One or more examples of every kind of handle, for any character.

``EXAMPLES`` is keyed by the registry's names: a kind that is missing here fails a test.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.character import Character
from poise.handles import (
    Angle,
    AngularMomentum,
    AttachmentPoint,
    BodyOrientation,
    CentreOfMass,
    Direction,
    Distance,
    Handle,
    JointValue,
    LinearMomentum,
    LookAt,
    On,
    PlaneDistance,
    PointDifference,
    PointPosition,
    Pose,
    RotationalInertia,
)


def _tip(character: Character) -> str:
    """A point far from the root."""
    return list(character.points)[-1]


def _last(character: Character) -> str:
    return character.names[-1]


def _middle(character: Character) -> str:
    return character.names[len(character.names) // 2]


def _joint_values(c: Character) -> list[Handle]:
    """A joint of every kind the character has."""
    by_kind = {b.joint.kind: b.name for b in c.bodies if b.joint.nv}
    whole: list[Handle] = [JointValue(name) for name in by_kind.values()]
    return [*whole, *(JointValue(name, components=[0]) for name in by_kind.values())]


EXAMPLES: dict[str, Callable[[Character], list[Handle]]] = {
    "point_position": lambda c: [
        PointPosition(_tip(c)),
        PointPosition(On(_last(c), (0.1, -0.2, 0.3)), axes="xz"),
        PointPosition(c.names[0], axes="y"),
    ],
    "attachment_point": lambda c: [
        AttachmentPoint("hat", _last(c), (0.1, -0.2, 0.3)),
        AttachmentPoint("tail", _middle(c), (0.0, 0.1, 0.0), axes="xz"),
    ],
    "point_difference": lambda c: [
        PointDifference(_middle(c), _tip(c)),
        PointDifference((0.3, 0.2, 1.0), On(_tip(c), (0.0, 0.1, 0.0)), axes="zx"),
    ],
    "body_orientation": lambda c: [BodyOrientation(_last(c)), BodyOrientation(_middle(c))],
    "centre_of_mass": lambda c: [CentreOfMass(), CentreOfMass("xz")],
    "rotational_inertia": lambda c: [
        RotationalInertia(m) for m in ("tensor", "planar", "gyration", "radii", "shape")
    ],
    "linear_momentum": lambda c: [LinearMomentum(), LinearMomentum("z")],
    "angular_momentum": lambda c: [AngularMomentum(), AngularMomentum("yx")],
    "distance": lambda c: [
        Distance(c.names[0], On(_last(c), (0.0, 0.0, 0.4))),
        Distance(_tip(c), (0.1, 2, 3)),
    ],
    "plane_distance": lambda c: [
        PlaneDistance(_tip(c)),
        PlaneDistance(_last(c), normal=(1, 2, -0.5), through=(0, 0, 1)),
    ],
    "angle": lambda c: [
        Angle(Direction.of_body(_last(c), (1, 0, 0.2)), Direction.world((0.1, 0.2, 1))),
        Angle(Direction.of_body(_last(c), (0, 1, 0)), Direction.of_body(_middle(c), (1, 1, 0))),
        Angle(
            Direction.between(On(_middle(c), (0.3, 0.1, 0)), On(_last(c), (0.1, 0.2, 0.4))),
            Direction.between((0, 0, 0), _tip(c)),
        ),
    ],
    "look_at": lambda c: [
        LookAt(_last(c), axis=(1, 0.1, 0), at=(3.0, 1.0, 1.5)),
        LookAt(On(_middle(c), (0.1, 0, 0)), axis=(0, 0, 1), at=On(_tip(c), (0.5, 0.4, 0.3))),
    ],
    "joint_value": _joint_values,
    "pose": lambda c: [Pose(), Pose(next(n for n in reversed(c.names) if _nv(c, n)))],
}


def _nv(character: Character, name: str) -> int:
    return character.bodies[character.index(name)].joint.nv


def examples(character: Character) -> list[Handle]:
    """Every example of every kind, bound to the character."""
    return [handle.bind(character) for make in EXAMPLES.values() for handle in make(character)]


def random_target(rng: np.random.Generator, handle: Handle, value: np.ndarray) -> np.ndarray:
    """A target some way off, on the space the values live on; value (size,)."""
    if isinstance(handle, BodyOrientation):
        from poise.manifold import so3

        return so3.multiply(value, so3.exp(0.5 * rng.normal(size=3)))
    return value * rng.uniform(0.8, 1.2) + 0.05 * abs(value).max()
