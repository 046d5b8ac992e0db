"""Runs inside a Python that has bpy: one experiment by its name, its findings as JSON on the last line.

PYTHON_WITH_BPY inside.py EXPERIMENT ZIP FOLDER POISE_PROGRAM
"""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import (
    EXPERIMENT,
    FOLDER,
    FOUND,
    bvh,
    curves_in,
    failing,
    heads,
    install,
    module,
    plain_rig,
    play,
    played,
    poses,
    print_of,
    rigify_walk,
    top,
)

import json
import os
import sys
import time
from pathlib import Path

import bpy
import contact_use
import control_rigs
import live_use
import numpy as np
import range_use
import repeated_use
import rigs_tried
import sound_use
import window_use
import worn_use
from guide_pictures import panels, picture


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
    paths |= {curve.data_path for curve in curves_in(action)}
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
    playing = played(arm.animation_data)
    action = playing[0]
    empty = bpy.data.actions.new("empty")
    arm.animation_data.action = empty
    trouble("empty")
    play(arm.animation_data, *playing)
    track = arm.animation_data.nla_tracks.new()
    track.is_solo = True
    trouble("solo")
    arm.animation_data.nla_tracks.remove(track)
    play(arm.animation_data, *playing)
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
    """Check, fix, retarget; a range, chosen bones."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene = bpy.context.scene
    scene.frame_end = last = int(arm.animation_data.action.frame_range[1])
    frames = range(1, last + 1)
    names = [b.name for b in arm.pose.bones]
    before = heads(arm, frames)
    arm.location.z -= 0.03  # its feet sink
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
    arm.location.z += 0.03
    settings = scene.poise
    settings.use_range, settings.first, settings.last = True, 10, 30
    settings.only_selected = True
    bpy.ops.object.mode_set(mode="POSE")
    for bone in arm.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = bone.name in ("LeftArm", "LeftForeArm")
    bpy.ops.poise.run(operation="loosen", options='{"tension": "drunk"}')
    moved = np.abs(heads(arm, frames) - before).max(axis=2)
    FOUND["moved frames"] = np.flatnonzero(moved.max(axis=1) > 1e-5).tolist()
    FOUND["moved bones"] = [names[k] for k in np.flatnonzero(moved.max(axis=0) > 1e-5)]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.poise.remove()
    settings.only_selected = settings.use_range = False
    settings.use_range, settings.first, settings.last = True, 1, 24
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


OWN = (command_line, five_calls, troubles, long_one, undone, other_operations, panels, picture)
MORE = (
    contact_use, control_rigs, live_use, range_use, repeated_use, rigs_tried, sound_use, window_use, worn_use,
)  # fmt: skip

if __name__ == "__main__":
    known = {each.__name__: each for each in OWN}
    for more in MORE:
        known |= more.EXPERIMENTS
    known[EXPERIMENT]()
    print()
    print(json.dumps(FOUND))
    sys.stdout.flush()
    os._exit(0)
