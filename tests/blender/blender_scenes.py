"""Scenes that experiments inside Blender's module begin with, and what is measured there.

Importing it starts Blender: the command line says which experiment, the zip, a folder and the program.
"""

# ruff: noqa: E402
import json
import os
import sys
import time
from pathlib import Path

GIVEN = sys.argv[sys.argv.index("--") + 1 if "--" in sys.argv else 1 :]
EXPERIMENT, ZIP, FOLDER, PROGRAM = GIVEN[:4]
os.environ["BLENDER_USER_RESOURCES"] = str(Path(FOLDER) / f"resources {EXPERIMENT}")
os.environ["POISE_PROGRAM"] = PROGRAM

import bpy
import numpy as np

FOUND = {}


def install():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    folder = Path(FOLDER) / f"repository {EXPERIMENT}"
    folder.mkdir(exist_ok=True)
    bpy.context.preferences.extensions.repos.new(
        name="test", module="poise_test", custom_directory=str(folder)
    )
    bpy.ops.extensions.package_install_files(filepath=ZIP, repo="poise_test", enable_on_install=True)
    return "bl_ext.poise_test.poise_addon"


def module(name):
    return sys.modules[f"bl_ext.poise_test.poise_addon.{name}"]


def bvh(path, mode="QUATERNION", scale=1.0):
    bpy.ops.import_anim.bvh(
        filepath=str(path), global_scale=scale, axis_forward="-Z", axis_up="Y", update_scene_fps=True,
        update_scene_duration=True, rotate_mode=mode,
    )  # fmt: skip
    return bpy.context.object


def plain_rig(seed=0, frames=24, *, scale=1.0, rotation=(0, 0, 0), names=None, modes=True, count=0):
    """A little person that moves: odd rolls and manners of rotation, ``count`` more bones on its arm."""
    parts = names or {
        "hips": ("", (0, 0, 1.0), (0, 0, 1.15)), "spine": ("hips", (0, 0, 1.15), (0, 0, 1.4)),
        "head": ("spine", (0, 0, 1.5), (0, 0, 1.75)),
        "thigh.L": ("hips", (0.1, 0, 0.95), (0.1, -0.01, 0.5)),
        "shin.L": ("thigh.L", (0.1, -0.01, 0.5), (0.1, 0, 0.1)),
        "foot.L": ("shin.L", (0.1, 0, 0.1), (0.1, -0.18, 0.02)),
        "thigh.R": ("hips", (-0.1, 0, 0.95), (-0.1, -0.01, 0.5)),
        "shin.R": ("thigh.R", (-0.1, -0.01, 0.5), (-0.1, 0, 0.1)),
        "foot.R": ("shin.R", (-0.1, 0, 0.1), (-0.1, -0.18, 0.02)),
        "upper_arm.L": ("spine", (0.18, 0, 1.4), (0.45, 0.01, 1.4)),
        "forearm.L": ("upper_arm.L", (0.45, 0.01, 1.4), (0.7, 0, 1.4)),
        "hand.L": ("forearm.L", (0.7, 0, 1.4), (0.85, 0, 1.4)),
        "upper_arm.R": ("spine", (-0.18, 0, 1.4), (-0.45, 0.01, 1.4)),
        "forearm.R": ("upper_arm.R", (-0.45, 0.01, 1.4), (-0.7, 0, 1.4)),
        "hand.R": ("forearm.R", (-0.7, 0, 1.4), (-0.85, 0, 1.4)),
    }  # fmt: skip
    parts = dict(parts)
    last = list(parts)[-1]
    for k in range(count):
        _, head, tail = parts[last]
        step = np.array([-0.02, 0, 0])
        parts[f"more.{k:03}"] = (last, tail, tuple(np.array(tail) + step))
        last = f"more.{k:03}"
    data = bpy.data.armatures.new("person")
    arm = bpy.data.objects.new("person", data)
    bpy.context.scene.collection.objects.link(arm)
    bpy.context.view_layer.objects.active = arm
    bpy.ops.object.mode_set(mode="EDIT")
    rng = np.random.default_rng(seed)
    for name, (parent, head, tail) in parts.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = head, tail, rng.uniform(-3, 3)
        if parent:
            bone.parent = data.edit_bones[parent]
            bone.use_connect = bool(np.allclose(head, parts[parent][2]))
    bpy.ops.object.mode_set(mode="OBJECT")
    arm.scale, arm.rotation_euler = (scale,) * 3, rotation
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    for k, pose_bone in enumerate(arm.pose.bones):
        if modes:
            pose_bone.rotation_mode = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE", "YZX")[k % 5]
        for frame in np.linspace(1, frames, 4).round():
            turn = rng.normal(size=3) * 0.25
            path = "rotation_euler"
            if pose_bone.rotation_mode == "QUATERNION":
                path = "rotation_quaternion"
                pose_bone.rotation_quaternion = (1.0, *turn / 2)
            elif pose_bone.rotation_mode == "AXIS_ANGLE":
                path = "rotation_axis_angle"
                pose_bone.rotation_axis_angle = (np.linalg.norm(turn), *turn)
            else:
                pose_bone.rotation_euler = turn
            pose_bone.keyframe_insert(path, frame=frame)
            if pose_bone.parent is None:
                pose_bone.location = rng.normal(size=3) * 0.1
                pose_bone.keyframe_insert("location", frame=frame)
    return arm


