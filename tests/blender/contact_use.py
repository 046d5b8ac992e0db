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
    FOUND["no part"] = failing(lambda: bpy.ops.poise.contact_add(bone="Neck"))
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
    scene, operators = bpy.context.scene, module("operators")
    scene.poise.operation = "loosen"
    user = print_of(arm)
    bpy.ops.ed.undo_push(message="before")
    before = heads(arm, range(1, 41))
    operators._live = preview = module("live").Live(wish())
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
    operators.forget()
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


EXPERIMENTS = {"contacts_listed": contacts_listed, "undone_live": undone_live}
