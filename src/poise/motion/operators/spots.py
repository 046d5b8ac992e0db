"""Where the joints and named points of a character are in many frames: forward kinematics in NumPy.

For measuring seams and soles only; ``poise.kinematics`` is the fast one, with derivatives.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.joint import as_array
from poise.manifold import so3

_Y = np.array([0.0, 1.0, 0.0])


def spots(character: Character, q: Array) -> tuple[tuple[str, ...], Array]:
    """Names (P,) and world positions (F, P, 3) [m] of every joint and point in configurations (F, nq)."""
    at = np.empty((len(character.bodies), len(q), 3))
    turn = np.empty((len(character.bodies), len(q), 4))
    for i in range(len(character.bodies)):
        position, rotation = _local(character, i, q)
        up = int(character.parents[i])
        if up >= 0:
            position = at[up] + so3.rotate(turn[up], position)
            rotation = so3.multiply(turn[up], rotation)
        at[i], turn[i] = position, rotation
    named = character.points
    places = [at[p.body] + so3.rotate(turn[p.body], p.position) for p in named.values()]
    return tuple(named), np.stack(places, axis=1)


def _local(character: Character, i: int, q: Array) -> tuple[Array, Array]:
    """Position (F, 3) and quaternion (F, 4) of a body in its parent's frame."""
    body, own = character.bodies[i], q[:, character.coordinates(i)]
    offset, rest, axis = np.asarray(body.offset), np.asarray(body.rest), as_array(body.joint.axis)
    position, rotation = np.tile(offset, (len(q), 1)), np.tile(rest, (len(q), 1))
    match body.joint.kind:
        case JointKind.FREE:
            return own[:, :3], own[:, 3:]
        case JointKind.PLANAR:
            position[:, [0, 2]] = own[:, :2]
            return position, so3.exp(own[:, 2:] * _Y)
        case JointKind.BALL:
            return position, so3.multiply(rest, own)
        case JointKind.HINGE:
            return position, so3.multiply(rest, so3.exp(own * axis))
        case JointKind.SLIDE:
            return offset + own * so3.rotate(rest, axis), rotation
        case JointKind.FIXED:
            return position, rotation
