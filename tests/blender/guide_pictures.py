"""What the guide shows: the panels as their code draws them, and a walk before and after."""

import json
from pathlib import Path

import bpy
import numpy as np
from blender_scenes import FOLDER, FOUND, failing, install, module, rigify_walk
from drawn_layout import Layout, drawn


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
