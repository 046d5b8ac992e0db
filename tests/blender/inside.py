"""Runs inside a Python that has bpy: one experiment by its name, its findings as JSON on the last line.

PYTHON_WITH_BPY inside.py EXPERIMENT ZIP FOLDER POISE_PROGRAM
"""

# ruff: noqa: E402
import json
import os
import sys
import time
from pathlib import Path

EXPERIMENT, ZIP, FOLDER, PROGRAM = sys.argv[1:5]
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


def print_of(arm):
    """Everything of the user's that must stay as it is, to the bit."""
    data = arm.animation_data
    actions = {}
    for action in bpy.data.actions:
        if action.name.startswith("Poise"):
            continue
        curves = []
        bags = (
            [b for l in action.layers for s in l.strips for b in s.channelbags]
            if hasattr(action, "layers")
            else [action]
        )
        for bag in bags:
            for curve in bag.fcurves:
                points = np.empty(len(curve.keyframe_points) * 2, np.float32)
                curve.keyframe_points.foreach_get("co", points)
                curves.append((curve.data_path, curve.array_index, points.tobytes().hex()))
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


# Experiments -------------------------------------------------------------------------------------------


def renamed(prefix, names):
    """The little person under the names of another kind of rig."""
    return {prefix + names.get(k, k): v for k, v in names.items()}


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


