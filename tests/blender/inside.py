"""Runs inside a Python that has bpy: one experiment by its name, its findings as JSON on the last line.

PYTHON_WITH_BPY inside.py EXPERIMENT ZIP FOLDER POISE_PROGRAM
"""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import (
    EXPERIMENT,
    FOLDER,
    FOUND,
    bvh,
    failing,
    heads,
    install,
    module,
    plain_rig,
    poses,
    print_of,
    rigify_walk,
    top,
    unchanged,
)

import json
import os
import sys
import time
from pathlib import Path

import bpy
import numpy as np
from guide_pictures import panels, picture
from repeated_use import EXPERIMENTS

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
    scene = bpy.context.scene
    scene.frame_set(150)
    bpy.context.view_layer.objects.active = arm
    scene.poise.operation = "loosen"
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    scene.poise.of_loosen.k_tension = "NUMBER"
    shown, answers, begin, clock = [], [], time.perf_counter(), 0.0
    motions = preview.motions
    while (now := time.perf_counter()) - begin < 3.0:  # a slider that moves thirty times a second
        if now - clock > 0.033 and (not shown or len(answers) == len(shown)):
            scene.poise.of_loosen.o_tension = 2.0 + (now - begin) / 3.0
            clock, count = now, preview.poses
            shown.append(now)
        preview.poll(wish(arm), scene.frame_current)
        if len(answers) < len(shown) and preview.poses > count:
            answers.append(time.perf_counter() - shown[-1])
        time.sleep(0.001)
    FOUND["live_frame"], FOUND["live_frame_worst"] = float(np.median(answers)), float(np.max(answers))
    FOUND["live_frames_a_second"] = len(answers) / 3.0
    FOUND["previews_a_second"] = (preview.motions - motions) / 3.0
    preview.end()


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