def poses(arm, frames):
    """World matrices of all bones as Blender shows them, (F, n, 4, 4)."""
    scene, found = bpy.context.scene, []
    shown = scene.frame_current
    for frame in frames:
        scene.frame_set(frame)
        now = arm.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([np.array(now.matrix_world @ bone.matrix) for bone in now.pose.bones])
    scene.frame_set(shown)
    return np.array(found)


def heads(arm, frames):
    return poses(arm, frames)[..., :3, 3]


def curves_in(action):
    """All curves of an action, in slots (4.4 and later) or not."""
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve for bag in bags for curve in bag.fcurves]


def played(owner):
    """The action, and where there are slots its slot, of animation data or a strip."""
    return owner.action, getattr(owner, "action_slot", None)


def play(owner, action, slot):
    """Let animation data or a strip play an action."""
    owner.action = action
    if slot is not None:
        owner.action_slot = slot


def print_of(arm):
    """Everything of the user's that must stay as it is, to the bit."""
    data = arm.animation_data
    actions = {}
    for action in bpy.data.actions:
        if action.name.startswith("Poise"):
            continue
        curves = []
        for curve in curves_in(action):
            points = np.empty((3, len(curve.keyframe_points) * 2), np.float32)
            for name, own in zip(("co", "handle_left", "handle_right"), points):
                curve.keyframe_points.foreach_get(name, own)
            manner = [point.interpolation for point in curve.keyframe_points]
            curves.append((curve.data_path, curve.array_index, points.tobytes().hex(), manner))
        actions[action.name] = curves
    bones = [
        (b.name, np.array(b.matrix_local, np.float32).tobytes().hex(), b.use_connect) for b in arm.data.bones
    ]
    place = [np.array(x, np.float32).tobytes().hex() for x in (arm.location, arm.scale, arm.rotation_euler)]
    modes = [b.rotation_mode for b in arm.pose.bones]
    constraints = [(b.name, c.name, c.mute) for b in arm.pose.bones for c in b.constraints]
    assert data is not None
    return json.dumps([actions, bones, place, modes, constraints], sort_keys=True)


def influences(arm):
    """Of constraints and switches, as they are now."""
    switches = [(b.name, b["IK_FK"]) for b in arm.pose.bones if "IK_FK" in b]
    return [c.influence for b in arm.pose.bones for c in b.constraints], switches


def top(arm):
    return arm.animation_data.nla_tracks[-1]


def unchanged(arm, frames, **settings):
    """What is read goes back as a strip; how far bones are then off, as a part of the height."""
    blender, jobs = module("blender"), module("job")
    before, user, was = poses(arm, frames), print_of(arm), influences(arm)
    clock = time.process_time()
    plan = blender.plan_for(arm)
    read = jobs.Job(module("reading").reading(arm, plan, frames)).finish()
    reading = time.process_time() - clock
    positions, rotations = read.world()
    clock = time.process_time()
    _, off = jobs.Job(
        module("writing").writing(read, positions, rotations, "Poise unchanged", **settings)
    ).finish()
    writing = time.process_time() - clock
    after = poses(arm, frames)
    names = [b.name for b in arm.pose.bones]
    if plan.kind == "rigify":  # what is seen: the bones that deform, and their originals
        seen = [k for k, n in enumerate(names) if n.startswith(("DEF-", "ORG-"))]
        before, after, names = before[:, seen], after[:, seen], [names[k] for k in seen]
    elif plan.kind == "controls":
        seen = [k for k, n in enumerate(names) if n in {body.bone for body in plan.bodies}]
        before, after, names = before[:, seen], after[:, seen], [names[k] for k in seen]
    height = np.ptp(before[0, :, :3, 3], axis=0).max()
    moved = np.abs(after[..., :3, 3] - before[..., :3, 3]).max() / height
    turned = np.abs(after[..., :3, :3] - before[..., :3, :3]).max()
    worst = np.unravel_index(
        np.abs(after[..., :3, 3] - before[..., :3, 3]).max(-1).argmax(), before.shape[:2]
    )
    return {
        "moved": float(moved), "turned": float(turned), "off": off, "same": user == print_of(arm),
        "reading": reading, "writing": writing, "worst": [names[worst[1]], int(worst[0])], "kind": plan.kind,
        "bodies": len(plan.bodies), "restored": removed(arm, user, frames, names, was, before),
    }  # fmt: skip