def command_line():
    """Operators on an imported BVH: where bones then are, for a comparison with the command line."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene = bpy.context.scene
    scene.frame_end = int(arm.animation_data.action.frame_range[1])
    frames = range(scene.frame_start, scene.frame_end + 1)
    user = print_of(arm)
    before = heads(arm, frames)
    FOUND["result"] = sorted(bpy.ops.poise.run(operation="loosen", options=json.dumps({"tension": "loose"})))
    loose = heads(arm, frames)
    FOUND["message"] = scene.poise.message
    bpy.ops.poise.remove()
    names = [b.name for b in arm.pose.bones]
    place = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(place)
    place.location = before[20, names.index("RightHand")] + [0.05, 0.0, 0.1]
    scene.frame_set(frames[20])
    bpy.ops.poise.target_add(bone="RightHand", place="cup")
    bpy.ops.poise.run(operation="hit", options=json.dumps({"tension": "loose"}))
    FOUND["hit"] = scene.poise.message
    hit = heads(arm, frames)
    FOUND["same"] = user == print_of(arm)
    FOUND["missed"] = float(np.abs(hit[20, names.index("RightHand")] - np.array(place.location)).max())
    np.savez(
        Path(FOLDER) / "command_line.npz",
        before=before,
        loose=loose,
        hit=hit,
        names=names,
        place=place.location,
    )
    FOUND["tracks"] = [t.name for t in arm.animation_data.nla_tracks]
    FOUND["rate"] = module("blender").frame_rate(scene)
    link = module("program").running()
    link.ask({"ask": "save", "clip": arm.name, "path": str(Path(FOLDER) / "told.npz"), "force": True})


def speed():
    """300 frames of 60 bones: process times of reading and writing, of a request, of a glimpse."""
    install()
    arm = plain_rig(frames=300, modes=False, count=45)
    found = unchanged(arm, range(1, 301))
    FOUND.update({k: found[k] for k in ("reading", "writing", "moved", "bodies")})
    blender, jobs, client = module("blender"), module("job"), module("program")
    read = jobs.Job(module("reading").reading(arm, blender.plan_for(arm), range(1, 301))).finish()
    link = client.link("")
    (who, shape), (moves, motion) = read.messages("clip", "figure")
    link.ask(who, shape)
    link.ask(moves, motion)
    trim = {"ask": "run", "clip": "clip", "operation": {"do": "trim", "start": 0}}
    link.ask(trim)
    clocks, mine = [], []
    for _ in range(9):
        clock, own = time.perf_counter(), time.process_time()
        link.ask(trim)
        clocks.append(time.perf_counter() - clock)
        mine.append(time.process_time() - own)
    FOUND["link"], FOUND["link_own"] = float(np.min(clocks)), float(np.min(mine))
    glimpse = {"ask": "glimpse", "clip": "clip", "operation": {"do": "loosen"}, "frames": [150]}
    link.ask(glimpse)
    clocks = []
    for k in range(9):
        operation = {"do": "loosen", "tension": 2.0 + 0.1 * k}
        clock = time.perf_counter()
        FOUND["exact"] = link.ask(glimpse | {"operation": operation, "quick": True})[0]["exact"]
        clocks.append(time.perf_counter() - clock)
    FOUND["glimpse"] = float(np.min(clocks))


def five_calls():
    """A Rigify walk, loosened with planted feet and a hand that gets to a cup, in five operator calls."""
    install()
    rig = rigify_walk()
    scene = bpy.context.scene
    frames = range(1, 50)
    before = poses(rig, frames)
    names = [b.name for b in rig.pose.bones]
    user = print_of(rig)
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    hand = before[36, names.index("ORG-hand.R"), :3, 3]
    cup.location = hand + [0.05, -0.12, 0.12]
    scene.frame_set(37)
    bpy.ops.poise.connect()
    bpy.ops.poise.target_add(bone="hand_ik.R", place="cup")
    bpy.ops.poise.part_add(collection="Leg.L (IK)", tension="keyed")
    bpy.ops.poise.part_add(collection="Leg.R (IK)", tension="keyed")
    bpy.ops.poise.run(operation="hit", options=json.dumps({"tension": "loose"}))
    after = poses(rig, frames)
    FOUND["message"], FOUND["problem"] = scene.poise.message, scene.poise.problem
    FOUND["reached"] = float(
        np.linalg.norm(after[36, names.index("ORG-hand.R"), :3, 3] - np.array(cup.location))
    )
    rate = 24.0
    slides = {}
    for side in "LR":
        foot = [names.index(f"DEF-foot.{side}"), names.index(f"DEF-toe.{side}")]
        was, now = before[..., :3, 3][:, foot], after[..., :3, 3][:, foot]
        still = np.linalg.norm(np.diff(was, axis=0), axis=-1).max(axis=1) * rate < 0.01
        slides[side] = [
            int(still.sum()),
            float((np.linalg.norm(np.diff(now, axis=0), axis=-1)[still] * rate).max()),
        ]
    FOUND["slides"] = slides
    chest = names.index("ORG-hand.L")
    FOUND["loosened"] = float(np.abs(after[:, chest, :3, 3] - before[:, chest, :3, 3]).max())
    FOUND["same"] = user == print_of(rig)
    paths = set()
    action = top(rig).strips[0].action
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                paths |= {curve.data_path for curve in bag.fcurves}
    FOUND["switched"] = sum("IK_FK" in path for path in paths)
    FOUND["deform"] = sum(name in path for path in paths for name in ('["DEF-', '["ORG-', '["MCH-'))


def failing(do):
    """What an operator says when it fails; the message in the panel."""
    try:
        do()
    except RuntimeError as problem:
        said = bpy.context.scene.poise.message
        fine = said.split(".")[0] in str(problem) and bpy.context.scene.poise.problem
        return said if fine else f"the panel says {said!r}, the operator {problem}"
    return ""


def troubles():
    """Everything that can be wrong: a message, and nothing changed."""
    install()
    run = lambda: bpy.ops.poise.run(operation="loosen")  # noqa: E731
    FOUND["nothing chosen"] = failing(run)
    arm = plain_rig(frames=40)
    bpy.context.view_layer.objects.active = arm
    frames = range(1, 41)

    def state():
        tracks = [(t.name, t.mute) for t in arm.animation_data.nla_tracks] if arm.animation_data else None
        action = arm.animation_data.action.name if arm.animation_data and arm.animation_data.action else None
        actions = sorted(a.name for a in bpy.data.actions)
        return print_of(arm), tracks, action, actions, bpy.context.scene.frame_current

    def trouble(name, do=run):
        was = state()
        FOUND[name] = failing(do)
        FOUND[f"{name}: same"] = was == state()

    bpy.context.scene.frame_set(7)
    arm.scale = (1, 1, 2)
    bpy.context.view_layer.update()
    trouble("scale")
    arm.scale = (1, 1, -1)
    bpy.context.view_layer.update()
    trouble("mirrored")
    arm.scale = (1, 1, 1)
    bpy.context.view_layer.update()
    action, slot = arm.animation_data.action, arm.animation_data.action_slot
    empty = bpy.data.actions.new("empty")
    arm.animation_data.action = empty
    trouble("empty")
    arm.animation_data.action, arm.animation_data.action_slot = action, slot
    bpy.data.actions.remove(empty)
    bpy.context.scene.poise.use_range, bpy.context.scene.poise.first, bpy.context.scene.poise.last = (
        True,
        30,
        20,
    )
    trouble("range")
    bpy.context.scene.poise.use_range = False
    trouble("option", lambda: bpy.ops.poise.run(operation="loosen", options='{"step": -1}'))
    trouble("unknown option", lambda: bpy.ops.poise.run(operation="loosen", options='{"tenson": 1}'))
    trouble("no source", lambda: bpy.ops.poise.run(operation="retarget"))
    trouble("no target", lambda: bpy.ops.poise.run(operation="hit"))
    link = module("program").link("")
    link.process.kill()
    link.process.wait()
    work, jobs = module("work"), module("job")

    def killed():
        operators = module("wishes")
        state_ = module("ui")._state
        wish = operators.wish_of(bpy.context, state_, "loosen")
        job = jobs.Job(work.running(wish))
        while job.poll(0.0) == "running":
            if job.part > 0.41 and module("program").running() is not None:
                module("program").running().process.kill()
        FOUND["killed words"] = str(job.problem)
        FOUND["killed state"] = job.state

    was = state()
    killed()
    FOUND["killed: same"] = was == state()
    before = heads(arm, frames)
    FOUND["after the kill"] = failing(run)
    FOUND["loosened after"] = float(np.abs(heads(arm, frames) - before).max())
    bpy.ops.poise.remove()
    FOUND["removed"] = float(np.abs(heads(arm, frames) - before).max())
    FOUND["action again"] = arm.animation_data.action is action

    def cancelled():
        wish = module("wishes").wish_of(bpy.context, module("ui")._state, "loosen")
        for least in (0.1, 0.46, 0.85):
            job = jobs.Job(work.running(wish))
            while job.poll(0.0) == "running" and job.part < least:
                pass
            job.cancel()
            yield job.state

    was = state()
    FOUND["cancelled"] = list(cancelled())
    FOUND["cancelled: same"] = was == state()
    module("program").close()
    os.environ["POISE_PROGRAM"], os.environ["PATH"], os.environ["HOME"] = "", "", FOLDER
    trouble("missing")
    bpy.context.preferences.addons["bl_ext.poise_test.poise_addon"].preferences.program = "/nowhere/poise"
    trouble("wrong path")


def long_one():
    """10,000 frames."""
    install()
    arm = plain_rig(frames=10_000, modes=False)
    bpy.context.view_layer.objects.active = arm
    clock = time.process_time()
    bpy.ops.poise.run(operation="loosen", options='{"contacts": false}')
    FOUND["seconds"] = time.process_time() - clock
    FOUND["message"] = bpy.context.scene.poise.message
    FOUND["frames"] = float(top(arm).strips[0].frame_end)
    link = module("program").link("")
    link.process.kill()


def live():
    """The shown frame follows slider and empty; ended, all is as it was; baked, it is what was seen."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene = bpy.context.scene
    scene.frame_end = int(arm.animation_data.action.frame_range[1])
    scene.frame_set(30)
    frames = range(1, scene.frame_end + 1)
    user, before = print_of(arm), heads(arm, frames)
    operators, state = module("wishes"), module("ui")._state
    scene.poise.operation = "loosen"
    preview = module("live").Live(operators.wish_of(bpy.context, state))

    def settle():
        clock, answers = time.perf_counter(), preview.answers
        while preview.answers == answers or not preview.exact:
            preview.poll(operators.wish_of(bpy.context, state), scene.frame_current)
            if time.perf_counter() - clock > 60:
                raise TimeoutError
        return heads(arm, [30])[0]

    settle()
    scene.poise.of_loosen.k_tension = "NUMBER"
    waits = []
    for k in range(6):
        scene.poise.of_loosen.o_tension = 1.5 + 0.1 * k
        clock, own = time.perf_counter(), time.process_time()
        while (
            f"'tension': {1.5 + 0.1 * k:.6g}" not in str(preview._shown) and time.perf_counter() - clock < 60
        ):
            preview.poll(operators.wish_of(bpy.context, state), scene.frame_current)
        waits.append((time.perf_counter() - clock, time.process_time() - own))
    FOUND["waits"] = waits
    seen = settle()
    FOUND["tracks while live"] = [t.name for t in arm.animation_data.nla_tracks]
    preview.end()
    FOUND["ended"] = user == print_of(arm) and float(np.abs(heads(arm, frames) - before).max()) == 0.0
    FOUND["tracks after"] = len(arm.animation_data.nla_tracks)
    bpy.ops.poise.run(operation="loosen")
    FOUND["baked"] = float(np.abs(heads(arm, [30])[0] - seen).max())
    bpy.ops.poise.remove()
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    names = [b.name for b in arm.pose.bones]
    hand = names.index("RightHand")
    cup.location = before[29, hand] + [0.0, -0.05, 0.1]
    bpy.context.view_layer.update()
    scene.poise.operation = "hit"
    bpy.ops.poise.target_add(bone="RightHand", place="cup")
    preview = module("live").Live(operators.wish_of(bpy.context, state))
    clock, away = time.perf_counter(), []
    while preview.answers == 0 and time.perf_counter() - clock < 60:
        preview.poll(operators.wish_of(bpy.context, state), 30)
    for _ in range(4):
        cup.location.x += 0.02
        bpy.context.view_layer.update()
        clock = time.perf_counter()
        place = repr(module("scenery").place_of(cup))[1:-1]
        while place not in str(preview._shown) and time.perf_counter() - clock < 60:
            preview.poll(operators.wish_of(bpy.context, state), 30)
        away.append(float(np.linalg.norm(heads(arm, [30])[0, hand] - np.array(cup.location))))
    FOUND["away"] = away
    preview.end()
    FOUND["same"] = user == print_of(arm)


