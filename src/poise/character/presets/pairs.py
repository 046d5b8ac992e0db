"""Left and right: the mirror image of a body across the plane y = 0.

A reflection keeps vectors (x, −y, z) but turns rotations round the other way about x and z: an
axis (a, b, c) becomes (−a, b, −c). So a positive angle means the same movement on both sides
(flexion stays flexion), and limits about x and z change places.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character.body import Body, Mass
from poise.character.joint import Joint, JointKind, as_array
from poise.character.shape import Shape

_POLAR = np.array([1.0, -1.0, 1.0])
_AXIAL = np.array([-1.0, 1.0, -1.0])
_OTHER = {"left": "right", "right": "left", "centre": "centre"}

arm_body = partial(Body, side="left", limb="arm")
hand_body = partial(Body, side="left", limb="hand")
leg_body = partial(Body, side="left", limb="leg")
foot_body = partial(Body, side="left", limb="foot")
"""Left limbs, as ``both`` takes them."""


def both(bodies: Iterable[Body]) -> list[Body]:
    """Left bodies followed by their mirror images."""
    left = list(bodies)
    return [*left, *(mirrored(b) for b in left)]


def mirrored(body: Body) -> Body:
    """The body on the other side: ``Left…`` becomes ``Right…``, also in its parent and points."""
    return Body(
        name=_renamed(body.name),
        parent=None if body.parent is None else _renamed(body.parent),
        joint=mirrored_joint(body.joint),
        offset=np.asarray(body.offset) * _POLAR,
        rest=_turned(body.rest),
        mass=_mirrored_mass(body.mass),
        shapes=tuple(mirrored_shape(s) for s in body.shapes),
        points={_renamed(n): np.asarray(p) * _POLAR for n, p in body.points.items()},
        side=_OTHER[body.side],
        limb=body.limb,
    )


def mirrored_joint(joint: Joint) -> Joint:
    """The joint on the other side."""
    lower, upper = as_array(joint.lower), as_array(joint.upper)
    axis = as_array(joint.axis)
    if joint.kind is JointKind.BALL:
        flip = _AXIAL < 0
        lower, upper = np.where(flip, -upper, lower), np.where(flip, -lower, upper)
    elif joint.kind is JointKind.HINGE:
        axis = axis * _AXIAL
    elif joint.kind is JointKind.SLIDE:
        axis = axis * _POLAR
    return Joint(joint.kind, axis, lower, upper, joint.stiffness, joint.damping, joint.armature)


def mirrored_shape(shape: Shape) -> Shape:
    """The solid on the other side."""
    position = np.asarray(shape.position) * _POLAR
    return Shape(shape.kind, shape.size, position, _turned(shape.rotation), shape.material)


def _renamed(name: str) -> str:
    return name.replace("Left", "Right")


def _turned(quaternion: ArrayLike) -> Array:
    return np.asarray(quaternion) * np.array([1.0, *_AXIAL])


def _mirrored_mass(mass: Mass) -> Mass:
    return Mass(
        mass.mass, np.asarray(mass.centre) * _POLAR, np.asarray(mass.inertia) * np.outer(_POLAR, _POLAR)
    )
