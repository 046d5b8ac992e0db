"""A character as a Pinocchio model, for comparisons.

It is built from ``Character.bodies`` directly, not from the arrays our kernels read, so that a wrong tree
shows too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.manifold import so3


class PinocchioTwin:
    """A Pinocchio model with the same degrees of freedom in the same order, and converters.

    Free joints are a translation, then a ball (Pinocchio's free-flyer has its linear velocity in the
    body's frame, ours in the parent's). ``joint[i]`` and ``place[i]`` say where body i is attached.
    """

    def __init__(self, character: Character) -> None:
        import pinocchio as pin

        self.character = character
        self.model = model = pin.Model()
        model.gravity.setZero()
        self.joint: list[int] = []
        self.place: list[Any] = []
        for i, body in enumerate(character.bodies):
            up = int(character.parents[i])
            parent, base = (self.joint[up], self.place[up]) if up >= 0 else (0, pin.SE3.Identity())
            at, turn = np.array(body.offset), so3.to_matrix(body.rest)
            axis, kind, name = np.array(body.joint.axis), body.joint.kind, body.name
            here = pin.SE3.Identity()
            if kind is JointKind.FIXED:
                # Welded bodies share their parent's joint and keep their place in it.
                joint, here = parent, base * pin.SE3(turn, at)
            elif kind is JointKind.FREE:
                joint = model.addJoint(parent, pin.JointModelTranslation(), base, name + "/t")
                joint = model.addJoint(joint, pin.JointModelSpherical(), pin.SE3.Identity(), name)
            elif kind is JointKind.PLANAR:
                lift = base * pin.SE3(np.eye(3), np.array([0.0, at[1], 0.0]))
                joint = model.addJoint(parent, pin.JointModelPX(), lift, name + "/x")
                joint = model.addJoint(joint, pin.JointModelPZ(), pin.SE3.Identity(), name + "/z")
                joint = model.addJoint(joint, pin.JointModelRY(), pin.SE3.Identity(), name)
            else:
                made = {
                    JointKind.BALL: pin.JointModelSpherical,
                    JointKind.HINGE: lambda axis=axis: pin.JointModelRevoluteUnaligned(axis),
                    JointKind.SLIDE: lambda axis=axis: pin.JointModelPrismaticUnaligned(axis),
                }[kind]()
                joint = model.addJoint(parent, made, base * pin.SE3(turn, at), name)
            inertia = pin.Inertia(body.mass.mass, np.array(body.mass.centre), np.array(body.mass.inertia))
            if body.mass.mass > 0:
                model.appendBodyToJoint(joint, inertia, here)
            self.joint.append(joint)
            self.place.append(here)
        armature = np.concatenate([np.asarray(b.joint.armature) for b in character.bodies])
        model.armature[:] = armature
        self.data = model.createData()

    def q(self, q: Array) -> Array:
        """Our configuration with quaternions as xyzw."""
        out = np.array(q)
        for slots in self.character.manifold.rotation_slots[0]:
            out[..., slots] = np.roll(q[..., slots], -1, axis=-1)
        return out

    def add_point(self, body: int, place: Array, name: str) -> int:
        """A frame at a point fixed on a body; makes fresh data."""
        import pinocchio as pin

        here = self.place[body] * pin.SE3(np.eye(3), np.array(place, dtype=float))
        frame = pin.Frame(name, self.joint[body], 0, here, pin.FrameType.OP_FRAME)
        index = int(self.model.addFrame(frame))
        self.data = self.model.createData()
        return index