def removed(arm, user, frames, names, was, before):
    """Whether all is as it was when what Poise made is removed: settings and motion to the bit."""
    bpy.context.view_layer.objects.active = arm
    bpy.ops.poise.remove()
    after = poses(arm, frames)[:, [arm.data.bones.find(n) for n in names]]
    return user == print_of(arm) and was == influences(arm) and float(np.abs(after - before).max()) == 0.0


def rigify():
    """A human that Rigify makes; kept in the folder, for it takes a while."""
    kept = Path(FOLDER) / "rigify.blend"
    if not kept.exists():
        bpy.ops.preferences.addon_enable(module="rigify")
        bpy.ops.object.armature_human_metarig_add()
        meta = bpy.context.object
        bpy.ops.pose.rigify_generate()
        rig = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o is not meta)
        bpy.data.objects.remove(meta)
        rig.name = "rig"
        bpy.ops.wm.save_as_mainfile(filepath=str(kept))
    bpy.ops.wm.open_mainfile(filepath=str(kept))
    rig = bpy.data.objects["rig"]
    bpy.context.view_layer.objects.active = rig
    return rig


def rigify_walk(steps=4, stride=0.6, half=12):
    """A walk of IK feet, swinging FK arms, a torso that bobs and turns: as animators key them."""
    rig = rigify()
    bones, scene = rig.pose.bones, bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 1 + steps * half

    def key(name, path, value, frame):
        setattr(bones[name], path, value)
        bones[name].keyframe_insert(path, frame=frame)

    for side in "LR":
        bones[f"upper_arm_parent.{side}"]["IK_FK"] = 1.0
        bones[f"upper_arm_parent.{side}"].keyframe_insert('["IK_FK"]', frame=1)
    swing = 0.35
    for step in range(steps + 1):
        frame, ahead = 1 + step * half, stride * step / 2
        key("torso", "location", (0, -ahead, -0.06), frame)
        side = 1 if step % 2 else -1
        key("torso", "rotation_quaternion", (1, 0, 0, 0.06 * side), frame)
        key("chest", "rotation_quaternion", (1, 0.03, 0, -0.1 * side), frame)
        for arm, sign in (("L", 1), ("R", -1)):
            key(
                f"upper_arm_fk.{arm}",
                "rotation_quaternion",
                (1, sign * side * swing / 2, 0, 0.4 * -sign),
                frame,
            )
            key(f"forearm_fk.{arm}", "rotation_quaternion", (1, 0.25, 0, 0), frame)
        if step < steps:
            key("torso", "location", (0, -ahead - stride / 4, -0.03), frame + half // 2)
    for foot, first in (("L", 0), ("R", 1)):
        at = -0.25 * stride if first else 0.25 * stride
        place = 0.0 if not first else -0.0
        key(f"foot_ik.{foot}", "location", (0, 0, 0), 1)
        for step in range(steps):
            if step % 2 != first:
                continue
            start = 1 + step * half
            target = place - stride * (0.5 if step == first and not first else 1.0)
            key(f"foot_ik.{foot}", "location", (0, place, 0), start)
            key(f"foot_ik.{foot}", "location", (0, (place + target) / 2, 0.1), start + half // 2)
            key(f"foot_ik.{foot}", "location", (0, target, 0), start + half)
            place = target
        assert at
    return rig


def failing(do):
    """What an operator says when it fails; the message in the panel."""
    try:
        do()
    except RuntimeError as problem:
        said = bpy.context.scene.poise.message
        fine = said.split(".")[0] in str(problem) and bpy.context.scene.poise.problem
        return said if fine else f"the panel says {said!r}, the operator {problem}"
    return ""
