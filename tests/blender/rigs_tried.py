"""Experiments: rigs of every kind, unchanged and loosened: plain, Rigify, linked, other people's."""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import (
    FOLDER,
    FOUND,
    GIVEN,
    bvh,
    curves_in,
    failing,
    heads,
    install,
    plain_rig,
    play,
    played,
    poses,
    print_of,
    rigify_walk,
    top,
    unchanged,
)

from pathlib import Path

import bpy
import numpy as np


MIXAMO = {
    "hips": "Hips", "spine": "Spine", "head": "Head", "thigh": "UpLeg", "shin": "Leg", "foot": "Foot",
    "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand",
}  # fmt: skip


def rename(arm, kind):
    """Names as Mixamo and VRM have them; actions follow by themselves."""
    for bone in arm.data.bones:
        part, _, side = bone.name.partition(".")
        if kind == "mixamo":
            bone.name = f"mixamorig:{ {'L': 'Left', 'R': 'Right', '': ''}[side] }{MIXAMO[part]}"
        else:
            bone.name = f"J_Bip_{side or 'C'}_{part.title().replace('_', '')}"


def round_trips():
    install()
    FOUND["plain"] = unchanged(plain_rig(rotation=(0.0, 0.0, 0.7), scale=1.3), range(1, 25))
    arm = plain_rig(seed=2, scale=0.01, rotation=(np.pi / 2, 0, 0), modes=False)
    rename(arm, "mixamo")
    FOUND["mixamo"] = unchanged(arm, range(1, 25))
    arm = plain_rig(seed=3, rotation=(0, 0, np.pi))
    rename(arm, "vrm")
    FOUND["vrm"] = unchanged(arm, range(1, 25))
    arm = plain_rig(seed=4)
    goal = bpy.data.objects.new("goal", None)
    bpy.context.scene.collection.objects.link(goal)
    for frame, place in ((1, (0.1, -0.1, 0.1)), (24, (0.1, -0.4, 0.3))):
        goal.location = place
        goal.keyframe_insert("location", frame=frame)
    ik = arm.pose.bones["shin.L"].constraints.new("IK")
    ik.target, ik.chain_count = goal, 2
    arm.data.bones["head"].use_inherit_rotation = False
    arm.data.bones["hand.L"].inherit_scale = "NONE"
    FOUND["constrained"] = unchanged(arm, range(1, 25))
    bpy.context.scene.unit_settings.scale_length = 0.01
    FOUND["centimetres"] = unchanged(plain_rig(seed=5, scale=100.0), range(1, 25))


def rigify_round_trip():
    install()
    FOUND.update(unchanged(rigify_walk(), range(1, 50)))


def overridden():
    """An armature that is linked from another file: refused as it is, loosened when it is overridden."""
    install()
    plain_rig(frames=30)
    home = str(Path(FOLDER) / "library.blend")
    group = bpy.data.collections.new("people")
    bpy.context.scene.collection.children.link(group)
    group.objects.link(bpy.data.objects["person"])
    bpy.ops.wm.save_as_mainfile(filepath=home)
    bpy.ops.wm.read_homefile(use_empty=True, load_ui=False)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 30
    with bpy.data.libraries.load(home, link=True) as (_, into):
        into.collections = ["people"]
    scene.collection.children.link(into.collections[0])
    linked = bpy.data.objects["person"]
    bpy.context.view_layer.objects.active = linked
    FOUND["linked"] = failing(lambda: bpy.ops.poise.run(operation="loosen"))
    own = into.collections[0].override_hierarchy_create(scene, bpy.context.view_layer)
    arm = next(o for o in own.all_objects if o.type == "ARMATURE")
    bpy.context.view_layer.objects.active = arm
    before = heads(arm, range(1, 31))
    FOUND["overridden"] = failing(lambda: bpy.ops.poise.run(operation="loosen"))
    FOUND["message"] = scene.poise.message
    FOUND["loosened"] = float(np.abs(heads(arm, range(1, 31)) - before).max())
    FOUND["is override"] = arm.override_library is not None
    bpy.ops.poise.remove()
    FOUND["back"] = float(np.abs(heads(arm, range(1, 31)) - before).max())


