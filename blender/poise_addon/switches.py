# SPDX-License-Identifier: GPL-3.0-or-later
"""What lets our keys have their say while our action plays, and only then: switches, stilled constraints."""

import numpy as np

from .blender import bpy


def still_constraints(arm, names, curves):
    """Constraints that would move these bones have no influence while our action plays.

    Where a driver sets the influence it would win; there the constraint is switched off instead.
    """
    data = arm.animation_data
    driven = {driver.data_path for driver in data.drivers} if data is not None else set()
    for pose_bone in arm.pose.bones:
        for constraint in pose_bone.constraints:
            path = (
                f'pose.bones["{bpy.utils.escape_identifier(pose_bone.name)}"]'
                f'.constraints["{bpy.utils.escape_identifier(constraint.name)}"].'
            )
            is_driven = f"{path}influence" in driven
            if constraint.mute or (constraint.influence == 0.0 and not is_driven):
                continue
            line, count = {pose_bone.name}, getattr(constraint, "chain_count", 1)
            if constraint.type in ("IK", "SPLINE_IK"):
                up, left = pose_bone.parent, (count or 10_000) - 1
                while up is not None and left > 0:
                    line.add(up.name)
                    up, left = up.parent, left - 1
            if line & names:
                own, value = ("mute", 1.0) if is_driven else ("influence", 0.0)
                curves.put(path + own, 0, np.full(len(curves.frames), value), pose_bone.name)


def put_switches(plan, curves):
    """Properties of bones by which controls get their say: from IK to FK."""
    for switch in plan.switches:
        path = (
            f'pose.bones["{bpy.utils.escape_identifier(switch.bone)}"]'
            f'["{bpy.utils.escape_identifier(switch.property)}"]'
        )
        curves.put(path, 0, np.full(len(curves.frames), switch.value), switch.bone)