def undone():
    """Undo takes everything back; so does disabling and enabling the extension leave everything sound."""
    name = install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene = bpy.context.scene
    scene.frame_end = 30
    bpy.ops.ed.undo_push(message="before")
    was = print_of(arm)
    bpy.ops.poise.run(operation="loosen")
    FOUND["made"] = len(arm.animation_data.nla_tracks)
    bpy.ops.ed.undo_push(message="loosened")
    bpy.ops.ed.undo()
    arm = bpy.data.objects["walk"]
    FOUND["undone"] = (
        len(arm.animation_data.nla_tracks),
        arm.animation_data.action is not None,
        was == print_of(arm),
    )
    FOUND["actions"] = [a.name for a in bpy.data.actions]
    for _ in range(2):
        bpy.ops.preferences.addon_disable(module=name)
        assert not hasattr(bpy.types.Scene, "poise")
        bpy.ops.preferences.addon_enable(module=name)
    bpy.context.view_layer.objects.active = arm
    FOUND["again"] = sorted(bpy.ops.poise.run(operation="loosen"))
    FOUND["registered"] = hasattr(bpy.types.Scene, "poise")


def other_operations():
    """Check, fix, adapt, retarget, wear; a range, chosen bones, surfaces."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene = bpy.context.scene
    scene.frame_end = last = int(arm.animation_data.action.frame_range[1])
    frames = range(1, last + 1)
    names = [b.name for b in arm.pose.bones]
    before = heads(arm, frames)
    arm.location.z -= 0.05  # its feet sink
    bpy.context.view_layer.update()
    bpy.ops.poise.run(operation="check", options='{"floor": 0}')
    FOUND["check"] = scene.poise.message
    FOUND["findings"] = [(f.words, f.frame) for f in scene.poise.findings]
    FOUND["markers"] = [(m.name, m.frame) for m in scene.timeline_markers]
    FOUND["text"] = "Poise check" in bpy.data.texts and len(bpy.data.texts["Poise check"].as_string())
    bpy.ops.poise.go(frame=scene.poise.findings[0].frame)
    FOUND["went"] = scene.frame_current
    bpy.ops.poise.run(operation="fix", options='{"floor": 0}')
    FOUND["fix"] = scene.poise.message
    bpy.ops.poise.remove()
    arm.location.z += 0.05
    settings = scene.poise
    settings.use_range, settings.first, settings.last = True, 10, 30
    settings.only_selected = True
    bpy.ops.object.mode_set(mode="POSE")
    for bone in arm.pose.bones:
        if hasattr(bone, "select"):
            bone.select = bone.name in ("LeftArm", "LeftForeArm")
    bpy.ops.poise.run(operation="loosen", options='{"tension": "drunk"}')
    moved = np.abs(heads(arm, frames) - before).max(axis=2)
    FOUND["moved frames"] = np.flatnonzero(moved.max(axis=1) > 1e-5).tolist()
    FOUND["moved bones"] = [names[k] for k in np.flatnonzero(moved.max(axis=0) > 1e-5)]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.poise.remove()
    settings.only_selected = settings.use_range = False
    # A wall in the way of a hand, from a mesh of the scene.
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, -1.0, 1.2), scale=(3, 0.2, 3))
    walls = bpy.data.collections.new("walls")
    walls.objects.link(bpy.context.object)
    settings.surfaces = walls
    bpy.context.view_layer.objects.active = arm
    settings.use_range, settings.first, settings.last = True, 1, 24
    bpy.ops.poise.run(operation="loosen")
    FOUND["wall"] = scene.poise.message
    settings.surfaces = None
    bpy.ops.poise.remove()
    # The walk given to a person of other proportions.
    person = plain_rig(seed=9, frames=24, modes=False)
    person.location.x = 2.0
    bpy.context.view_layer.objects.active = person
    settings.source = arm
    still = heads(person, range(1, 25))
    bpy.ops.poise.run(operation="retarget")
    FOUND["retarget"] = scene.poise.message
    given = heads(person, range(1, 25))
    root = [b.name for b in person.pose.bones].index("hips")
    FOUND["travelled"] = float(np.linalg.norm(given[-1, root] - given[0, root]))
    FOUND["performed"] = float(np.linalg.norm(before[23, 0] - before[0, 0]))
    FOUND["was still"] = float(np.abs(still - given).max())
    bpy.context.view_layer.objects.active = arm
    bpy.ops.poise.run(operation="adapt")
    FOUND["adapt"] = scene.poise.message
    settings.last = 6
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.1)
    ball = bpy.context.object
    head = arm.data.bones["Head"]
    ball.location = arm.matrix_world @ head.tail_local
    bpy.context.view_layer.update()
    settings.mesh = ball
    bpy.context.view_layer.objects.active = arm
    bpy.ops.poise.run(operation="wear", options='{"to": "Head", "grip": 0.05}')
    FOUND["wear"] = scene.poise.message
    worn = [o for o in bpy.data.objects if o.name.startswith("Poise")]
    FOUND["worn"] = [o.name for o in worn]
    far = []
    for frame in (1, 3, 6):
        scene.frame_set(frame)
        now = worn[0].evaluated_get(bpy.context.evaluated_depsgraph_get())
        middle = np.mean([now.matrix_world @ v.co for v in now.data.vertices], axis=0)
        shown = arm.evaluated_get(bpy.context.evaluated_depsgraph_get())
        far.append(
            float(np.linalg.norm(middle - np.array(shown.matrix_world @ shown.pose.bones["Head"].tail)))
        )
    FOUND["ball from head"] = far


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
    for path in sys.argv[5:]:
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
            data.action, slot = strip.action, strip.action_slot
            data.action_slot = slot
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


def beats():
    """A sound in the sequencer: its beats as markers, and targets at them."""
    import wave

    install()
    rate, tempo = 22050, 120.0
    sound = np.zeros(rate * 6)
    for k in range(12):
        at = int((0.25 + 60 / tempo * k) * rate)
        sound[at : at + 400] += np.sin(np.arange(400) * 0.3) * np.exp(-np.arange(400) / 80)
    path = str(Path(FOLDER) / "clicks.wav")
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((sound * 20000).astype("<i2").tobytes())
    arm = plain_rig(frames=150)
    scene = bpy.context.scene
    bpy.context.view_layer.objects.active = arm
    FOUND["none"] = failing(bpy.ops.poise.beats)
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    strips.new_sound("clicks", path, 1, 1)
    bpy.ops.poise.beats()
    FOUND["frames"] = sorted(m.frame for m in scene.timeline_markers)
    bpy.ops.poise.target_add(bone="hand.R", times="MARKERS")
    FOUND["targets"] = [t.frame for t in scene.poise.targets]


class Layout:
    """Stands for Blender's layout: notes what the panel's own code draws, as rows of (kind, text, value)."""

    def __init__(self, rows, row=None):
        self._rows, self._row = rows, row

    def __setattr__(self, name, value):
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name == "alert" and value:
            self._rows.append([("alert", "", "")])

    def _note(self, *entry):
        if self._row is None:
            self._rows.append([entry])
        else:
            self._row.append(entry)

    def row(self, align=False):
        new = []
        self._rows.append(new)
        return Layout(self._rows, new)

    def column(self, align=False):
        return Layout(self._rows, self._row)

    box = column

    def label(self, text="", icon=""):
        self._note("label", text, "")

    def prop(self, data, name, text=None, icon=""):
        known = data.bl_rna.properties[name]
        value = getattr(data, name)
        if known.type == "ENUM":
            value = known.enum_items[value].name
        elif known.type == "FLOAT":
            value = f"{value:.3f}"
        elif known.type == "POINTER":
            value = value.name if value is not None else ""
        elif known.type == "BOOLEAN":
            self._note("check", known.name if text is None else text, value)
            return
        self._note("field", known.name if text is None else text, str(value))

    prop_search = lambda self, data, name, home, key, text=None: self.prop(data, name, text)  # noqa: E731

    def operator(self, name, text=None, icon=""):
        home, _, word = name.partition(".")
        kind = getattr(bpy.types, f"{home.upper()}_OT_{word}")
        self._note(
            "button",
            kind.bl_label
            if text is None
            else text or {"ADD": "+", "REMOVE": "-", "X": "x", "TRASH": "bin"}.get(icon, icon),
            "",
        )
        return type("Set", (), {})()

    def template_list(self, kind, key, data, name, active, index, rows=2):
        for item in getattr(data, name):
            self._rows.append(
                [
                    ("check", item.bone, item.on),
                    ("field", "", item.place.name),
                    ("field", "", str(item.frame)),
                ]
            )


def drawn(panel):
    """The rows that a panel's own code draws."""
    rows = []
    kind = getattr(bpy.types, panel)
    fake = type(
        "Fake", (), {n: getattr(kind, n) for n in ("draw", "draw_own", "draw_options") if hasattr(kind, n)}
    )()
    fake.layout = Layout(rows)
    fake.draw(bpy.context)
    return [row for row in rows if row]