def strangers():
    """Figures that others made, by Blender's importers: unchanged motion back, and loosened."""
    install()
    for path in GIVEN[4:]:
        bpy.ops.wm.read_homefile(use_empty=True, load_ui=False)
        if path.endswith((".glb", ".gltf")):
            bpy.ops.import_scene.gltf(filepath=path)
        elif path.endswith(".fbx"):
            bpy.ops.import_scene.fbx(filepath=path)
        else:
            bvh(path, scale=0.01)
        arm = next((o for o in bpy.data.objects if o.type == "ARMATURE"), None)
        if arm is None:
            FOUND[Path(path).name] = "no armature"
            continue
        bpy.context.view_layer.objects.active = arm
        data = arm.animation_data
        if data is not None and data.action is None and data.nla_tracks:
            strip = data.nla_tracks[0].strips[0]
            play(data, *played(strip))
            for track in list(data.nla_tracks):
                data.nla_tracks.remove(track)
        scene = bpy.context.scene
        first, last = (int(x) for x in (data.action.frame_range if data and data.action else (1, 2)))
        scene.frame_start, scene.frame_end = first, min(last, first + 40)
        frames = range(first, scene.frame_end + 1)
        found = unchanged(arm, frames)
        bpy.context.view_layer.objects.active = arm
        said = failing(lambda: bpy.ops.poise.run(operation="loosen"))
        found["loosen"] = said or scene.poise.message
        FOUND[Path(path).name] = found


def snapped():
    """A Rigify walk with IK arms that stretch: the hand at its mark, IK controls at hands and feet along."""
    install()
    rig = rigify_walk()
    scene = bpy.context.scene
    for side in "LR":
        rig.pose.bones[f"upper_arm_parent.{side}"]["IK_FK"] = 0.0
        rig.pose.bones[f"upper_arm_parent.{side}"].keyframe_insert('["IK_FK"]', frame=1)
        for frame, place in ((1, (0, 0, 0)), (25, (0, -0.5, 0.2)), (49, (0, -1.2, 0))):
            rig.pose.bones[f"hand_ik.{side}"].location = place
            rig.pose.bones[f"hand_ik.{side}"].keyframe_insert("location", frame=frame)
    frames = range(1, 50)
    names = [b.name for b in rig.pose.bones]
    FOUND["unchanged"] = unchanged(rig, frames)["moved"]
    before = poses(rig, frames)
    stretch = np.linalg.norm(before[:, names.index("ORG-upper_arm.R"), :3, 1], axis=1)
    FOUND["stretch"] = float(np.ptp(stretch))
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    cup.location = before[24, names.index("ORG-hand.R"), :3, 3] + [0.02, -0.05, 0.05]
    scene.frame_set(25)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.poise.target_add(bone="hand_ik.R", place="cup")
    scene.poise.snap_ik = True
    bpy.ops.poise.run(operation="hit")
    FOUND["message"] = scene.poise.message
    after = poses(rig, frames)[..., :3, 3]
    FOUND["reached"] = float(np.abs(after[24, names.index("ORG-hand.R")] - np.array(cup.location)).max())
    ends = [(f"{part}_ik.{side}", f"ORG-{part}.{side}") for part in ("hand", "foot") for side in "LR"]
    FOUND["apart"] = max(
        float(np.abs(after[:, names.index(a)] - after[:, names.index(b)]).max()) for a, b in ends
    )


