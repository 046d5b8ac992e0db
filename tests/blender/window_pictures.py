r"""Takes the guide's pictures of Blender's own window.

``picture``: the panel beside a figure whose hand is at a cup; ``preferences``: where the extension is
installed, and where it is told the program.

BLENDER --factory-startup --enable-event-simulate --window-geometry 0 0 1280 800 \
    --python FILE -- WHICH ZIP FOLDER POISE

They are written into FOLDER. With an empty POISE the program is looked for where it usually is. Blender ends
by itself. On a screen of Xvfb (``-fbdir SOMEWHERE``) name its file in ``POISE_SCREEN``: what Blender itself
reads there is black.
"""

# ruff: noqa: I001  blender_scenes reads the command line
import os
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from blender_scenes import EXPERIMENT, FOLDER, FOUND, ZIP, install, module, rigify_walk

import bpy
import numpy as np
from in_window import a_while, driven, view, window
from mathutils import Vector

REACH = 37
"""The frame at which the hand is to be at the cup."""


def picture():
    yield 0.1
    install()
    yield from a_while()
    rig = rigify_walk()
    yield from a_while(20)
    figure(rig)
    cup = bpy.data.objects.new("cup", mug())
    bpy.context.scene.collection.objects.link(cup)
    bpy.context.scene.frame_set(REACH)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    hand = np.array(shown.matrix_world @ shown.pose.bones["ORG-hand.R"].head)
    cup.location = hand + [-0.03, -0.16, 0.16]
    bpy.context.view_layer.objects.active = rig
    with bpy.context.temp_override(window=window()):
        bpy.ops.poise.connect()
        bpy.ops.poise.target_add(bone="hand_ik.R", place="cup")
        for side in "LR":
            bpy.ops.poise.part_add(collection=f"Leg.{side} (IK)", tension="keyed")
    settings = bpy.context.scene.poise
    settings.operation = "hit"
    settings.of_hit.k_tension = "loose"
    yield from looked_at()
    window().cursor_warp(4, 4)  # out of the picture
    yield from a_while(20)
    with bpy.context.temp_override(window=window()):
        bpy.ops.poise.run("EXEC_DEFAULT", operation="hit")
    yield from a_while(30)
    FOUND["message"] = settings.message
    shot("blender-panel.png")


def preferences():
    """The menu that installs a zip, and the extension's own preferences."""
    yield 0.1
    bpy.ops.extensions.package_install_files(filepath=ZIP, repo="user_default", enable_on_install=True)
    yield from a_while()
    area, _ = view()
    area.type = "PREFERENCES"
    with bpy.context.temp_override(window=window(), area=area):
        bpy.ops.screen.screen_full_area(use_hide_panels=False)
    yield from a_while(20)
    area = window().screen.areas[0]
    bpy.context.preferences.active_section = "EXTENSIONS"
    area.tag_redraw()
    yield from a_while(30)
    region = next(r for r in area.regions if r.type == "WINDOW")
    arrow = {"x": region.x + region.width - 18, "y": region.y + region.height - 20}
    for value in ("NOTHING", "PRESS", "RELEASE"):
        kind = "MOUSEMOVE" if value == "NOTHING" else "LEFTMOUSE"
        window().event_simulate(type=kind, value=value, **arrow)
        yield from a_while(6)
    yield from a_while(30)
    shot("blender-install.png", rows=slice(52, 330))
    window().event_simulate(type="ESC", value="PRESS", **arrow)
    window().event_simulate(type="ESC", value="RELEASE", **arrow)
    yield from a_while(20)
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Poise"
    with bpy.context.temp_override(window=window(), area=area):
        bpy.ops.preferences.addon_expand(module="bl_ext.user_default.poise_addon")
    area.tag_redraw()
    yield from a_while(30)
    shot("blender-preferences.png", rows=slice(52, 400))


def looked_at():
    """The 3D view alone in the window, from the side, its sidebar wide and at our tab."""
    area, region = view()
    with bpy.context.temp_override(window=window(), area=area, region=region):
        bpy.ops.screen.screen_full_area(use_hide_panels=False)
    yield from a_while(20)
    area, region = view()
    space = area.spaces.active
    space.show_region_ui = True
    space.overlay.show_bones = False
    space.overlay.show_relationship_lines = False
    space.overlay.show_extras = True
    yield from a_while(20)
    side = next(r for r in area.regions if r.type == "UI")
    side.active_panel_category = "Poise"
    around = space.region_3d
    around.view_perspective = "PERSP"
    around.view_location = Vector((0.0, -0.9, 0.95))
    around.view_distance = 3.6
    around.view_rotation = Vector((-1.0, -0.25, 0.12)).to_track_quat("Z", "Y")
    area.tag_redraw()


def figure(rig):
    """Limbs around the bones that deform, so that there is somebody to see."""
    skin = bpy.data.materials.new("skin")
    skin.diffuse_color = (0.32, 0.45, 0.62, 1.0)
    for part in module("blender").plan_for(rig).bodies:
        if part.name.startswith(("f_", "thumb", "neck.")):
            continue
        bone = rig.data.bones[part.bone]
        thick = 0.075 if part.name.startswith(("hips", "spine", "head")) else 0.045
        bpy.ops.mesh.primitive_uv_sphere_add(segments=20, ring_count=12, radius=1.0)
        item = bpy.context.object
        item.name = f"flesh {part.name}"
        for vertex in item.data.vertices:  # a capsule along the bone's y
            x, y, z = vertex.co
            vertex.co = x * thick, z * thick + (bone.length if z > 0 else 0.0), -y * thick
        item.data.materials.append(skin)
        for face in item.data.polygons:
            face.use_smooth = True
        item.parent, item.parent_type, item.parent_bone = rig, "BONE", part.bone
        item.location = (0.0, -bone.length, 0.0)  # children of bones hang on their tails
        item.select_set(False)


def mug():
    """A cup."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=32, radius=0.045, depth=0.11)
    item = bpy.context.object
    made = item.data.copy()
    bpy.data.objects.remove(item)
    red = bpy.data.materials.new("red")
    red.diffuse_color = (0.75, 0.12, 0.08, 1.0)
    made.materials.append(red)
    return made


def shot(name, rows=slice(None)):
    """The window, or rows of it, as a picture: of the screen, where ``POISE_SCREEN`` names its file."""
    path, screen = str(Path(FOLDER) / name), os.environ.get("POISE_SCREEN", "")
    if not screen:
        with bpy.context.temp_override(window=window()):
            bpy.ops.screen.screenshot(filepath=path)
        return
    told = Path(screen).read_bytes()
    head = struct.unpack(">25I", told[:100])  # the X window dump: size of head, …, width, height
    width, height, line, colours = head[4], head[5], head[12], head[19]
    lines = np.frombuffer(told, np.uint8, height * line, head[0] + 12 * colours).reshape(height, line)[rows]
    height = len(lines)
    picture = lines[::-1, : 4 * width].reshape(height, width, 4)[..., [2, 1, 0, 3]].astype(np.float32) / 255
    picture[..., 3] = 1.0
    image = bpy.data.images.new(name, width, height)
    image.pixels.foreach_set(picture.ravel())
    image.filepath_raw, image.file_format = path, "PNG"
    image.save()
    bpy.data.images.remove(image)


if __name__ == "__main__":
    if EXPERIMENT == "preferences":  # installed where users have it
        os.environ.pop("BLENDER_USER_RESOURCES")
    taken = {"picture": picture, "preferences": preferences}[EXPERIMENT]
    bpy.app.timers.register(driven(taken()), first_interval=0.5, persistent=True)
