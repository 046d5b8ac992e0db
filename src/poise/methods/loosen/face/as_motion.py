"""A loose face as a motion: what the flesh does beside the animation, as morph targets of its own.

A layer hands on a motion, not a mesh. What each vertex is away from its animated place is taken back through
its bones into the rest pose, where morph targets act; the principal shapes of that are targets more, with
weights at every frame. No vertex is off by more than 10⁻⁴ of the face's size.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.character import MorphTarget, Skin
from poise.kinematics import Kinematics
from poise.methods.loosen.face.result import FaceResult
from poise.motion import Clip
from poise.motion.principal_shapes import TOLERANCE, principal_shapes
from poise.operations.result import Result

NAME = "loose"
"""What the targets are called, with a number."""


class FaceMotionResult(Result):
    """The loose face as a motion."""

    anew: ClassVar[bool] = True

    def __init__(self, found: FaceResult) -> None:
        super().__init__(as_motion(found), found.report)
        self.face = found


def as_motion(found: FaceResult) -> Clip:
    """The clip whose skin has the loose face's shapes as morph targets beside its own."""
    clip, skin = found.clip, found.clip.character.skin
    assert skin is not None
    mesh = np.asarray(found.mesh.vertices)
    still = np.zeros((clip.frames, len(clip.morph_names))) if clip.morphs is None else np.asarray(clip.morphs)
    kin = Kinematics(clip.character, clip.q)
    away = np.empty_like(mesh)
    for f in range(clip.frames):
        animated = skin.deformed(kin.positions[f], kin.rotations[f], still[f])
        away[f] = np.linalg.solve(_linear(skin, kin.rotations[f]), (mesh[f] - animated)[..., None])[..., 0]
    size = float(np.linalg.norm(np.ptp(skin.vertices, axis=0)))
    rest = np.concatenate([np.zeros((1, *away.shape[1:])), away])  # shapes are away from where it is animated
    shapes = principal_shapes(rest, 0.5 * TOLERANCE * size)
    moved = (
        np.flatnonzero(np.abs(shapes.deltas).max(axis=(0, 2)) > 0) if len(shapes.deltas) else np.zeros(0, int)
    )
    targets = tuple(MorphTarget(f"{NAME} {k}", moved, d[moved]) for k, d in enumerate(shapes.deltas))
    dressed = Skin(
        skin.vertices, skin.faces, skin.bodies, skin.weights, skin.inverse_bind,
        morphs=(*skin.morphs, *targets), normals=skin.normals, extras=skin.extras,
    )  # fmt: skip
    character = clip.character.with_bodies(clip.character.bodies, skin=dressed)
    return clip.replaced(character=character, morphs=np.concatenate([still, shapes.weights[1:]], axis=1))


def _linear(skin: Skin, rotations: Array) -> Array:
    """How a small step at rest of each vertex is turned in a pose, (V, 3, 3)."""
    each = rotations @ skin.inverse_bind[:, :3, :3]
    return np.einsum("vk,vkij->vij", skin.weights, each[skin.bodies])