def auto_rig(frames=36):
    """A rig named and built as Auto-Rig Pro's: controls c_…, mechanisms, bones that stretch and twist.

    It stands on IK feet, bends its knees, turns its trunk and swings its arms.
    """
    parts = {
        "c_traj": ("", (0, 0, 0), (0, 0.2, 0)), "c_root_master.x": ("c_traj", (0, 0, 1.0), (0, 0, 1.1)),
        "root.x": ("c_root_master.x", (0, 0, 1.0), (0, 0, 1.1)),
        "c_spine_01.x": ("c_root_master.x", (0, 0, 1.1), (0, 0, 1.25)),
        "spine_01.x": ("c_spine_01.x", (0, 0, 1.1), (0, 0, 1.25)),
        "spine_02.x": ("spine_01.x", (0, 0, 1.25), (0, 0, 1.45)),
        "neck.x": ("spine_02.x", (0, 0, 1.45), (0, 0, 1.55)),
        "head.x": ("neck.x", (0, 0, 1.55), (0, 0, 1.75)),
    }  # fmt: skip
    for side, x in (("l", 1), ("r", -1)):
        parts |= {
            "shoulder": ("spine_02.x", (0.03, 0, 1.4), (0.16, 0, 1.4)),
            "c_arm_fk": ("shoulder", (0.17, 0, 1.4), (0.45, 0.01, 1.4)),
            "c_forearm_fk": ("c_arm_fk", (0.45, 0.01, 1.4), (0.7, 0, 1.4)),
            "c_hand_fk": ("c_forearm_fk", (0.7, 0, 1.4), (0.85, 0, 1.4)),
            "arm": ("shoulder", (0.17, 0, 1.4), (0.45, 0.01, 1.4)),
            "arm_stretch": ("arm", (0.31, 0.005, 1.4), (0.45, 0.01, 1.4)),
            "arm_twist": ("arm", (0.17, 0, 1.4), (0.31, 0.005, 1.4)),
            "forearm": ("arm", (0.45, 0.01, 1.4), (0.7, 0, 1.4)),
            "forearm_stretch": ("forearm", (0.45, 0.01, 1.4), (0.57, 0.005, 1.4)),
            "forearm_twist": ("forearm_stretch", (0.57, 0.005, 1.4), (0.7, 0, 1.4)),
            "hand": ("forearm", (0.7, 0, 1.4), (0.85, 0, 1.4)),
            "c_index1": ("hand", (0.85, 0, 1.4), (0.89, 0, 1.4)),
            "c_foot_ik": ("c_traj", (0.1, 0, 0.1), (0.1, -0.15, 0.02)),
            "thigh": ("root.x", (0.1, 0, 0.95), (0.1, -0.03, 0.5)),
            "thigh_stretch": ("thigh", (0.1, -0.015, 0.72), (0.1, -0.03, 0.5)),
            "thigh_twist": ("thigh", (0.1, 0, 0.95), (0.1, -0.015, 0.72)),
            "leg": ("thigh", (0.1, -0.03, 0.5), (0.1, 0, 0.1)),
            "leg_stretch": ("leg", (0.1, -0.03, 0.5), (0.1, -0.015, 0.3)),
            "leg_twist": ("leg", (0.1, -0.015, 0.3), (0.1, 0, 0.1)),
            "foot": ("leg", (0.1, 0, 0.1), (0.1, -0.15, 0.02)),
            "toes_01": ("foot", (0.1, -0.15, 0.02), (0.1, -0.22, 0.02)),
        }  # fmt: skip
        for name in [n for n in parts if "." not in n and n != "c_traj"]:
            up, *ends = parts.pop(name)
            up = up if "." in up or up == "c_traj" else f"{up}.{side}"
            parts[f"{name}.{side}"] = (up, *((x * end[0], *end[1:]) for end in ends))
    data = bpy.data.armatures.new("rig")
    arm = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(arm)
    bpy.context.view_layer.objects.active = arm
    bpy.ops.object.mode_set(mode="EDIT")
    flesh = ("stretch", "twist", "spine_0", "root.x", "neck", "head", "shoulder", "foot.", "toes", "index")
    for name, (up, head, tail) in parts.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[up] if up else None
        own = name.startswith("c_") and "index" not in name
        bone.use_deform = name.startswith("hand.") or (not own and any(word in name for word in flesh))
    bpy.ops.object.mode_set(mode="OBJECT")
    bones = arm.pose.bones

    def bind(name, kind, target, **more):
        bound = bones[name].constraints.new(kind)
        bound.target, bound.subtarget = arm, target
        for key, value in more.items():
            setattr(bound, key, value)

    for side in "lr":
        for part in ("arm", "forearm", "hand"):
            bind(f"{part}.{side}", "COPY_ROTATION", f"c_{part}_fk.{side}")
        bind(f"leg.{side}", "IK", f"c_foot_ik.{side}", chain_count=2)
        bind(f"foot.{side}", "COPY_ROTATION", f"c_foot_ik.{side}")
        for part, after in (("arm", "forearm"), ("thigh", "leg")):
            bind(f"{part}_stretch.{side}", "STRETCH_TO", f"{after}.{side}")
        bind(f"forearm_twist.{side}", "COPY_ROTATION", f"hand.{side}", influence=0.5)
    _stand_and_swing(bones, frames)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames
    bpy.context.view_layer.objects.active = arm
    return arm


