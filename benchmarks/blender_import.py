"""What Blender makes of a file: ``PYTHON_WITH_BPY benchmarks/blender_import.py JOBS.json``.

Runs in Blender's own Python, which has no Poise. Each job names a file, the importer ("bvh", "gltf", "usd",
"fbx" in Python, "fbx_cpp" in C++), the animation, the rate, numbers of frames, and an ``.npz`` to write:

    names (n,), heads (F, n, 3)   bones, and other objects, in the world, z up
    points (F, V, 3)              vertices of what is bound to them, where ``skin`` is asked for
    pictures (k,), texcoords (c, 2)   names of images on materials, and the first mesh's places on them
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy
import numpy as np


def opened(job: dict) -> None:
    """An empty scene with the file in it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    render = bpy.context.scene.render
    render.fps, render.fps_base = round(job["fps"]), round(job["fps"]) / job["fps"]
    path, how = str(job["path"]), job["importer"]
    if how == "bvh":
        axes = {"axis_up": job.get("up", "Y"), "axis_forward": job.get("forward", "-Z")}
        bpy.ops.import_anim.bvh(
            filepath=path, global_scale=job.get("scale", 1.0), rotate_mode="QUATERNION", **axes
        )
    elif how == "gltf":
        bpy.ops.import_scene.gltf(filepath=path)
    elif how == "usd":
        bpy.ops.wm.usd_import(filepath=path, set_frame_range=True)
    elif how == "fbx":
        bpy.ops.preferences.addon_enable(module="io_scene_fbx")
        bpy.ops.import_scene.fbx(filepath=path, ignore_leaf_bones=False, use_anim=True)
    else:
        bpy.ops.wm.fbx_import(filepath=path, ignore_leaf_bones=False, use_anim=True)


def chosen(name: str) -> None:
    """Let everything do the animation of that name, where there are several."""
    wanted = [a for a in bpy.data.actions if name and name in a.name]
    for thing in bpy.data.objects:
        if thing.animation_data is None:
            continue
        for track in thing.animation_data.nla_tracks:
            track.mute = True
        for action in wanted:
            if thing.name in action.name or thing.type == "ARMATURE":
                thing.animation_data.action = action
                if thing.animation_data.action_suitable_slots:  # others belong to cameras and lamps
                    thing.animation_data.action_slot = thing.animation_data.action_suitable_slots[0]


def first_frame() -> float:
    """Where the animation begins."""
    starts = [
        a.action.frame_range[0]
        for a in (o.animation_data for o in bpy.data.objects)
        if a is not None and a.action is not None
    ]
    return min(starts) if starts else bpy.context.scene.frame_start


def look(job: dict) -> dict:
    """Bones and points at every frame."""
    scene = bpy.context.scene
    chosen(job.get("animation", ""))
    begin = job["begin"] if job.get("begin") is not None else first_frame()
    step = scene.render.fps / scene.render.fps_base / job["fps"] if job["importer"].startswith("fbx") else 1.0
    rigs = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    meshes = [o for o in bpy.data.objects if o.type == "MESH"]
    if any(o.parent_type == "BONE" for o in meshes):  # put elsewhere than glTF says, by what a bone's tail is
        meshes = []
    others = list(bpy.data.objects)
    names = [b.name for rig in rigs for b in rig.data.bones] + [o.name for o in others]
    heads, points = [], []
    for k in job["frames"]:
        at = begin + k * step
        scene.frame_set(int(np.floor(at)), subframe=float(at - np.floor(at)))
        graph = bpy.context.evaluated_depsgraph_get()
        now = [rig.evaluated_get(graph) for rig in rigs]
        row = [
            tuple(there.matrix_world @ there.pose.bones[b.name].head)
            for rig, there in zip(rigs, now) for b in rig.data.bones
        ]  # fmt: skip
        heads.append(row + [tuple(o.evaluated_get(graph).matrix_world.translation) for o in others])
        if job.get("skin"):
            row = []
            for mesh in meshes:
                there = mesh.evaluated_get(graph)
                row += [tuple(there.matrix_world @ v.co) for v in there.data.vertices]
            points.append(row)
    pictures = sorted({
        node.image.name
        for material in bpy.data.materials if material.node_tree is not None
        for node in material.node_tree.nodes
        if node.type == "TEX_IMAGE" and node.image is not None and node.image.size[0] > 0
    })  # fmt: skip
    layers = [m.data.uv_layers[0] for m in meshes if m.data.uv_layers]
    places = [tuple(each.vector) for each in layers[0].uv] if layers else np.zeros((0, 2))
    return {
        "names": np.array(names), "heads": np.array(heads), "points": np.array(points),
        "pictures": np.array(pictures), "texcoords": np.array(places), "begin": begin,
    }  # fmt: skip


def main() -> None:
    """All jobs of a file, one after the other; what goes wrong with one is told by its text."""
    for job in json.loads(Path(sys.argv[1]).read_text()):
        try:
            opened(job)
            np.savez(job["out"], **look(job))
        except (RuntimeError, ValueError, KeyError, AttributeError, TypeError) as problem:
            Path(job["out"] + ".txt").write_text(f"{type(problem).__name__}: {problem}")


if __name__ == "__main__":
    main()
