# SPDX-License-Identifier: GPL-3.0-or-later
"""What else is in the scene: meshes to run into, places to hit, reports, things that are worn."""

import numpy as np

from . import versions
from .blender import PREFIX, bpy, evaluated
from .client import PoiseProblem


def mesh_surfaces(objects):
    """Surfaces of mesh objects as an option's data, and the arrays it names; as shown now, in metres."""
    surfaces, arrays = [], {}
    unit = bpy.context.scene.unit_settings.scale_length or 1.0
    for number, item in enumerate(objects):
        shown = evaluated(item)
        mesh = shown.to_mesh()
        mesh.calc_loop_triangles()
        vertices = np.empty(len(mesh.vertices) * 3, np.float32)
        mesh.vertices.foreach_get("co", vertices)
        triangles = np.empty(len(mesh.loop_triangles) * 3, np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        shown.to_mesh_clear()
        matrix = np.array(shown.matrix_world, dtype=np.float64)
        if not len(triangles):
            continue
        places = vertices.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        arrays[f"vertices {number}"], arrays[f"triangles {number}"] = places * unit, triangles.reshape(-1, 3)
        shape = {
            "kind": "mesh",
            "vertices": {"array": f"vertices {number}"},
            "triangles": {"array": f"triangles {number}"},
        }
        surfaces.append({"name": item.name, "shape": shape})
    return {"surfaces": surfaces}, arrays


def place_of(item, frame=None, bone=""):
    """Where an object, or a bone of an armature, is in the world [m], at a frame or as it is shown."""
    scene = bpy.context.scene
    rests = item.animation_data is None and not item.constraints and item.parent is None
    if frame is None or (rests and item.type != "ARMATURE"):
        return _place_now(item, bone)
    shown = scene.frame_current, scene.frame_subframe
    scene.frame_set(frame)
    try:
        return _place_now(item, bone)
    finally:
        scene.frame_set(shown[0], subframe=shown[1])


def _place_now(item, bone):
    unit = bpy.context.scene.unit_settings.scale_length or 1.0
    now = evaluated(item)
    if item.type == "ARMATURE" and bone:
        if bone not in now.pose.bones:
            raise PoiseProblem(f"{item.name} has no bone {bone!r}: choose another in the target", "choice")
        return [unit * x for x in now.matrix_world @ now.pose.bones[bone].head]
    return [unit * x for x in now.matrix_world.translation]


def sound_of(scene):
    """The recording of the sequencer's first sound: its path, and the frame at which it begins."""
    editor = scene.sequence_editor
    strips = versions.sequence(editor) if editor is not None else ()
    for strip in sorted(strips, key=lambda s: s.frame_start):
        if strip.type == "SOUND" and not strip.mute:
            return bpy.path.abspath(strip.sound.filepath), float(strip.frame_start)
    return "", 0.0


def report_text(title, words):
    """A text block with a report, made anew."""
    name = PREFIX + title
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(words + "\n")
    return text


def worn_mesh(name, vertices, faces, first):
    """A mesh object that moves on its own: one shape key a frame, each shown at its frame."""
    unit = bpy.context.scene.unit_settings.scale_length or 1.0
    places = np.asarray(vertices, np.float32) / unit
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(places[0].tolist(), [], np.asarray(faces).tolist())
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    item.shape_key_add(name="Basis")
    for k in range(len(places)):
        key = item.shape_key_add(name=f"{first + k}", from_mix=False)
        key.data.foreach_set("co", places[k].ravel())
    keys = mesh.shape_keys
    keys.use_relative = False
    times = np.empty(len(keys.key_blocks), np.float32)
    keys.key_blocks.foreach_get("frame", times)
    for k, frame in ((1, first), (len(times) - 1, first + len(places) - 1)):
        keys.eval_time = float(times[k])
        keys.keyframe_insert("eval_time", frame=frame)
    for curve in curves_of(keys):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    return item


def curves_of(owner):
    """Curves of the active action of whatever is animated."""
    data = owner.animation_data
    if data is None or data.action is None:
        return []
    return versions.curves_of(data.action, versions.slot_of(data))
