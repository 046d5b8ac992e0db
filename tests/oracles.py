"""An independent engine for tests: the same character as a MuJoCo model (``poise.speed`` has Pinocchio's).

It is built from ``Character.bodies`` directly (not from the arrays our kernels read), so a wrong tree shows
too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.character import Character, JointKind
from poise.manifold import so3


def mujoco_model(character: Character) -> Any:
    """A MuJoCo model whose qpos and qvel are our q and v (no geometry, no gravity).

    Body i of the character is MuJoCo body i + 1. A free joint below the root becomes slides and a ball.
    """
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.autolimits = True
    spec.compiler.balanceinertia = False
    spec.option.gravity = [0, 0, 0]
    made: list[Any] = []
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    for i, body in enumerate(character.bodies):
        up = int(character.parents[i])
        host = made[up] if up >= 0 else spec.worldbody
        at, rest, kind = np.array(body.offset), np.array(body.rest), body.joint.kind
        if kind is JointKind.FREE:
            at, rest = np.zeros(3), so3.IDENTITY
        elif kind is JointKind.PLANAR:
            at, rest = at * [0.0, 1.0, 0.0], so3.IDENTITY
        item = host.add_body(name=body.name, pos=at, quat=rest)
        item.mass = body.mass.mass
        item.ipos = np.array(body.mass.centre)
        inertia = np.asarray(body.mass.inertia)
        item.fullinertia = [inertia[a, b] for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        item.explicitinertial = True
        axis = np.array(body.joint.axis)
        if kind is JointKind.FREE:
            for k in range(3):
                item.add_joint(type=slide, axis=np.eye(3)[k])
            item.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        elif kind is JointKind.PLANAR:
            item.add_joint(type=slide, axis=[1, 0, 0])
            item.add_joint(type=slide, axis=[0, 0, 1])
            item.add_joint(type=hinge, axis=[0, 1, 0])
        elif kind is JointKind.BALL:
            item.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        elif kind is JointKind.HINGE:
            item.add_joint(type=hinge, axis=axis)
        elif kind is JointKind.SLIDE:
            item.add_joint(type=slide, axis=axis)
        made.append(item)
    return spec.compile()