def _stand_and_swing(bones, frames):
    for step, frame in enumerate(range(1, frames + 1, 7)):
        way = 1 if step % 2 else -1
        bones["c_root_master.x"].location = (0.03 * way, -0.06 - 0.03 * (step % 2), 0.01)
        bones["c_root_master.x"].keyframe_insert("location", frame=frame)
        keyed = {"c_spine_01.x": (1, 0.02, 0.15 * way, 0)}
        keyed |= {f"c_arm_fk.{side}": (1, 0.3 * way, 0, -0.5 * x) for side, x in (("l", 1), ("r", -1))}
        keyed |= {f"c_forearm_fk.{side}": (1, 0.2 + 0.2 * way, 0, 0) for side in "lr"}
        for name, turn in keyed.items():
            bones[name].rotation_quaternion = np.array(turn) / np.linalg.norm(turn)
            bones[name].keyframe_insert("rotation_quaternion", frame=frame)


def auto_rig_pro():
    """Its bones that deform are read and keyed: unchanged, loosened on its feet, a hand by its control."""
    install()
    arm = auto_rig()
    scene, frames = bpy.context.scene, range(1, 37)
    FOUND["unchanged"] = unchanged(arm, frames)
    names = [b.name for b in arm.pose.bones]
    before, user = poses(arm, frames), print_of(arm)
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    cup.location = before[19, names.index("hand.r"), :3, 3] + [0.02, -0.05, 0.05]
    scene.frame_set(20)
    bpy.context.view_layer.objects.active = arm
    bpy.ops.poise.run(operation="loosen")
    loose = poses(arm, frames)
    feet = [names.index(f"{part}.{side}") for part in ("foot", "toes_01") for side in "lr"]
    slides = [
        np.linalg.norm(np.diff(one[..., :3, 3][:, feet], axis=0), axis=-1) * 24 for one in (before, loose)
    ]
    FOUND["slid"], FOUND["slides"] = (float(slide.max()) for slide in slides)
    FOUND["loosened"] = float(np.abs(loose - before)[:, names.index("hand.l"), :3, 3].max())
    bpy.ops.poise.remove()
    bpy.ops.poise.target_add(bone="c_hand_fk.r", place="cup")
    bpy.ops.poise.run(operation="hit")
    FOUND["message"] = scene.poise.message
    after = poses(arm, frames)
    off = after[19, names.index("hand.r"), :3, 3] - np.array(cup.location)
    FOUND["reached"] = float(np.abs(off).max())

    def apart(shown, one, other):
        ways = shown[:, names.index(one), :3, 3] - shown[:, names.index(other), :3, 3]
        return np.linalg.norm(ways, axis=1)

    joints = (("arm_stretch", "forearm"), ("thigh_stretch", "leg"), ("forearm_twist", "hand"))
    pairs = [(f"{one}.{side}", f"{other}.{side}") for one, other in joints for side in "lr"]
    torn = [np.abs(apart(now, *p) - apart(before, *p)).max() for now in (loose, after) for p in pairs]
    FOUND["torn"] = float(max(torn))
    FOUND["same"] = user == print_of(arm)
    paths = {curve.data_path for curve in curves_in(top(arm).strips[0].action)}
    FOUND["controls"] = sorted(p for p in paths if '["c_' in p and "index" not in p and "influence" not in p)
    bpy.ops.poise.remove()
    FOUND["back"] = float(np.abs(poses(arm, frames) - before).max())


EXPERIMENTS = {
    each.__name__: each
    for each in (round_trips, rigify_round_trip, overridden, strangers, snapped, auto_rig_pro)
}