def panels():
    """What the panels draw for every operation, with everything shown."""
    install()
    rig = rigify_walk()
    settings = bpy.context.scene.poise
    cup = bpy.data.objects.new("cup", None)
    bpy.context.scene.collection.objects.link(cup)
    bpy.context.scene.frame_set(37)
    bpy.ops.poise.connect()
    bpy.ops.poise.target_add(bone="hand_ik.R", place="cup")
    for side in "LR":
        bpy.ops.poise.part_add(collection=f"Leg.{side} (IK)", tension="keyed")
    settings.operation = "hit"
    settings.of_hit.k_tension = "loose"
    FOUND["hit"] = drawn("POISE_PT_main")
    FOUND["range"] = drawn("POISE_PT_range")
    settings.expert = True
    FOUND["all"] = {}
    for name in module("ui")._state.cards:
        settings.operation = name
        FOUND["all"][name] = drawn("POISE_PT_main")
    bpy.ops.poise.run(operation="check")
    FOUND["findings"] = drawn("POISE_PT_findings") if len(settings.findings) else []
    FOUND["problem"] = failing(lambda: bpy.ops.poise.run(operation="retarget"))
    FOUND["with problem"] = drawn("POISE_PT_main")[:3]
    preferences = bpy.context.preferences.addons["bl_ext.poise_test.poise_addon"].preferences
    rows = []
    fake = type(
        "Fake",
        (),
        {"draw": type(preferences).draw, "program": preferences.program, "bl_rna": preferences.bl_rna},
    )()
    fake.layout = Layout(rows)
    fake.draw(bpy.context)
    FOUND["preferences"] = [row for row in rows if row]
    assert rig


