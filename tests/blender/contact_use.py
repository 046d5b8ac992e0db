"""Experiments: the panel's list of contacts; undo while a preview is shown."""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import FOLDER, FOUND, bvh, failing, heads, install, module, plain_rig, print_of

from pathlib import Path

import bpy
import numpy as np
from live_use import polled, wish


def contacts_listed():
    """Found, changed and used: a foot that the list no longer has is free to move."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene, settings = bpy.context.scene, bpy.context.scene.poise
    scene.frame_end = last = int(arm.animation_data.action.frame_range[1])
    frames, user = range(1, last + 1), print_of(arm)
    names = [b.name for b in arm.pose.bones]
    foot = names.index("LeftFoot")
    settings.operation = "loosen"
    FOUND["add first"] = failing(lambda: bpy.ops.poise.contact_add(bone="LeftFoot"))
    bpy.ops.poise.run(operation="loosen")
    found = heads(arm, frames)
    bpy.ops.poise.remove()
    bpy.ops.poise.contacts()
    FOUND["message"] = settings.message
    FOUND["listed"] = [(c.part, c.first, c.last) for c in settings.contacts]
    bpy.ops.poise.run(operation="loosen")
    FOUND["as found"] = float(np.abs(heads(arm, frames) - found).max())
    bpy.ops.poise.remove()
    for item in settings.contacts:
        item.on = item.part != "left foot"
    bpy.ops.poise.run(operation="loosen")
    FOUND["freed"] = float(np.abs(heads(arm, frames) - found)[:, foot].max())
    bpy.ops.poise.remove()
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    seen = heads(arm, frames)
    preview.end()
    bpy.ops.poise.run(operation="loosen")
    FOUND["live"] = float(np.abs(heads(arm, frames) - seen).max())
    bpy.ops.poise.remove()
    FOUND["no part"] = failing(lambda: bpy.ops.poise.contact_add(bone="LeftAnkle"))
    bpy.ops.poise.contact_add(bone="RightToeBase", first=9, last=12)
    FOUND["added"] = [settings.contacts[-1].part, settings.contacts[-1].first, settings.contacts[-1].last]
    settings.contacts[-1].last = 3
    FOUND["backwards"] = failing(lambda: bpy.ops.poise.run(operation="loosen"))
    bpy.ops.poise.contact_remove()
    FOUND["left"] = len(settings.contacts)
    bpy.ops.poise.contact_remove(every=True)
    FOUND["none"] = len(settings.contacts)
    FOUND["same"] = user == print_of(arm)


def undone_live():
    """Undo while Live shows a preview: Live goes on with what is there then, and its end leaves nothing."""
    install()
    arm = plain_rig(frames=40, modes=False)
    scene, previewing = bpy.context.scene, module("previewing")
    scene.poise.operation = "loosen"
    user = print_of(arm)
    bpy.ops.ed.undo_push(message="before")
    before = heads(arm, range(1, 41))
    previewing._live = preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    FOUND["shown"] = [t.name for t in arm.animation_data.nla_tracks]
    bpy.ops.ed.undo_push(message="dragged")
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.ed.undo_push(message="dragged again")
    bpy.ops.ed.undo()  # back to a state that has the preview in it
    arm = preview.arm
    bpy.context.view_layer.objects.active = arm
    FOUND["undone"] = [len(arm.animation_data.nla_tracks), user == print_of(arm)]
    scene = bpy.context.scene

    def go_on():
        preview.poll(wish(preview.arm), bpy.context.scene.frame_current)
        return preview.shows(wish(preview.arm))

    for _ in range(5):
        go_on()
    polled_again(go_on)
    FOUND["again"] = [t.name for t in preview.arm.animation_data.nla_tracks]
    previewing.forget()
    arm = bpy.data.objects["person"]
    FOUND["ended"] = [
        user == print_of(arm),
        float(np.abs(heads(arm, range(1, 41)) - before).max()),
        [a.name for a in bpy.data.actions],
    ]
    bpy.ops.ed.redo()
    arm = bpy.data.objects["person"]
    FOUND["redone"] = [user == print_of(arm), [a.name for a in bpy.data.actions]]


def polled_again(go_on, most=60.0):
    """Poll until all is shown."""
    import time

    end = time.perf_counter() + most
    while not go_on():
        time.sleep(0.005)
        if time.perf_counter() > end:
            raise TimeoutError


def bones_as_targets():
    """A bone where it is animated at its keys, and a hand at another armature's hand."""
    install()
    arm = plain_rig(frames=40, modes=False)
    other = plain_rig(seed=5, frames=40, modes=False)
    other.location = (0.35, -0.35, 0.0)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = arm
    frames, names = range(1, 41), [b.name for b in arm.pose.bones]
    hand = names.index("hand.R")
    before, wanted = heads(arm, frames), heads(other, frames)
    settings = bpy.context.scene.poise
    bpy.ops.poise.target_add(bone="hand.R", times="KEYS", own=True)
    FOUND["keys"] = [t.frame for t in settings.targets]
    bpy.ops.poise.run(operation="hit", options='{"tension": "loose"}')
    after = heads(arm, frames)
    at = [frame - 1 for frame in FOUND["keys"]]
    FOUND["at keys"] = float(np.linalg.norm(after - before, axis=2)[at, hand].max())
    FOUND["between"] = float(np.linalg.norm(after - before, axis=2)[:, hand].max())
    bpy.ops.poise.remove()
    bpy.ops.poise.target_remove(every=True)
    bpy.context.scene.frame_set(20)
    bpy.ops.poise.target_add(bone="hand.R", place=other.name, place_bone="head")
    FOUND["objects"] = len(bpy.data.objects)
    bpy.ops.poise.run(operation="adapt")
    FOUND["message"] = settings.message
    head = [b.name for b in other.pose.bones].index("head")
    reached = heads(arm, frames)[19, hand]
    FOUND["at the head"] = float(np.linalg.norm(reached - wanted[19, head]))
    bpy.ops.poise.remove()
    settings.targets[0].place_bone = "nose"
    FOUND["no bone"] = failing(lambda: bpy.ops.poise.run(operation="adapt"))


def picked_places():
    """What is selected beside the armature is the place of a new target; never what the figure wears."""
    install()
    arm, scene = plain_rig(frames=10, modes=False), bpy.context.scene
    names = ("skin", "hat", "cup", "handle")
    skin, hat, cup = (bpy.data.objects.new(name, bpy.data.meshes.new(name)) for name in names[:3])
    handle = bpy.data.objects.new("handle", None)
    for item in (skin, hat, cup, handle):
        scene.collection.objects.link(item)
    skin.modifiers.new("Armature", "ARMATURE").object = arm
    hat.parent, hat.parent_type, hat.parent_bone = arm, "BONE", "head"
    settings, FOUND["picked"] = scene.poise, []
    for chosen in (names[:2], names[:3], names):
        for item in bpy.context.view_layer.objects:
            item.select_set(item == arm or item.name in chosen)
        bpy.ops.poise.target_add(bone="hand.R")
        FOUND["picked"].append(settings.targets[-1].place.name)
    arm.data.bones.active = arm.data.bones["hand.L"]
    bpy.ops.object.mode_set(mode="POSE")
    for bone in arm.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in ("thigh.L", "shin.L")
    bpy.ops.poise.part_add()
    bpy.ops.poise.target_add()
    FOUND["bones"] = settings.parts[-1].bones.split("\n")
    FOUND["active"] = [settings.targets[-1].bone, settings.targets[-1].place.name]


EXPERIMENTS = {
    each.__name__: each for each in (contacts_listed, undone_live, bones_as_targets, picked_places)
}
