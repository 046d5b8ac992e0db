"""The bundled hat on any head: as large, as high and turned as it is on the bundled humanoid's.

A head is the bone's solids or, without any, the skin that follows it more than any other bone; of a bare
skeleton the skull that its lengths ask for. Its width is measured below the crown, its middle at the crown.
A hat that is s > 1 times as large is s² times as stiff: it swings at the same tempo (heads of three metres
are a matter of units, and animated at ours); a small one s times: it does not sag more.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import msgspec
import numpy as np

from poise.arrays import Array
from poise.character import Character, Shape
from poise.character.shape import ShapeKind
from poise.errors import InputError
from poise.manifold import so3
from poise.methods.loosen.wear.attachment import SOFT, Attachment, attach
from poise.methods.loosen.wear.bed import outside_of_bone, solid_shapes
from poise.methods.loosen.wear.bone import bone_of
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.skinned import skin_of_bone
from poise.motion import Clip
from poise.operations.wear import Wear

BELOW, CROWN = 0.8, 0.25
"""How far down from the top the size and the middle are measured, as parts of the width of all."""
LONG = 1.2
"""A head is at most this much longer than wide: the rest is snout."""
LOW = 1.0
"""A hat is made for a head at most this much wider than high: on a flat box it sits as on a round one."""
DEEPEST = 0.3
"""A hat comes down by at most this part of a head's height: eyes look out under it."""
FINE = 25
"""Points per axis by which solids are measured."""


class Head(NamedTuple):
    """What a hat must know of a head, in upright axes [m]."""

    crown: Array
    """Its highest place, in the middle, (3,)."""
    size: float
    """Mean of length and width."""
    height: float


def wear_hat(wearer: Character | Clip, asked: Wear) -> Attachment:
    """The bundled hat on a head, made to fit."""
    character = wearer.character if isinstance(wearer, Clip) else wearer
    body = bone_of(character, asked)
    turn, shift = _upright(character, body)
    head, own = _measured(_head(character, body) @ turn.T + shift), _humanoid()
    scale = head.size / own.size
    place = head.crown + scale * (np.array(ON_HEAD) - own.crown)
    place[2] = max(place[2], head.crown[2] - DEEPEST * head.height)
    fitted = msgspec.structs.replace(
        asked,
        young=SOFT * scale * max(scale, 1.0) if asked.young is None else asked.young,
        offset=turn.T @ (place - shift),
        rotation=so3.from_matrix(turn.T),
        scale=scale,
        frame="bone",
    )
    return attach(character, hat(), fitted)


def head_of(character: Character, body: int) -> tuple[Array, float]:
    """The crown of a head [m], in the world of the rest pose, and its width."""
    turn, shift = _upright(character, body)
    head = _measured(_head(character, body) @ turn.T + shift)
    at, turned = (x[body] for x in character.rest_placement())
    return at + turned @ (turn.T @ (head.crown - shift)), head.size


@cache
def _humanoid() -> Head:
    from poise.character.presets import humanoid

    character = humanoid()
    return _measured(_head(character, character.index("Head")))


def _upright(character: Character, body: int) -> tuple[Array, Array]:
    """Rotation and shift from a bone's frame to upright axes: as the skin is bound, or as the bone rests."""
    skin = character.skin
    if skin is None or character.bodies[body].shapes:
        at, turned = (x[body] for x in character.rest_placement())
        return np.asarray(turned), np.asarray(at)
    rest_from_bone = np.linalg.inv(skin.inverse_bind[body])
    return rest_from_bone[:3, :3], rest_from_bone[:3, 3]


def _head(character: Character, body: int) -> Array:
    """Points of a head in its bone's frame [m], (P, 3)."""
    solids = solid_shapes(character, body)
    if not solids:
        points = skin_of_bone(character, body)
        if len(points) < 8:
            raise InputError(
                f"there is nothing on the bone {character.names[body]} to fit a hat to, neither solids nor "
                f"skin; say where it goes (offset)"
            )
        return points
    line = np.linspace(-1.0, 1.0, FINE)
    cube = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    boxes = [cube * _reach(s) @ so3.to_matrix(s.rotation).T + np.asarray(s.position) for s in solids]
    grid = np.concatenate(boxes)
    outside = outside_of_bone(character, body, grid)
    assert outside is not None
    return grid[outside <= 1e-9]


def _reach(shape: Shape) -> Array:
    """Half the extents of a solid along its own axes [m], (3,)."""
    a, b, c = (float(x) for x in np.asarray(shape.size))
    match shape.kind:
        case ShapeKind.SPHERE:
            return np.array([a, a, a])
        case ShapeKind.CAPSULE:
            return np.array([a, a, a + b])
        case ShapeKind.CYLINDER:
            return np.array([a, a, b])
        case ShapeKind.ELLIPSOID | ShapeKind.BOX:
            return np.array([a, b, c])


def _measured(points: Array) -> Head:
    top, wide = float(points[:, 2].max()), float(np.ptp(points[:, 1]))
    around = np.ptp(points[points[:, 2] > top - BELOW * wide][:, :2], axis=0)  # length, width
    crown = points[points[:, 2] > top - CROWN * wide]
    middle = 0.5 * (crown[:, :2].min(axis=0) + crown[:, :2].max(axis=0))
    height = float(np.ptp(points[:, 2]))
    size = min(float(np.sqrt(min(around[0], LONG * around[1]) * around[1])), LOW * height)
    return Head(np.array([*middle, top]), size, height)