def picture():
    """The walk and what becomes of it, for the guide: figures of capsules at some frames, drawn by Cycles."""
    install()
    rig = rigify_walk()
    scene = bpy.context.scene
    frames = (13, 25, 37)
    plan = module("blender").plan_for(rig)
    body = [b for b in plan.bodies if not b.name.startswith(("f_", "thumb", "neck."))]

    def figure(colour, away):
        for number, frame in enumerate(frames):
            scene.frame_set(frame)
            shift = np.array([0.0, away - 0.55 * number, 0.0])
            shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            for part in body:
                bone = shown.pose.bones[part.bone]
                head, tail = shown.matrix_world @ bone.head, shown.matrix_world @ bone.tail
                thick = 0.075 if part.name.startswith(("hips", "spine", "head")) else 0.045
                capsule(np.array(head) + shift, np.array(tail) + shift, thick, colour)

    def material(name, colour):
        made = bpy.data.materials.get(name) or bpy.data.materials.new(name)
        made.use_nodes = True
        made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*colour, 1)
        made.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.6
        return made

    def capsule(a, b, radius, colour):
        from mathutils import Vector

        way = Vector(b - a)
        bpy.ops.mesh.primitive_cylinder_add(
            vertices=20, radius=radius, depth=way.length, location=Vector((a + b) / 2)
        )
        bpy.context.object.rotation_euler = way.to_track_quat("Z", "Y").to_euler()
        bpy.context.object.data.materials.append(colour)
        for end in (a, b):
            bpy.ops.mesh.primitive_uv_sphere_add(segments=20, ring_count=10, radius=radius, location=end)
            bpy.context.object.data.materials.append(colour)
        for item in bpy.context.selected_objects:
            item.select_set(False)

    grey, blue, red = (
        material("grey", (0.35, 0.35, 0.37)),
        material("blue", (0.08, 0.25, 0.6)),
        material("red", (0.7, 0.08, 0.05)),
    )
    figure(grey, 2.6)
    scene.frame_set(37)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    hand = np.array(shown.matrix_world @ shown.pose.bones["ORG-hand.R"].head)
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    cup.location = hand + [-0.03, -0.16, 0.16]
    bpy.context.view_layer.objects.active = rig
    bpy.ops.poise.target_add(bone="hand_ik.R", place="cup")
    for side in "LR":
        bpy.ops.poise.part_add(collection=f"Leg.{side} (IK)", tension="keyed")
    bpy.ops.poise.run(operation="hit", options=json.dumps({"tension": "loose"}))
    FOUND["message"] = scene.poise.message
    figure(blue, 0.0)
    for shift in (-1.1, 1.5):
        bpy.ops.mesh.primitive_cylinder_add(
            vertices=32, radius=0.045, depth=0.11, location=np.array(cup.location) + [-0.03, shift, 0.0]
        )
        bpy.context.object.data.materials.append(red)
    bpy.ops.mesh.primitive_plane_add(size=40)
    bpy.context.object.data.materials.append(material("floor", (0.75, 0.75, 0.72)))
    light = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    light.data.energy, light.rotation_euler = 3.0, (0.7, 0.2, -0.6)
    scene.collection.objects.link(light)
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.85, 0.9, 1.0, 1)
    world.node_tree.nodes["Background"].inputs[1].default_value = 0.6
    scene.world = world
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    from mathutils import Vector

    camera.location = (-7.0, -1.6, 1.5)
    camera.rotation_euler = (Vector((-0.2, 0.2, 0.86)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 44
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 24, False
    scene.render.resolution_x, scene.render.resolution_y = 1100, 460
    scene.render.filepath = str(Path(FOLDER) / "cup.png")
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    globals()[EXPERIMENT]()
    print()
    print(json.dumps(FOUND))
    sys.stdout.flush()
    os._exit(0)
