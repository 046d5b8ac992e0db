"""Configurations as a BVH file has them: per joint a translation and a rotation in the parent's frame.

    t_i = offset + joint translation,   r_i = rest · joint rotation      (file axes, file units)

BVH knows no rest rotation: it goes into the channels.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.formats.units import Axes
from poise.manifold import so3


def local_pose(character: Character, q: Array, axes: Axes, unit: float) -> tuple[Array, Array]:
    """Translations (F, n, 3) [file units] and quaternions (F, n, 4), both in file axes."""
    translations = np.empty((len(q), len(character.bodies), 3))
    turns = np.empty((len(q), len(character.bodies), 4))
    for i, body in enumerate(character.bodies):
        own = q[:, character.coordinates(i)]
        axis, rest = np.asarray(body.joint.axis), np.asarray(body.rest)
        translations[:, i], turns[:, i] = body.offset, rest
        match body.joint.kind:
            case JointKind.BALL:
                turns[:, i] = so3.multiply(rest, own)
            case JointKind.HINGE:
                turns[:, i] = so3.multiply(rest, so3.exp(own * axis))
            case JointKind.SLIDE:
                translations[:, i] += own * so3.rotate(rest, axis)
            case JointKind.FREE:
                translations[:, i], turns[:, i] = own[:, :3], own[:, 3:]
            case JointKind.PLANAR:
                translations[:, i, [0, 2]] = own[:, :2]
                turns[:, i] = so3.exp(own[:, 2:] * np.array([0.0, 1.0, 0.0]))
            case JointKind.FIXED:
                pass
    return axes.vector_to_file(translations) / unit, axes.quaternion_to_file(turns)
