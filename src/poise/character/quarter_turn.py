"""A character in a world turned by quarters about z, its own frames turned alike.

Every vector, tensor and frame is expressed in axes turned by P, a rotation by a multiple of 90° about z:

    v ↦ P v,    R ↦ P R Pᵀ,    (w, u) ↦ (w, P u)

P only reorders numbers and changes signs, so nothing is rounded: turned back, all is as it was, bit for bit.
A planar joint stays in its own plane and cannot be turned.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character.body import Body, Mass
from poise.character.character import Character
from poise.character.joint import Joint, JointKind, as_array
from poise.character.shape import Shape, ShapeKind
from poise.character.skin import MorphTarget, Skin
from poise.errors import InputError

_SIDED = (ShapeKind.BOX, ShapeKind.ELLIPSOID)
"""Solids whose sides x and y differ."""


def turned_vector(v: Any, quarters: int) -> Array:
    """Vectors (…, 3) turned to the left by so many quarters."""
    x, y, z = np.moveaxis(np.asarray(v, dtype=np.float64), -1, 0)
    x, y = ((x, y), (-y, x), (-x, -y), (y, -x))[quarters % 4]
    return np.stack([x, y, z], axis=-1)


def turned_quaternion(q: Any, quarters: int) -> Array:
    """Rotations (…, 4) between frames that are both turned."""
    given = np.asarray(q, dtype=np.float64)
    return np.concatenate([given[..., :1], turned_vector(given[..., 1:], quarters)], axis=-1)


def turned_matrix(m: Any, quarters: int) -> Array:
    """Tensors or rotations (…, 3, 3)."""
    rows = np.swapaxes(turned_vector(m, quarters), -1, -2)
    return np.swapaxes(turned_vector(rows, quarters), -1, -2)


def turned(character: Character, quarters: int) -> Character:
    """The same character facing so many quarter turns farther to the left."""
    if quarters % 4 == 0:
        return character
    bodies = [_body(b, quarters) for b in character.bodies]
    return character.with_bodies(
        bodies, skin=None if character.skin is None else _skin(character.skin, quarters)
    )


def turned_configurations(character: Character, q: Array, quarters: int) -> Array:
    """Configurations (F, nq) of a character as those of the turned one."""
    out = np.array(q)
    for i, body in enumerate(character.bodies):
        own = out[:, character.coordinates(i)]
        match body.joint.kind:
            case JointKind.FREE:
                own[:, :3] = turned_vector(own[:, :3], quarters)
                own[:, 3:] = turned_quaternion(own[:, 3:], quarters)
            case JointKind.BALL:
                own[:] = turned_quaternion(own, quarters)
            case _:
                pass
    return out


def _body(body: Body, quarters: int) -> Body:
    mass = body.mass
    return body.replaced(
        joint=_joint(body.joint, quarters, body.name),
        offset=turned_vector(body.offset, quarters),
        rest=turned_quaternion(body.rest, quarters),
        mass=Mass(mass.mass, turned_vector(mass.centre, quarters), turned_matrix(mass.inertia, quarters)),
        shapes=tuple(_shape(s, quarters) for s in body.shapes),
        points={name: turned_vector(p, quarters) for name, p in body.points.items()},
    )


def _joint(joint: Joint, quarters: int, name: str) -> Joint:
    if joint.kind is JointKind.PLANAR:
        raise InputError(f"{name!r} moves in the x–z plane: its character cannot be turned")
    if joint.kind not in (JointKind.BALL, JointKind.FREE):
        return replace(joint, axis=turned_vector(joint.axis, quarters))

    def triples(values: Any) -> Array:
        return turned_vector(as_array(values).reshape(-1, 3), quarters)

    def sizes(values: Any) -> Array:
        return np.abs(triples(values)).ravel()

    one, other = triples(joint.lower), triples(joint.upper)
    return replace(
        joint,
        lower=np.minimum(one, other).ravel(),
        upper=np.maximum(one, other).ravel(),
        stiffness=sizes(joint.stiffness),
        damping=sizes(joint.damping),
        armature=sizes(joint.armature),
    )


def _shape(shape: Shape, quarters: int) -> Shape:
    """The solid in its own frame turned alike: round ones stay, the sides of others change places."""
    size = np.asarray(shape.size)
    if shape.kind in _SIDED:
        size = np.abs(turned_vector(size, quarters))
    return replace(
        shape,
        size=size,
        position=turned_vector(shape.position, quarters),
        rotation=turned_quaternion(shape.rotation, quarters),
    )


def _skin(skin: Skin, quarters: int) -> Skin:
    bind = np.array(skin.inverse_bind)
    bind[:, :3, :3] = turned_matrix(bind[:, :3, :3], quarters)
    bind[:, :3, 3] = turned_vector(bind[:, :3, 3], quarters)
    return replace(
        skin,
        vertices=turned_vector(skin.vertices, quarters),
        inverse_bind=bind,
        normals=None if skin.normals is None else turned_vector(skin.normals, quarters),
        morphs=tuple(MorphTarget(m.name, m.indices, turned_vector(m.deltas, quarters)) for m in skin.morphs),
    )
