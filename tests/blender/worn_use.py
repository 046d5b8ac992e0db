"""Experiments: what an armature wears, as it looks, once, and until it is removed."""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import FOLDER, FOUND, bvh, install, print_of

from pathlib import Path

import bpy
import numpy as np


def shown(item):
    """Vertices of an object in the world, as Blender shows them (n, 3)."""
    now = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([now.matrix_world @ v.co for v in now.data.vertices])


def worn():
    """A ball with colours and a map on the head; done again, and removed; a hat that Poise brings along."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene, settings, user = bpy.context.scene, bpy.context.scene.poise, print_of(arm)
    scene.frame_end = 6
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.1)
    ball = bpy.context.object
    for name in ("red", "blue"):
        ball.data.materials.append(bpy.data.materials.new(name))
    ball.data.polygons[5].material_index = 1
    ball.location = arm.matrix_world @ arm.data.bones["Head"].tail_local
    bpy.context.view_layer.update()
    rest = shown(ball)
    things = sorted(o.name for o in bpy.data.objects), len(bpy.data.meshes), len(bpy.data.actions)
    settings.mesh = ball
    bpy.context.view_layer.objects.active = arm
    FOUND["worn"] = []
    for _ in range(2):
        bpy.ops.poise.run(operation="wear", options='{"to": "Head", "grip": 0.05}')
        FOUND["worn"].append(sorted(o.name for o in bpy.data.objects if o.name.startswith("Poise")))
    FOUND["message"] = settings.message
    item = bpy.data.objects["Poise Sphere"]
    FOUND["faces"] = [len(item.data.polygons), len(ball.data.polygons)]
    FOUND["materials"] = [m.name for m in item.data.materials]
    FOUND["blue"] = [p.index for p in item.data.polygons if p.material_index == 1]
    FOUND["map"] = [layer.name for layer in item.data.uv_layers]
    far = []
    for frame in (1, 3, 6):
        scene.frame_set(frame)
        now = arm.evaluated_get(bpy.context.evaluated_depsgraph_get())
        tail = np.array(now.matrix_world @ now.pose.bones["Head"].tail)
        far.append(float(np.linalg.norm(shown(item).mean(axis=0) - tail)))
    FOUND["from the head"] = far
    FOUND["of its size"] = float(np.ptp(shown(item), axis=0).max() / np.ptp(rest, axis=0).max())
    bpy.ops.poise.remove()
    now = sorted(o.name for o in bpy.data.objects), len(bpy.data.meshes), len(bpy.data.actions)
    FOUND["removed"] = now == things
    settings.mesh = None
    settings.of_wear.o_mesh = "hat"
    bpy.ops.poise.run(operation="wear")
    hats = [o for o in bpy.data.objects if o.name.startswith("Poise")]
    FOUND["hat"] = [o.name for o in hats]
    scene.frame_set(3)
    now = arm.evaluated_get(bpy.context.evaluated_depsgraph_get())
    head = np.array(now.matrix_world @ now.pose.bones["Head"].head)
    FOUND["on the head"] = float(shown(hats[0])[:, 2].min() - head[2])
    bpy.ops.poise.remove()
    FOUND["same"] = user == print_of(arm)


EXPERIMENTS = {"worn": worn}