def walking():
    """The walk of the folder, and what is the user's of it."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene = bpy.context.scene
    scene.frame_end = int(arm.animation_data.action.frame_range[1])
    scene.frame_set(30)
    return arm, scene, range(1, scene.frame_end + 1), print_of(arm)


def polled(preview, until):
    """Poll a preview as its timer would, until something holds; the seconds it took, ours, and of a poll."""
    begin, own, longest = time.perf_counter(), time.process_time(), 0.0
    while not until():
        clock = time.perf_counter()
        preview.poll(wish(preview.wish.arm), bpy.context.scene.frame_current)
        longest = max(longest, time.perf_counter() - clock)
        time.sleep(0.001)
        if time.perf_counter() - begin > 60:
            raise TimeoutError
    return time.perf_counter() - begin, time.process_time() - own, longest


def wish(arm=None):
    return module("wishes").wish_of(bpy.context, module("ui")._state, arm=arm)


def followed(preview, move, count):
    """Move something so many times: how long the shown frame takes to follow, each time [s]."""
    waits = []
    for _ in range(count):
        move()
        answers = preview.poses
        waits.append(polled(preview, lambda: preview.poses > answers)[0])  # noqa: B023  at once
    return waits


def live():
    """The shown frame follows a slider at once, all frames soon; ended, all is as it was."""
    arm, scene, frames, user = walking()
    before = heads(arm, frames)
    scene.poise.operation = "loosen"
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    scene.poise.of_loosen.k_tension = "NUMBER"

    def slide():
        scene.poise.of_loosen.o_tension += 0.1

    FOUND["waits"] = followed(preview, slide, 6)
    polled(preview, lambda: preview.shows(wish(arm)))
    seen = heads(arm, frames)
    FOUND["tracks while live"] = [t.name for t in arm.animation_data.nla_tracks]
    asked = preview.motions, preview.poses
    scene.frame_set(12)
    for _ in range(30):
        preview.poll(wish(arm), scene.frame_current)
        time.sleep(0.01)
    FOUND["asked again"] = (preview.motions, preview.poses) != asked
    preview.end()
    FOUND["ended"] = user == print_of(arm) and float(np.abs(heads(arm, frames) - before).max()) == 0.0
    FOUND["tracks after"] = len(arm.animation_data.nla_tracks)
    bpy.ops.poise.run(operation="loosen")
    FOUND["baked"] = float(np.abs(heads(arm, frames) - seen).max())
    FOUND["same"] = user == print_of(arm)


def dragged():
    """An empty is dragged, and is the active object then: the motion follows while it moves."""
    arm, scene, frames, user = walking()
    before = poses(arm, frames)
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    names = [b.name for b in arm.pose.bones]
    hand = names.index("RightHand")
    cup.location = before[29, hand, :3, 3] + [0.0, -0.05, 0.1]
    bpy.context.view_layer.update()
    scene.poise.operation = "hit"
    bpy.ops.poise.target_add(bone="RightHand", place="cup")
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    first = poses(arm, frames)
    bpy.context.view_layer.objects.active = cup
    away, whole, scrubbed = [], [], []
    begin = time.perf_counter()
    for _ in range(60):  # as a hand does: thirty small moves a second
        cup.location.x += 0.002
        bpy.context.view_layer.update()
        clock, count, motions = time.perf_counter(), preview.poses, preview.motions
        while time.perf_counter() - clock < 0.033:
            preview.poll(wish(arm), scene.frame_current)
            if preview.poses > count:
                count = 10**9
                away.append(float(np.linalg.norm(heads(arm, [30])[0, hand] - np.array(cup.location))))
            time.sleep(0.001)
        if preview.motions > motions:
            whole.append(time.perf_counter() - begin)
            scrubbed.append(float(np.abs(heads(arm, [24]) - first[23, :, :3, 3]).max()))
    FOUND["away"], FOUND["answers"] = away, len(away)
    FOUND["previews"], FOUND["seconds"] = len(whole), time.perf_counter() - begin
    FOUND["scrubbed"] = scrubbed
    polled(preview, lambda: preview.shows(wish(arm)))
    seen = poses(arm, frames)
    preview.end()
    FOUND["ended"] = user == print_of(arm) and float(np.abs(poses(arm, frames) - before).max()) == 0.0
    bpy.context.view_layer.objects.active = arm
    bpy.ops.poise.run(operation="hit")
    baked = poses(arm, frames)
    height = np.ptp(before[0, :, :3, 3], axis=0).max()
    FOUND["moved"] = float(np.abs(baked[..., :3, 3] - before[..., :3, 3]).max())
    FOUND["baked"] = float(np.abs(baked[..., :3, 3] - seen[..., :3, 3]).max() / height)
    FOUND["turned"] = float(np.abs(baked[..., :3, :3] - seen[..., :3, :3]).max())
    FOUND["same"] = user == print_of(arm)


def dragged_controls():
    """The same on Rigify: controls of all frames while it moves, put right when it rests."""
    install()
    rig = rigify_walk()
    scene, frames = bpy.context.scene, range(1, 50)
    before, user = poses(rig, frames), print_of(rig)
    names = [b.name for b in rig.pose.bones]
    hand = names.index("ORG-hand.R")
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    cup.location = before[36, hand, :3, 3] + [0.05, -0.12, 0.12]
    scene.frame_set(37)
    bpy.ops.poise.target_add(bone="hand_ik.R", place="cup")
    scene.poise.operation = "hit"
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(rig)))

    def drag():
        cup.location.x += 0.01
        bpy.context.view_layer.update()

    seen = [k for k, n in enumerate(names) if n.startswith(("DEF-", "ORG-"))]
    FOUND["waits"] = followed(preview, drag, 4)
    _, _, FOUND["poll"] = polled(preview, lambda: preview.shows(wish(rig), exact=False))
    rough = poses(rig, frames)[:, seen]
    FOUND["rest"] = polled(preview, lambda: preview.shows(wish(rig)))
    exact = poses(rig, frames)[:, seen]
    preview.end()
    FOUND["ended"] = user == print_of(rig) and float(np.abs(poses(rig, frames) - before).max()) == 0.0
    bpy.ops.poise.run(operation="hit")
    baked = poses(rig, frames)[:, seen]
    height = np.ptp(before[0, :, :3, 3], axis=0).max()
    FOUND["rough"] = float(np.abs(baked[..., :3, 3] - rough[..., :3, 3]).max() / height)
    FOUND["baked"] = float(np.abs(baked[..., :3, 3] - exact[..., :3, 3]).max() / height)
    FOUND["same"] = user == print_of(rig)


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


MORE = {"panels": panels, "picture": picture, **EXPERIMENTS}

if __name__ == "__main__":
    MORE.get(EXPERIMENT, globals().get(EXPERIMENT))()
    print()
    print(json.dumps(FOUND))
    sys.stdout.flush()
    os._exit(0)
